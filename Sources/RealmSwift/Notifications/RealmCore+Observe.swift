// SPDX-License-Identifier: Apache-2.0

// Registering observers, and what must hold for that.

import Dispatch
import Foundation
import RealmQuery
import RealmStorage
import RealmTables

extension RealmCore {
  /// Ends the process unless observers can be registered now.
  ///
  /// - Parameter here: Whether the observer is going to be called where this realm lives.
  func requireObservable(here: Bool) -> RealmDelivery {
    checkIsolation()
    if isFrozen {
      throwRealmException("Frozen Realms do not change and do not have change notifications.")
    }
    guard let delivery else {
      throwRealmException("Read-only Realms do not change and do not have change notifications.")
    }
    if let transaction, !transaction.log.isEmpty {
      throwRealmException(
        "Cannot create asynchronous query after making changes in a write transaction.")
    }
    if here, !delivery.hub.isReachable(by: { ConfinementScheduler(for: confinement) }) {
      throwRealmException("Can only add notification blocks from within runloops.")
    }
    return delivery
  }

  /// Registers an observer that is called where this realm lives.
  ///
  /// - Parameter subject: The collection, which the handler keeps: its observers share their key
  ///   paths.
  func observe(
    _ source: ObservedSource, keyPaths: [String]?, sharing subject: ObjectIdentifier? = nil,
    _ handler: Observation.Handler
  ) -> Observation {
    let delivery = requireObservable(here: true)
    do throws(StorageError) {
      let tables = try readableGroup()
      let filter = try source.elementTable.flatMap { (table) throws(StorageError) in
        try KeyPathFilter.of(
          keyPaths, table: table, in: self, isOfObject: source.initialChange == nil)
      }
      let observation = Observation(
        source, filter: filter, sharing: subject, footprint: try footprint(of: source, in: tables),
        of: self, in: delivery.hub, handler: handler)
      // An object is known when it is observed; a collection is told of first.
      let isKnown = source.initialChange == nil
      delivery.hub.add(observation, since: isKnown ? try source.initialState(in: tables) : nil)
      shared.notifier.signal()
      return observation
    } catch { stop(error) }
  }

  private func footprint(
    of source: ObservedSource, in tables: TableGroup
  ) throws(StorageError) -> QueryFootprint? {
    guard case .results(let query) = source else { return nil }
    return try unwrappingQueryErrors { () throws(QueryError) in
      try QueryFootprint(query, in: tables)
    }
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
    // The observer's code goes to the queue and is used nowhere else.
    let register = Passage(register)
    queue.async {
      guard deferred.isWanted else { return }
      let local = try? Realm(configuration: configuration, queue: queue).resolve(reference)
      deferred.become(local.flatMap { register.value($0) })
    }
    return NotificationToken(deferred)
  }
}

extension ObservedSource {
  /// The table of the objects that key paths start from; nil for scalars.
  var elementTable: TableKey? {
    switch self {
    case .results(let query): query.table
    case .backlinks(let source): source.origin
    case .list(let source): source.column.type == .link ? source.column.targetTable : nil
    case .refinement(let source): source.elementTable
    case .object(let source): source.table
    }
  }
}

extension Actor {
  /// Runs `body` isolated to this actor.
  func run<Value: Sendable>(_ body: @Sendable (isolated Self) async -> Value) async -> Value {
    await body(self)
  }
}
