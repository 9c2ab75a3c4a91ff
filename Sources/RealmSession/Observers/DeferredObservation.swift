// SPDX-License-Identifier: Apache-2.0

// An observation registered later, on its own queue.

package import RealmStorage

/// A placeholder for an observation that its queue has not registered yet.
package final class DeferredObservation: Cancellable {
  private enum State {
    case waiting
    case registered(any Cancellable)
    case cancelled
  }

  private let state = Locked(State.waiting)
  /// The file of the realm that requested it.
  private let file: DatabaseFile

  package init(in file: DatabaseFile) { self.file = file }

  /// Whether it is still to be registered.
  package var isWanted: Bool {
    state.withLock { if case .waiting = $0 { true } else { false } }
  }

  /// Takes over the registered observation; cancels it if this one was cancelled meanwhile.
  package func become(_ observation: (any Cancellable)?) {
    let isTooLate = state.withLock { state in
      guard case .waiting = state else { return true }
      state = observation.map { .registered($0) } ?? .cancelled
      return false
    }
    if isTooLate { observation?.cancel() }
  }

  @discardableResult
  package func cancel() -> Bool {
    let previous = state.withLock { state in
      defer { state = .cancelled }
      return state
    }
    return switch previous {
    case .waiting: true
    case .registered(let observation): observation.cancel()
    case .cancelled: false
    }
  }

  @discardableResult
  package func end() -> Bool {
    if case .registered(let observation) = state.withLock({ $0 }) { return observation.end() }
    return cancel()
  }

  package func release() {
    if case .registered(let observation) = state.withLock({ $0 }) { return observation.release() }
    cancel()
  }

  /// Until it is registered, it counts as an observation of every session of its file.
  package func isForeign(to session: Session) -> Bool {
    let previous = state.withLock { $0 }
    return switch previous {
    case .waiting: file !== session.file
    case .registered(let observation): observation.isForeign(to: session)
    case .cancelled: false
    }
  }

  package var current: (any Cancellable)? {
    state.withLock { if case .registered(let observation) = $0 { observation } else { nil } }
  }
}
