// SPDX-License-Identifier: Apache-2.0

// Registers observers where they are to be called: on a queue or on an actor.

import Dispatch
import RealmSession

extension ThreadConfined {
  /// Calls `register` to register an observer: of this where its realm lives, or on `queue`, of its
  /// counterpart there.
  func observed(
    on queue: DispatchQueue?, orElse text: String = observationOfUnmanagedText,
    _ register: @escaping (Self, RealmCore) -> Observation
  ) -> NotificationToken {
    guard let core = realm?.core else { throwRealmException(text) }
    guard let queue else { return NotificationToken(register(self, core)) }
    return core.observe(self, on: queue) { confined in
      confined.realm.map { register(confined, $0.core) }
    }
  }

  /// Calls `register` on an actor to register an observer of the counterpart of this there.
  func observed<A: Actor>(
    on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ register: @escaping @Sendable (Self, RealmCore, A) -> Observation
  ) async -> NotificationToken {
    guard let core = realm?.core else {
      throwRealmException("Change notifications are only supported for managed objects")
    }
    _ = core.requireObservable(here: false)
    if Task.isCancelled { return NotificationToken(nil) }
    let reference = ThreadSafeReference(to: self)
    let configuration = core.configuration
    let observation = await actor.run { actor -> Observation? in
      guard let confined = reference.resolved(configuration, on: actor),
        let core = confined.realm?.core
      else { return nil }
      return register(confined, core, actor)
    }
    return NotificationToken(observation)
  }
}

extension Actor {
  /// A handler for observers of a realm of this actor that calls `block` isolated to it.
  nonisolated func calling<Change>(
    _ block: @Sendable @escaping (isolated Self, Change) -> Void
  ) -> (Change) -> Void {
    { [weak self] change in
      guard let self else { return }
      // The change was made for this actor and is used nowhere else.
      let change = UnsafeTransfer(change)
      self.assumeIsolated { block($0, change.value) }
    }
  }
}

/// The message for the observation of a collection that no realm manages.
let observationOfUnmanagedText =
  "Change notifications are only supported on managed collections."

/// The message for the observation of an object that no realm manages.
let observationOfUnmanagedObjectText =
  "Only objects which are managed by a Realm support change notifications"
