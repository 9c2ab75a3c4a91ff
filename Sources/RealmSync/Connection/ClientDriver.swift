// SPDX-License-Identifier: Apache-2.0

// The driver of a connection and its sessions.
//
// 1. Inputs reach the machine in the order of the calls, from whatever thread they come.
// 2. Effects are carried out in the machine's order, one at a time, and without a lock.
// 3. No observer is called on a thread that calls `send(_:)`: it may be one of the app's.
// 4. Whether a session rests, and why, is known by the machine alone.

import RealmStorage
package import RealmSyncProtocol

/// Joins a `ClientMachine` with files, sockets and the app.
///
/// Thread-safe. All sessions of a user and mode share one.
package final class ClientDriver: Sendable {
  struct Session {
    let agent: SyncAgent
    let listener: VersionListener
    let observer: @Sendable (SyncSessionEvent) -> Void
    var onEnd: (@Sendable () -> Void)?
  }

  struct State {
    var machine: ClientMachine
    var sessions: [UInt64: Session] = [:]
    var waits: [UInt64: @Sendable (SessionFailure?) -> Void] = [:]
    /// Counts sessions and waits.
    var lastName: UInt64 = 0
    /// The effects that are not carried out.
    var effects: [ClientEffect] = []
    var isCarryingOut = false
  }

  private let environment: any ClientEnvironment
  private let observer: @Sendable (ClientEvent) -> Void
  let state: Locked<State>

  /// - Parameter observer: Takes news of the connection, in order; must not block.
  package init(
    _ machine: ClientMachine, environment: any ClientEnvironment,
    observer: @escaping @Sendable (ClientEvent) -> Void = { _ in }
  ) {
    self.environment = environment
    self.observer = observer
    state = Locked(State(machine: machine))
  }

  deinit { environment.stop() }

  /// Hands an input to the machine. What it causes is done on another thread.
  package func send(_ input: ClientInput) {
    if handle(input) { schedule() }
  }

  /// Lets effects be carried out on another thread.
  func schedule() { environment.schedule(self) }

  /// Hands in an input of the environment. What it causes is done on return, or by another thread.
  package func deliver(_ input: ClientInput) { if handle(input) { carryOut() } }

  /// Returns whether effects wait and no call carries them out yet.
  private func handle(_ input: ClientInput) -> Bool {
    state.withLock { handle(input, in: &$0) }
  }

  /// Hands an input to the machine. Returns whether effects wait and no call carries them out yet.
  func handle(_ input: ClientInput, in state: inout State) -> Bool {
    state.effects += state.machine.handle(input, now: environment.now)
    guard !state.effects.isEmpty, !state.isCarryingOut else { return false }
    state.isCarryingOut = true
    return true
  }

  // MARK: Effects

  /// Carries out the effects that wait, until there are none.
  package func carryOut() {
    while true {
      let effects = state.withLock { state in
        assert(state.isCarryingOut, "ClientDriver 2")
        defer { state.effects = [] }
        state.isCarryingOut = !state.effects.isEmpty
        return state.effects
      }
      if effects.isEmpty { return }
      for effect in effects { carryOut(effect) }
    }
  }

  private func carryOut(_ effect: ClientEffect) {
    switch effect {
    case .open(let socket): environment.open(socket, for: self)
    case .send(let bytes, let stored): environment.send(bytes, after: stored)
    case .close(let code): environment.close(code)
    case .pauseReading: environment.pauseReading()
    case .resumeReading: environment.resumeReading()
    case .setTimer(let timer, let time): environment.set(timer, at: time, for: self)
    case .cancelTimer(let timer): environment.cancel(timer)
    case .needsToken: environment.refreshToken(for: self)
    case .needsLocation: environment.refreshLocation(for: self)
    case .needsLogOut: environment.logOut()
    case .store(let name, let number, let request):
      guard let agent = state.withLock({ $0.sessions[name]?.agent }) else { return }
      environment.perform(request, by: agent) { [weak self] reply in
        self?.deliver(.stored(session: name, request: number, reply))
      }
    case .finish(let id, let failure): state.withLock { $0.waits.removeValue(forKey: id) }?(failure)
    case .ended(let name): state.withLock { $0.sessions.removeValue(forKey: name) }?.onEnd?()
    case .report(let event): observer(event)
    case .sessionReport(let name, let event):
      state.withLock { $0.sessions[name]?.observer }?(event)
    }
  }
}
