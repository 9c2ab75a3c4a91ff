// SPDX-License-Identifier: Apache-2.0

// Opening a file of another program's as gently as it can be shown.

#if Tools
import Foundation
import RealmStorage

/// A database file, and how it could be opened.
///
/// A reader slot keeps the shown version, so the file is opened as by its users, also without
/// writing. Where the lock file cannot be written it is opened without one, and commits of others
/// are not seen.
struct OpenedFile {
  let file: DatabaseFile
  let isLive: Bool

  init(_ studioFile: StudioFile, isWritable: Bool) throws {
    var options = OpenOptions(mustExist: true, encryptionKey: studioFile.encryptionKey)
    do throws(StorageError) {
      file = try DatabaseFile.open(path: studioFile.path, options: options)
      isLive = true
    } catch {
      guard !isWritable else { throw Self.refusal(error, studioFile.path) }
      switch error {
      case .incompatibleHistory: options.history = .syncClient
      case _ where error.isAccessRefused:
        options.isReadOnly = true
      default: throw error
      }
      isLive = !options.isReadOnly
      file = try DatabaseFile.open(path: studioFile.path, options: options)
    }
  }

  /// The failure of opening a file for writing.
  private static func refusal(_ error: StorageError, _ path: String) -> any Error {
    guard case .incompatibleHistory = error else { return error }
    return StudioFailure(
      409, "'\(path)' is synchronised: what Studio writes would not be uploaded.",
      remedy: "Leave --write out to look at it, or write with the app.")
  }
}
#endif
