// SPDX-License-Identifier: Apache-2.0

// Files under their names only when they are complete.
//
// 1. A new realm has another name until all of it is durable; if making it fails, nothing is left.

#if Tools
import Foundation
import RealmStorage

/// Makes realm files.
package enum NewFile {
  /// Checks whether a file can be made at `path`.
  package static func requireFree(_ path: String) throws(ToolFailure) {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw ToolFailure(
        .cannotCreate, "There is a file '\(path)' already. Delete it, or use another path.")
    }
  }

  /// Lets `body` make a file under a name of its own, and gives it the name `path` if it succeeds.
  package static func make<R>(at path: String, _ body: (_ path: String) throws -> R) throws -> R {
    try requireFree(path)
    let unfinished = path + ".unfinished"
    remove(unfinished)
    UnfinishedFiles.add(unfinished)
    defer { UnfinishedFiles.remove(unfinished) }
    do {
      let result = try body(unfinished)
      guard unsafe link(unfinished, path) == 0 else {
        try requireFree(path)
        throw ToolFailure(
          .cannotCreate,
          "'\(path)' cannot be made: \(unsafe String(cString: strerror(errno))).")
      }
      try DatabaseFile.syncDirectory(of: path)
      remove(unfinished)
      return result
    } catch {
      remove(unfinished)
      throw error
    }
  }

  /// Removes an abandoned realm file with its lock file.
  package static func remove(_ path: String) {
    unsafe unlink(path)
    unsafe unlink(path + ".lock")
  }
}
#endif
