// SPDX-License-Identifier: Apache-2.0

// An entry of an observer hub: an observer and the state that it was last notified of.

import RealmQuery
import RealmStorage
import RealmTables

/// An observer of a session, and the state that it has seen.
///
/// Most commits concern few of many observers. The values for deciding it are plain ones here, so a
/// thousand observers are passed over without counting a reference.
package struct ObserverEntry: Sendable {
  /// The scope of changes that may concern an observer.
  enum Scope: Sendable {
    /// All changes of an object, and its deletion.
    case object(TableKey, ObjectKey)
    /// Changes of a table and of the tables that its links lead to; a finer check may follow.
    case table(TableKey)
    case other
  }

  let observation: Observation
  let id: UInt64
  let scope: Scope
  /// The state that the observer has seen; nil before the first call.
  package private(set) var state: ObservedState?
  /// The version of `state`.
  private(set) var seenVersion: UInt64?

  init(_ observation: Observation, since state: ObservedState?) {
    self.observation = observation
    self.state = state
    id = observation.id
    seenVersion = state?.version
    scope =
      switch observation.source {
      case .object(let source) where !observation.hasFilter: .object(source.table, source.object)
      case .object(let source): .table(source.table)
      case .results(let query): .table(query.table)
      case .list, .backlinks, .refinement: .other
      }
  }

  /// Whether an observer that has seen `seen` has not seen `version` yet.
  static func isBehind(_ seen: UInt64?, _ version: UInt64) -> Bool {
    seen.map { $0 < version } ?? true
  }

  /// Advances to a newer state; returns the replaced one, which pins a version.
  mutating func advance(to new: ObservedState) -> ObservedState? {
    assert(Self.isBehind(seenVersion, new.version), "ObserverHub 2")
    defer {
      state = new
      seenVersion = new.version
    }
    return state
  }

  /// Advances to a newer version in which nothing changed for the observer.
  mutating func moveOn(to tables: TableGroup, _ version: UInt64) {
    assert(seenVersion.map { $0 <= version } ?? false, "ObserverHub 2")
    state?.tables = tables
    seenVersion = version
  }
}
