// SPDX-License-Identifier: Apache-2.0

// Symbolic links to database files.
//
// The lock file has its name from the database file's: an opener by a link must find
// the same one.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Follows symbolic links.
enum SymbolicLinks {
  /// As many links as systems follow.
  private static let countMax = 40

  /// The end of the links at the last part of `path`, with or without a file there. Links to
  /// directories in the path need no following, as all files beside it go the same way.
  ///
  /// - Throws: `StorageError.system` with ELOOP.
  static func resolved(_ path: String) throws(StorageError) -> String {
    var result = path
    for _ in 0..<countMax {
      guard let target = try target(of: result) else { return result }
      if target.hasPrefix("/") {
        result = target
      } else if let end = result.lastIndex(of: "/") {
        result = result[...end] + target
      } else {
        result = target
      }
    }
    throw .system(operation: "Opening", path: path, code: ELOOP)
  }

  /// Where a link leads; nil for all else, and for nothing.
  private static func target(of path: String) throws(StorageError) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe bytes.withUnsafeMutableBytes { buffer -> Int in
      let target = unsafe buffer.bindMemory(to: CChar.self)
      guard let start = target.baseAddress else { return -1 }
      return unsafe readlink(path, start, target.count)
    }
    guard count >= 0 else { return nil }
    guard count < bytes.count else {
      throw .system(operation: "Opening", path: path, code: ENAMETOOLONG)
    }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
