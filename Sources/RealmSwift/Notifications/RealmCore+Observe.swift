// SPDX-License-Identifier: Apache-2.0

// Registering observers by the names of properties, and on other queues.

import Dispatch
import RealmSession

extension RealmCore {
  /// Registers an observer that is called where this realm lives.
  ///
  /// - Parameter subject: The collection, which the handler keeps: its observers share their key
  ///   paths.
  func observe(
    _ locator: Locator, keyPaths: [String]?, sharing subject: ObjectIdentifier? = nil,
    _ handler: Observation.Handler
  ) -> Observation {
    _ = requireObservable(here: true)
    var filter: KeyPathFilter?
    if let table = locator.elementTable {
      let isOfObject = locator.initialChange == nil
      filter = orTrap(
        try KeyPathFilter.of(keyPaths, table: table, in: self, isOfObject: isOfObject))
    }
    return orTrap(try observe(locator, filter: filter, sharing: subject, handler))
  }

  /// Registers an observer on another queue, where `source` is looked up first.
  func observe<Confined: ThreadConfined>(
    _ confined: Confined, on queue: DispatchQueue,
    _ register: @escaping (Confined) -> Observation?
  ) -> NotificationToken {
    _ = requireObservable(here: false)
    let reference = ThreadSafeReference(to: confined)
    let configuration = configuration
    let deferred = DeferredObservation(in: file)
    // The observer's code is transferred to the queue and used nowhere else.
    let register = UnsafeTransfer(register)
    queue.async {
      guard deferred.isWanted else { return }
      let local = try? Realm(configuration: configuration, queue: queue).resolve(reference)
      deferred.become(local.flatMap { register.value($0) })
    }
    return NotificationToken(deferred)
  }
}

extension Actor {
  /// Runs `body` isolated to this actor.
  func run<Value: Sendable>(_ body: @Sendable (isolated Self) async -> Value) async -> Value {
    await body(self)
  }
}
