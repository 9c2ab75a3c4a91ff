// SPDX-License-Identifier: Apache-2.0

// What engines have in common.

package import Foundation

/// What went wrong in a benchmark.
package struct BenchmarkError: Error, CustomStringConvertible {
  package var description: String

  package init(_ description: String) { self.description = description }
}

extension URL {
  /// The files that an engine leaves beside its database go with it.
  package func removeDatabase() {
    for suffix in ["", "-wal", "-shm", "-lock", ".lock", ".note"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
    try? FileManager.default.removeItem(atPath: path + ".management")
  }

  /// The bytes of a database with the log beside it; 0 if it is not there.
  package var databaseByteCount: Int {
    ["", "-wal"].reduce(0) { sum, suffix in
      let facts = try? FileManager.default.attributesOfItem(atPath: path + suffix)
      return sum + ((facts?[.size] as? Int) ?? 0)
    }
  }
}
