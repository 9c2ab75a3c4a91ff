// SPDX-License-Identifier: Apache-2.0

// The sessions of a driver, and waits for them.

package import RealmStorage
package import RealmSyncProtocol

extension ClientDriver {
  /// Begins to synchronise a file, and returns the session's name. The observer must not block.
  ///
  /// - Throws: `StorageError.threadUnavailable`.
  package func begin(
    _ agent: SyncAgent, _ settings: SessionSettings,
    observer: @escaping @Sendable (SyncSessionEvent) -> Void = { _ in }
  ) throws(StorageError) -> UInt64 {
    let name = makeName()
    let listener = try agent.file.onNewVersion { [weak self] version in
      self?.send(.version(session: name, version))
    }
    state.withLock {
      $0.sessions[name] = Session(agent: agent, listener: listener, observer: observer)
    }
    send(.begin(session: name, settings))
    return name
  }

  /// Ends a session, whose waits fail. Its file has no request any more when `onEnd` is called.
  package func end(_ session: UInt64, _ onEnd: @escaping @Sendable () -> Void) {
    let isThere = state.withLock { state in
      state.sessions[session]?.listener.cancel()
      state.sessions[session]?.onEnd = onEnd
      return state.sessions[session] != nil
    }
    if isThere { send(.end(session: session)) } else { onEnd() }
  }

  /// Ends a session, and returns when its file has no request any more.
  package func end(_ session: UInt64) async {
    await withCheckedContinuation { end in self.end(session) { end.resume() } }
  }

  /// Ends a session that rests and has no request under way. Returns whether it is over.
  package func endAtOnce(_ session: UInt64) -> Bool {
    let (ended, begins) = state.withLock { state -> (Session?, Bool) in
      guard state.machine.mayEndAtOnce(session), let ended = state.sessions[session] else {
        return (nil, false)
      }
      state.sessions[session] = nil
      return (ended, handle(.end(session: session), in: &state))
    }
    ended?.listener.cancel()
    if begins { schedule() }
    return ended != nil
  }

  /// Why a session rests; nil if it does not, or is over.
  package func rest(of session: UInt64) -> SessionRest? {
    state.withLock { $0.machine.rest(of: session) }
  }

  /// The state of the connection.
  package var connectionState: ConnectionState { state.withLock { $0.machine.state } }

  // MARK: Waits

  /// Waits until everything is uploaded or downloaded that was there when the wait began.
  ///
  /// - Throws: `SessionFailure`; `.canceled` if the task is cancelled.
  package func wait(
    for kind: SessionWait, of session: UInt64
  ) async throws(SessionFailure) {
    let id = makeName()
    let failure = await withTaskCancellationHandler {
      await withCheckedContinuation { end in
        wait(for: kind, of: session, id: id) { end.resume(returning: $0) }
        if Task.isCancelled { send(.cancelWait(session: session, id: id)) }
      }
    } onCancel: {
      send(.cancelWait(session: session, id: id))
    }
    if let failure { throw failure }
  }

  /// Begins a wait with a number of `makeName()`; its end is reported once.
  package func wait(
    for kind: SessionWait, of session: UInt64, id: UInt64,
    _ end: @escaping @Sendable (SessionFailure?) -> Void
  ) {
    let file = state.withLock { state in
      state.waits[id] = end
      return state.sessions[session]?.agent.file
    }
    // What was committed before this call is waited for.
    if let file { send(.version(session: session, file.newestVersion)) }
    send(.wait(session: session, kind, id: id))
  }

  /// A number that no session and no wait has.
  package func makeName() -> UInt64 {
    state.withLock { state in
      state.lastName += 1
      return state.lastName
    }
  }
}
