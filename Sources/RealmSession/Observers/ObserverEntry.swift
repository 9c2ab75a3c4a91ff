// SPDX-License-Identifier: Apache-2.0

// An observer, and what it has seen.

import RealmQuery
import RealmStorage
import RealmTables

/// An observer of a realm, and what it has seen.
///
/// Most commits concern few of many observers. What tells that one is not concerned stands here as
/// plain values, so that a thousand are passed over without counting a reference.
package struct ObserverEntry: Sendable {
  /// What decides whether a commit concerns an observer.
  enum Scope: Sendable {
    /// All changes of an object, and what is deleted.
    case object(TableKey, ObjectKey)
    /// Changes of a table and of what its links lead to; whoever knows more looks further.
    case table(TableKey)
    case other
  }

  let observation: Observation
  let id: UInt64
  let scope: Scope
  /// Nil before the first call.
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

  /// Moves on to a newer state; what it replaces pins a version.
  mutating func advance(to new: ObservedState) -> ObservedState? {
    defer {
      state = new
      seenVersion = new.version
    }
    return state
  }

  /// Moves on to a newer version, in which all is the same to the observer.
  mutating func moveOn(to tables: TableGroup, _ version: UInt64) {
    state?.tables = tables
    seenVersion = version
  }
}
