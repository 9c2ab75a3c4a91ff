// SPDX-License-Identifier: Apache-2.0

// Locators of observed things, and the computation of their changes from one version to the next.
//
// Everything here is a value for any thread: the worker computes change sets outside of the
// session's confinement, and the session computes the remaining ones by the same functions.

package import RealmQuery
package import RealmStorage
package import RealmTables

/// Identifies the object or collection that an observer observes, independent of a session and of a
/// version.
package enum Locator: Hashable, Sendable {
  case results(TableQuery)
  case list(ListLocator)
  case backlinks(BacklinksLocator)
  case refinement(RefinementLocator)
  case object(ObjectLocator)
}

/// The state of an observer: its version, readable as long as this exists, and the data for
/// computing changes since.
package struct ObservedState: Sendable {
  /// The data that a locator keeps from one version to the next.
  package enum Content: Sendable {
    case results(ResultState)
    case list(count: Int)
    case backlinks([ObjectKey])
    case refinement(RefinementLocator.Elements)
    case nothing
  }

  package var tables: TableGroup
  package let content: Content

  package var version: UInt64 { tables.snapshot.version }
}

/// A change to notify an observer of.
package enum ObservedChange: Sendable {
  case initial
  case collection(ResultChanges)
  /// The object that owned the list is gone, and the list with it; nothing follows.
  case collectionDeleted(ResultChanges)
  case object([ColumnKey])
  /// The object is gone; nothing follows.
  case objectDeleted
  /// The database could not be read; nothing follows.
  case failed(StorageError)

  package var isLast: Bool {
    switch self {
    case .collectionDeleted, .objectDeleted, .failed: true
    case .initial, .collection, .object: false
    }
  }
}

extension Locator {
  /// The change that the first call reports; nil for objects, whose observers get no first call.
  package var initialChange: ObservedChange? {
    if case .object = self { nil } else { .initial }
  }

  /// The state of an observer that is first notified of `tables`.
  func initialState(in tables: TableGroup) throws(StorageError) -> ObservedState {
    let content: ObservedState.Content
    switch self {
    case .list(let source): content = .list(count: try source.count(in: tables) ?? 0)
    case .backlinks(let source): content = .backlinks(try source.keys(in: tables) ?? [])
    case .results(let query): content = .results(try query.observedState(in: tables))
    case .refinement(let source):
      content = .refinement(try source.elements(in: tables) ?? .keys([]))
    case .object: content = .nothing
    }
    return ObservedState(tables: tables, content: content)
  }

  /// The state after `step`, and the change to report; nil if nothing happened that concerns the
  /// observer.
  package func advance(
    _ state: ObservedState, by step: VersionStep, filter: KeyPathFilter?
  ) throws(StorageError) -> (ObservedState, ObservedChange?) {
    let content: ObservedState.Content
    let change: ObservedChange?
    switch (self, state.content) {
    case (.list(let source), .list(let count)):
      let (newCount, found) = try source.advance(count, by: step, filter: filter)
      content = .list(count: newCount)
      change = found
    case (.backlinks(let source), .backlinks(let keys)):
      let (newKeys, found) = try source.advance(keys, by: step, filter: filter)
      content = .backlinks(newKeys)
      change = found
    case (.results(let query), .results(let old)):
      let (new, set) = try query.observedAdvance(old, by: step, filter: filter)
      content = .results(new)
      change = set.isEmpty ? nil : .collection(set)
    case (.refinement(let source), .refinement(let old)):
      let (new, found) = try source.advance(old, by: step, filter: filter)
      content = .refinement(new)
      change = found
    case (.object(let source), _):
      content = .nothing
      change = try source.change(by: step, filter: filter)
    default: preconditionFailure("a state was kept for another kind of source")
    }
    return (ObservedState(tables: step.new, content: content), change)
  }

  /// The table of the objects that key paths start from; nil for scalars.
  package var elementTable: TableKey? {
    switch self {
    case .results(let query): query.table
    case .backlinks(let source): source.origin
    case .list(let source): source.column.type == .link ? source.column.targetTable : nil
    case .refinement(let source): source.elementTable
    case .object(let source): source.table
    }
  }
}
