// SPDX-License-Identifier: Apache-2.0

// An observation that is registered later, on another queue.

package import RealmStorage

/// An observation that the queue it belongs to has still to register.
package final class DeferredObservation: Cancellable {
  private enum State {
    case waiting
    case registered(any Cancellable)
    case cancelled
  }

  private let state = Guarded(State.waiting)
  /// Where it was asked for.
  private let file: DatabaseFile

  package init(in file: DatabaseFile) { self.file = file }

  /// Whether it is still to be registered.
  package var isWanted: Bool {
    state.withLock { if case .waiting = $0 { true } else { false } }
  }

  /// Takes over the observation; one that came too late is ended.
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

  /// Until it is registered, it is taken to belong to every realm of its file.
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
