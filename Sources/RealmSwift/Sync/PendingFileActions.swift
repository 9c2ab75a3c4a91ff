// SPDX-License-Identifier: Apache-2.0

// Carries out what was decided about files that the server cannot go on with: at once if a program
// asks for it, otherwise when the app is used for the first time in the next process.
//
// 1. An action is forgotten only after it is carried out, while the file is closed: a crash in
//    between lets the next start find it, and a file made later at the same place stays.
// 2. A file is put aside by a move, so there is always one whole copy of it.

#if Sync
import Dispatch
import Foundation
import RealmStorage
import RealmSync

/// The actions on files of an app.
struct PendingFileActions: Sendable {
  private static let queue = DispatchQueue(label: "OpenRealm file actions")

  let client: AppClient

  /// The place of a new backup.
  static func backupPath(_ paths: SyncPaths) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyyMMdd-HHmmss"
    return paths.recoveredRealm(
      time: formatter.string(from: Date()), random: .random(in: 0...UInt32.max))
  }

  /// Carries out all actions whose files are closed, before the app opens any.
  func carryOutAll() {
    do throws(StorageError) {
      for action in try client.fileActions() { attempt(action) }
    } catch {
      Logger.log(.error, "What was decided about files cannot be read: \(error)")
    }
  }

  private func attempt(_ action: FileAction) {
    do {
      if try !carryOut(action) {
        Logger.log(.info, "'\(action.path)' is open, and will be put aside at a later start")
      }
    } catch { Logger.log(.error, "'\(action.path)' cannot be put aside: \(error)") }
  }

  /// Carries out an action: before it returns if no realm of the file is open in this process, or
  /// else when none is any more.
  func carryOutNow(_ action: FileAction) {
    Self.queue.sync { attempt(action, rest: 1_000, patience: 2_000) }
  }

  /// A failed session is gone with the last realm (`SyncSessionCore` 5), unless a request is under
  /// way.
  private func attempt(_ action: FileAction, rest: Int, patience: Int = 1) {
    do {
      if try carryOut(action, patience: patience) { return }
      guard rest > 0 else {
        return Logger.log(
          .error,
          "'\(action.path)' cannot be put aside, as it is still open; the next start tries again")
      }
      Self.queue.asyncAfter(deadline: .now() + .milliseconds(20)) {
        attempt(action, rest: rest - 1)
      }
    } catch { Logger.log(.error, "'\(action.path)' cannot be put aside: \(error)") }
  }

  /// Carries out an action, unless its file is open.
  ///
  /// - Parameter patience: The milliseconds for workers to let go of the file after the last realm.
  private func carryOut(_ action: FileAction, patience: Int = 1) throws -> Bool {
    let path = action.path
    guard FileManager.default.fileExists(atPath: path) else {
      try client.removeFileAction(for: path)
      return true
    }
    var failure: (any Error)?
    let isDone =
      try RealmCache.whileClosed(path, patience: patience) {
        do {
          try move(action)
          try client.removeFileAction(for: path)
        } catch { failure = error }
      }
    if let failure { throw failure }
    return isDone
  }

  private func move(_ action: FileAction) throws {
    let files = FileManager.default
    if let backup = action.backupPath {
      try files.createDirectory(
        at: URL(fileURLWithPath: backup).deletingLastPathComponent(),
        withIntermediateDirectories: true)
      try files.moveItem(atPath: action.path, toPath: backup)
      Logger.log(.info, "'\(action.path)' was moved to '\(backup)'")
    } else {
      try files.removeItem(atPath: action.path)
      Logger.log(.info, "'\(action.path)' was deleted")
    }
    let others =
      [action.path + ".note", action.path + ".management"]
      + AutomaticReset.files(ofCopyAt: FreshCopyPlace.path(of: action.path))
    for path in others where files.fileExists(atPath: path) { try files.removeItem(atPath: path) }
  }
}
#endif
