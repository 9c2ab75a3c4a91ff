// SPDX-License-Identifier: Apache-2.0

// The part of a path that is not there, for messages.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Paths that lead to nothing.
package enum MissingPath {
  /// The end of a message that a path leads to nothing: the first folder on the way that is not
  /// there, or that the file alone is missing. Empty if the file is there by now.
  package static func hint(_ path: String) -> String {
    guard !exists(path) else { return "" }
    var missing = Substring(path)
    while let end = missing.lastIndex(of: "/"), end != missing.startIndex {
      let folder = missing[..<end]
      if exists(String(folder)) { break }
      missing = folder
    }
    return missing.endIndex == path.endIndex
      ? ". Its folder has no such file; one that is opened for reading alone must be there."
      : ". There is no folder '\(missing)': make it first."
  }

  private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
}
