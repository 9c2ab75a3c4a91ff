// SPDX-License-Identifier: Apache-2.0

// Opening a file of another program's as gently as it can be shown.

#if Tools
import Foundation
import RealmStorage
import RealmTools

/// A database file, and how it could be opened.
///
/// 1. Without writing no byte of the file changes. A reader slot keeps the shown version, so the
///    file is opened as by its users where they would leave it as it is until they commit.
///    Elsewhere it is opened alone, and commits of others are not seen: where the lock file cannot
///    be written, in a file that a crash left unfinished, and in one of an older format, of which a
///    copy is shown.
struct OpenedFile {
  let file: DatabaseFile
  let isLive: Bool

  init(_ studioFile: StudioFile, isWritable: Bool) throws {
    let (path, key) = (studioFile.path, studioFile.encryptionKey)
    do throws(StorageError) {
      if isWritable {
        file = try DatabaseFile.open(
          path: path, options: OpenOptions(mustExist: true, encryptionKey: key))
        isLive = true
      } else {
        (file, isLive) = try Self.open(path, key)
      }
    } catch {
      if isWritable { throw Self.refusal(error, path) }
      guard case .formatUpgradeRequired = error else { throw error }
      (file, isLive) = (try UpgradedCopy.open(path, key: key), false)
    }
  }

  private static func open(
    _ path: String, _ key: EncryptionKey?
  ) throws(StorageError) -> (DatabaseFile, isLive: Bool) {
    let (file, isShared) = try DatabaseFile.openForReading(path: path, key: key)
    if isShared { return (file, true) }
    guard try file.isSettled() else { return (file, false) }
    let isSynchronised = try file.snapshot().top().historyType == HistoryKind.syncClient.type
    do throws(StorageError) {
      let options = OpenOptions(
        mustExist: true, encryptionKey: key, history: isSynchronised ? .syncClient : .inFile)
      return (try DatabaseFile.open(path: path, options: options), true)
    } catch {
      switch error {
      case .incompatibleHistory, .unsupportedHistory: return (file, false)
      case _ where error.isAccessRefused: return (file, false)
      default: throw error
      }
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
