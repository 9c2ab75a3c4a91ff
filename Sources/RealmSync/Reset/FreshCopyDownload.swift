// SPDX-License-Identifier: Apache-2.0

// The download of a fresh copy for a client reset, in a file and a session of its own (P3 D.2).
//
// 1. The copy is complete when all has arrived that the server had when it was asked, and, in
//    flexible mode, all objects of the subscriptions that are active in the file.
// 2. A copy that an earlier attempt left is used if the server goes on with it. In place of a copy
//    for which the server asks for a reset another one is begun, once: the server may have been
//    restored from a backup meanwhile.
// 3. An identifier that the file has had is none of a copy: the server knows it with changes.

package import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// Downloads the fresh copy of a file.
package struct FreshCopyDownload: Sendable {
  let place: FreshCopyPlace
  let driver: ClientDriver
  let settings: SessionSettings
  /// The identifier of the file that is to be reset.
  let oldIdent: FileIdentifier
  /// The subscriptions to have; nil in partition mode.
  let subscriptions: [StoredSubscription]?

  /// - Parameters:
  ///   - settings: Those of the file's own session.
  ///   - oldIdent: The identifier of the file that is to be reset.
  ///   - subscriptions: The subscriptions to have; nil in partition mode.
  package init(
    _ place: FreshCopyPlace, _ driver: ClientDriver, _ settings: SessionSettings,
    oldIdent: FileIdentifier, subscriptions: [StoredSubscription]?
  ) {
    self.place = place
    self.driver = driver
    var settings = settings
    settings.purpose = .freshCopy
    self.settings = settings
    self.oldIdent = oldIdent
    self.subscriptions = subscriptions
  }

  /// Downloads the copy. Cancelling the task keeps what has arrived for the next attempt.
  package func run() async throws(ResetError) -> DatabaseFile {
    var isSecond = false
    if let file = usableCopy() {
      do throws(ResetError) {
        return try await download(file)
      } catch {
        if error == .cancelled { throw error }
        isSecond = true
      }
    }
    while true {
      place.remove()
      do throws(ResetError) {
        return try await download(ResetError.storing(place.open()))
      } catch {
        guard !isSecond, case .copyRefused = error else { throw error }
        isSecond = true
      }
    }
  }

  /// The copy that an earlier attempt has left; nil if it is of no use.
  private func usableCopy() -> DatabaseFile? {
    guard let file = try? place.open(), file.newestVersion > 1,
      let top = try? file.snapshot().top(), top.fileIdentifier != Int(oldIdent.rawValue)
    else { return nil }
    return file
  }

  /// How far a download is.
  private struct Progress {
    var failure: ResetError?
    var isDownloaded = false
  }

  private func download(_ file: DatabaseFile) async throws(ResetError) -> DatabaseFile {
    try ResetError.storing(subscribe(file))
    let agent = try ResetError.storing(SyncAgent(file))
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let progress = Locked(Progress())
    let listener = try ResetError.storing(file.onNewVersion { _ in signal.yield() })
    defer { listener.cancel() }
    let session = try ResetError.storing(
      driver.begin(agent, settings) { event in
        guard let failure = Self.failure(event) else { return }
        progress.withLock { $0.failure = failure }
        signal.yield()
      })
    driver.wait(for: .download, of: session, id: driver.makeName()) { failure in
      progress.withLock { progress in
        progress.isDownloaded = failure == nil
        if let failure, progress.failure == nil { progress.failure = .download("\(failure)") }
      }
      signal.yield()
    }
    let end = await end(of: file, signals, progress)
    await driver.end(session)
    agent.release()
    try end.get()
    return file
  }

  /// Waits until the copy is complete, or cannot be.
  private func end(
    of file: DatabaseFile, _ signals: AsyncStream<Void>, _ progress: Locked<Progress>
  ) async -> Result<Void, ResetError> {
    for await _ in signals {
      let (failure, isDownloaded) = progress.withLock { ($0.failure, $0.isDownloaded) }
      if let failure { return .failure(failure) }
      do throws(StorageError) {
        guard isDownloaded, try hasSubscribed(file) else { continue }
        return .success(())
      } catch { return .failure(.storage(error)) }
    }
    return .failure(.cancelled)
  }

  // MARK: Subscriptions

  /// Gives the copy the subscriptions as its next set.
  private func subscribe(_ file: DatabaseFile) throws(StorageError) {
    guard let subscriptions else { return }
    let newest = try StoredSubscriptionSet.newest(in: TableGroup(file.snapshot()))
    if let newest, newest.state != .error, newest.subscriptions == subscriptions { return }
    let group = try WriteGroup(file.beginWrite())
    try group.commit { (group) throws(StorageError) in
      let store = try SubscriptionStore.make(in: group)
      if subscriptions.isEmpty, newest == nil { return }
      try store.add((newest?.version ?? 0) + 1, subscriptions)
    }
  }

  /// Whether the newest set is complete.
  private func hasSubscribed(_ file: DatabaseFile) throws(StorageError) -> Bool {
    guard subscriptions != nil else { return true }
    return try StoredSubscriptionSet.newest(in: TableGroup(file.snapshot()))?.state == .complete
  }

  // MARK: Errors

  /// The failure of the download, if an event is one: what the session overcomes by itself is none.
  private static func failure(_ event: SyncSessionEvent) -> ResetError? {
    switch event {
    case .error(_, let document) where document.action == .warning: nil
    case .error(_, let document):
      .download("The fresh copy was refused: \(document.message)")
    case .needsReset(_, _, let document):
      .copyRefused("The fresh copy was refused: \(document.message)")
    case .storageFailure(let failure): .download(failure.message)
    case .queryRejected(_, let message):
      .download("The subscriptions of the fresh copy were refused: \(message)")
    case .delayed, .compensatingWrite, .downloadProgress, .log: nil
    }
  }
}
