// SPDX-License-Identifier: Apache-2.0

// The session of a file: joins the file's agent with a connection.
//
// 1. The connection knows the newest version of the file some time after each commit: one task
//    tells it, which begins again if there was another commit meanwhile.
// 2. News reaches the observer in order.

package import RealmStorage
package import RealmSyncProtocol

/// Synchronises one file over a connection.
///
/// Thread-safe. `start()` begins; `close()` ends, and nothing begins again.
package final class FileSession: ConnectedSession {
  private struct State {
    var name: UInt64?
    var listener: VersionListener?
    /// Whether a task is telling the connection of the newest version.
    var isTelling = false
    /// Whether there was a commit since that task began.
    var isNewer = false
    var isClosed = false
  }

  package let agent: SyncAgent
  package let settings: SessionSettings
  private let connection: SyncConnection
  private let observer: @Sendable (SessionEffect) -> Void
  private let state = Locked(State())

  /// - Parameter observer: Takes what `ConnectedSession.take(_:)` names; must not block.
  package init(
    _ agent: SyncAgent, settings: SessionSettings, connection: SyncConnection,
    observer: @escaping @Sendable (SessionEffect) -> Void = { _ in }
  ) {
    self.agent = agent
    self.settings = settings
    self.connection = connection
    self.observer = observer
  }

  /// Begins to synchronise.
  ///
  /// - Throws: `StorageError.threadUnavailable`.
  package func start() async throws(StorageError) {
    let listener = try agent.file.onNewVersion { [weak self] _ in self?.signal() }
    let name = await connection.add(self, settings)
    let isClosed = state.withLock { state in
      state.name = name
      state.listener = listener
      return state.isClosed
    }
    if isClosed { await connection.remove(name) }
  }

  /// Ends the session; its waits fail.
  package func close() async {
    let (name, listener) = state.withLock { state in
      state.isClosed = true
      defer { state.listener = nil }
      return (state.name, state.listener)
    }
    listener?.cancel()
    if let name { await connection.remove(name) }
  }

  /// Waits until what is there now is on the other side. See `SyncConnection.wait(for:of:)`.
  package func wait(for kind: SessionWait) async throws(SessionFailure) {
    guard let name = state.withLock({ $0.name }) else { throw .terminated }
    // What was committed before this call is waited for.
    if kind == .upload { await tellVersion(name) }
    try await connection.wait(for: kind, of: name)
  }

  /// Ends the session's binding until it is resumed.
  package func suspend() async { await tell(.suspend) }

  /// Goes on, without the delay that may be running.
  package func resume() async { await tell(.resume) }

  private func tell(_ input: SessionInput) async {
    guard let name = state.withLock({ $0.name }) else { return }
    await connection.tell(name, input)
  }

  // MARK: Versions

  private func signal() {
    let begins = state.withLock { state in
      if state.isTelling {
        state.isNewer = true
        return false
      }
      state.isTelling = state.name != nil && !state.isClosed
      return state.isTelling
    }
    if begins { Task { await tellVersions() } }
  }

  private func tellVersions() async {
    while let name = state.withLock({ $0.isClosed ? nil : $0.name }) {
      await tellVersion(name)
      let goesOn = state.withLock { state in
        state.isTelling = state.isNewer
        state.isNewer = false
        return state.isTelling
      }
      if !goesOn { return }
    }
  }

  private func tellVersion(_ name: UInt64) async {
    guard settings.partition == nil else {
      return await connection.tell(name, .localVersion(agent.file.newestVersion))
    }
    do throws(IntegrationError) {
      let file = try await agent.sessionFile()
      await connection.tell(name, .subscriptionSets(file.sets, version: file.version))
    } catch {
      observer(.report(.storageFailure(StoreFailure(error))))
    }
  }

  // MARK: ConnectedSession

  package func perform(_ request: StoreRequest) async -> StoreReply {
    await agent.perform(request)
  }

  package func take(_ effect: SessionEffect) { observer(effect) }
}
