// SPDX-License-Identifier: Apache-2.0

// A client reset without the program's help, from the server's error to the last block (P3 D.2).
//
// 1. The right to write is held by the agent's transaction alone: not during the download, and not
//    while a block of the program runs.
// 2. The session goes on after the last block.

#if Sync
import Foundation
import RealmSession
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables

/// The reset of a file.
struct AutomaticReset: Sendable {
  typealias Block = ResetBlocks.Block
  typealias AfterBlock = ResetBlocks.AfterBlock

  let configuration: Realm.Configuration
  let agent: SyncAgent
  let driver: ClientDriver
  let settings: SessionSettings
  let cause: ResetCause
  /// The mode; nil to adopt the file of a former server, which nothing is dropped of.
  let wanted: ResetMode?
  let before: Block?
  let after: AfterBlock?

  /// Carries out the reset. It can be cancelled until the fresh copy is there.
  func run() async throws(ResetError) {
    let path = agent.file.path
    Logger.log(
      .info, "\(wanted == nil ? "Adopting" : "Resetting") '\(path)': \(cause.document.message)")
    // What would be done in vain is not begun.
    if let wanted { _ = try await agent.resetMode(wanted, cause) }
    let place = Self.place(of: agent.file)
    try await reset(to: download(place))
    // The copy is closed by now.
    place.remove()
    Logger.log(.info, "'\(path)' was \(wanted == nil ? "adopted" : "reset")")
  }

  private func download(_ place: FreshCopyPlace) async throws(ResetError) -> DatabaseFile {
    let state: FileState
    let subscriptions: [StoredSubscription]?
    do {
      state = try await agent.state()
      subscriptions = settings.partition == nil ? try await agent.activeSubscriptions() : nil
    } catch { throw .download("\(error)") }
    return try await FreshCopyDownload(
      place, driver, settings, oldIdent: state.ident, subscriptions: subscriptions
    ).run()
  }

  private func reset(to copy: DatabaseFile) async throws(ResetError) {
    let blocks = ResetBlocks(configuration: configuration, path: agent.file.path)
    if let before { try await blocks.show(before) }
    guard let (old, droppedLists) = try await change(to: copy) else { return }
    for list in droppedLists {
      Logger.log(.warn, "Changes of \(list) are lost: the list is gone in '\(agent.file.path)'")
    }
    guard let after else { return }
    do {
      try await blocks.show(old, after)
      try await agent.resetIsAnnounced()
    } catch {
      // The reset itself has succeeded.
      Logger.log(.error, "The block after a reset is called at the next start: \(error)")
    }
  }

  /// Makes the file equal to the copy, with its own changes, or with all that it has.
  ///
  /// - Returns: The version before, and the lists whose changes are lost; nil if nothing was done.
  private func change(
    to copy: DatabaseFile
  ) async throws(ResetError) -> (before: Snapshot, droppedLists: [String])? {
    guard let wanted else {
      let outcome = try await agent.adopt(to: copy, isToBeAnnounced: after != nil)
      Logger.log(
        .info, "'\(agent.file.path)' brings \(outcome.seededCount) objects to the server")
      return (outcome.before, outcome.droppedLists)
    }
    let mode = try await agent.resetMode(wanted, cause)
    return try await agent.reset(to: copy, mode, cause, isToBeAnnounced: after != nil)
      .map { ($0.before, $0.droppedLists) }
  }

  /// Where the fresh copy of a file is.
  static func place(of file: DatabaseFile) -> FreshCopyPlace {
    let path = FreshCopyPlace.path(of: file.path)
    var options = OpenOptions(history: .syncClient)
    options.encryptionKey = file.options.encryptionKey
    let copyOptions = options
    return FreshCopyPlace(
      open: { () throws(StorageError) in
        try DatabaseFile.open(path: path, options: copyOptions)
      },
      remove: {
        for path in files(ofCopyAt: path) { try? FileManager.default.removeItem(atPath: path) }
      })
  }

  /// All files of a fresh copy.
  static func files(ofCopyAt path: String) -> [String] {
    ["", ".lock", ".note", ".management"].map { path + $0 }
  }
}

extension ClientResetMode {
  /// How a reset of this mode is carried out; nil if the program does it.
  var automatic:
    (mode: ResetMode, before: AutomaticReset.Block?, after: AutomaticReset.AfterBlock?)?
  {
    switch self {
    case .manual: nil
    case .discardUnsyncedChanges(let before, let after): (.discard, before, after)
    case .recoverUnsyncedChanges(let before, let after): (.recover, before, after)
    case .recoverOrDiscardUnsyncedChanges(let before, let after):
      (.recoverOrDiscard, before, after)
    }
  }
}
#endif
