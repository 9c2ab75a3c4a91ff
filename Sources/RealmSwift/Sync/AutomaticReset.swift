// SPDX-License-Identifier: Apache-2.0

// A client reset without the program's help, from the server's error to the last block (P3 D.2).
//
// 1. The right to write is held by the agent's transaction alone: not during the download, and not
//    while a block of the program runs.
// 2. Blocks of the program run on a queue of their own, which they may keep waiting.
// 3. The session goes on after the last block.

#if Sync
import Dispatch
import Foundation
import RealmSession
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables

/// The reset of a file.
struct AutomaticReset: Sendable {
  typealias Block = @Sendable (Realm) -> Void
  typealias AfterBlock = @Sendable (Realm, Realm) -> Void

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
    if let before { try await show(before) }
    guard let (old, droppedLists) = try await change(to: copy) else { return }
    for list in droppedLists {
      Logger.log(.warn, "Changes of \(list) are lost: the list is gone in '\(agent.file.path)'")
    }
    guard let after else { return }
    do throws(ResetError) {
      try await show(old, after)
    } catch {
      // The reset itself has succeeded.
      Logger.log(.error, "The block after a reset is not called: \(error)")
    }
  }

  /// Makes the file equal to the copy, with its own changes, or with all that it has.
  ///
  /// - Returns: The version before, and the lists whose changes are lost; nil if nothing was done.
  private func change(
    to copy: DatabaseFile
  ) async throws(ResetError) -> (before: Snapshot, droppedLists: [String])? {
    guard let wanted else {
      let outcome = try await agent.adopt(to: copy)
      Logger.log(
        .info, "'\(agent.file.path)' brings \(outcome.seededCount) objects to the server")
      return (outcome.before, outcome.droppedLists)
    }
    let mode = try await agent.resetMode(wanted, cause)
    return try await agent.reset(to: copy, mode, cause).map { ($0.before, $0.droppedLists) }
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

  // MARK: Blocks

  private static let queue = DispatchQueue(label: "OpenRealm resets", attributes: .concurrent)

  /// Runs a part of the reset where it may wait (2).
  private func onQueue(
    _ body: @escaping @Sendable () throws -> Void
  ) async throws(ResetError) {
    let result = await withCheckedContinuation { continuation in
      Self.queue.async { continuation.resume(returning: Result(catching: body)) }
    }
    do { try result.get() } catch {
      throw .opening("The realm of '\(agent.file.path)' cannot be opened: \(error)")
    }
  }

  /// Calls a block with the realm as it is, frozen.
  private func show(_ block: @escaping Block) async throws(ResetError) {
    try await onQueue { block(Realm(core: try RealmOpener(configuration).openFrozen())) }
  }

  /// Calls a block with the realm before the reset, frozen, and after it, live.
  private func show(
    _ before: Snapshot, _ block: @escaping AfterBlock
  ) async throws(ResetError) {
    try await onQueue {
      let live = try Realm(configuration: configuration)
      let tables = try live.core.shared.tables(of: before)
      let layouts = try RealmOpener.schemas(of: configuration)
        .filter { try tables.key(ofTable: $0.tableName) != nil }
        .map { try tables.layout(of: $0) }
      let old = try RealmCache.frozenCore(configuration, layouts, live.core.shared, tables)
      block(Realm(core: old), live)
    }
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
