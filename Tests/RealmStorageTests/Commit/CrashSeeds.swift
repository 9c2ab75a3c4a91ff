// SPDX-License-Identifier: Apache-2.0

// How many random programs the crash tests run.

import Foundation
import RealmTestSupport

/// The seeds of crash tests.
enum CrashSeeds {
  /// Runs `body` for a few seeds, or as many as `REALM_CRASH_SEEDS` says.
  ///
  /// - Returns: The sum of the results, which are counts of states.
  static func total(
    _ usual: Int, test: String = #function, file: String = #fileID,
    _ body: (UInt64) throws -> Int
  ) rethrows -> Int {
    let count = ProcessInfo.processInfo.environment["REALM_CRASH_SEEDS"].flatMap(Int.init) ?? usual
    let total = try (1...UInt64(count)).reduce(0) { try $0 + body($1) }
    RandomRuns.report(total, "crash states", test: test, file: file)
    return total
  }
}
