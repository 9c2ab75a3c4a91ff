// SPDX-License-Identifier: Apache-2.0

// Registration of observers, and its checks.

import RealmQuery
package import RealmStorage
import RealmTables

extension Session {
  /// Traps unless observers can be registered now.
  ///
  /// - Parameter here: Whether the observer is called in this session's confinement.
  package final func requireObservable(here: Bool) -> SessionObservers {
    checkIsolation()
    if isFrozen {
      throwRealmException("Frozen Realms do not change and do not have change notifications.")
    }
    guard let observers else {
      throwRealmException("Read-only Realms do not change and do not have change notifications.")
    }
    if let transaction, !transaction.log.isEmpty {
      throwRealmException(
        "Cannot create asynchronous query after making changes in a write transaction.")
    }
    if here, !observers.hub.isReachable(by: { ConfinementScheduler(for: confinement) }) {
      throwRealmException("Can only add notification blocks from within runloops.")
    }
    return observers
  }

  /// Registers an observer that is called in this session's confinement.
  ///
  /// - Parameters:
  ///   - filter: The key paths that are observed; nil for everything.
  ///   - subject: The collection, which the handler keeps: its observers share their filters.
  package final func observe(
    _ locator: Locator, filter: KeyPathFilter? = nil, sharing subject: ObjectIdentifier? = nil,
    _ handler: Observation.Handler
  ) throws(StorageError) -> Observation {
    let hub = requireObservable(here: true).hub
    let tables = try readableTables()
    let observation = Observation(
      locator, filter: filter, sharing: subject, footprint: try locator.footprint(in: tables),
      of: self, in: hub, handler: handler)
    // The state of an object is known when it is observed; a collection is first reported as it is.
    let isKnown = locator.initialChange == nil
    hub.add(observation, since: isKnown ? try locator.initialState(in: tables) : nil)
    shared.notifier.signal()
    return observation
  }
}

extension Locator {
  /// The footprint of the query of results; nil for everything else.
  fileprivate func footprint(in tables: TableGroup) throws(StorageError) -> QueryFootprint? {
    guard case .results(let query) = self else { return nil }
    do throws(QueryError) {
      return try QueryFootprint(query, in: tables)
    } catch {
      switch error {
      case .invalid(let text, _): throwRealmException(text)
      case .storage(let error): throw error
      }
    }
  }
}
