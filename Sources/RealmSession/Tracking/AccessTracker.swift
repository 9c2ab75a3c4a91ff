// SPDX-License-Identifier: Apache-2.0

// The accesses of code inside `withObservationTracking` in one session, and the detection of
// changes to what was accessed.
//
// Invariants:
// 1. Everything here runs in the session's confinement. Code of the program is called last, after
//    the state here is complete.
// 2. Tracking is for one change: an access that was notified is removed.
// 3. `base` is the version of all tracked accesses, or an older one without a tracked change since;
//    it is pinned only while something is tracked.

import RealmQuery
package import RealmTables

/// The tracked accesses of one session.
package final class AccessTracker {
  private struct TrackedCollection {
    /// The footprint of the query of results; nil for other collections.
    let footprint: QueryFootprint?
    let access: TrackedAccess
  }

  /// Tracked properties by table, object and column.
  private var properties: [TableKey: [ObjectKey: [ColumnKey: TrackedAccess]]] = [:]
  private var collections: [Locator: TrackedCollection] = [:]
  private var base: TableGroup?

  /// A pseudo-column that represents the existence of an object.
  package static let existence = ColumnKey(-1)

  // MARK: - Accesses

  /// Records that a property of an object was read.
  package func noteProperty(
    _ column: ColumnKey, of object: ObjectKey, in table: TableKey, at shown: TableGroup?
  ) {
    if base == nil { base = shown }
    let known = properties[table]?[object]?[column]
    let access = known ?? TrackedAccess()
    if known == nil { properties[table, default: [:]][object, default: [:]][column] = access }
    access.note()
  }

  /// Records that the elements of a collection were read.
  package func noteElements(of source: Locator, at shown: TableGroup) {
    if case .list(let list) = source {
      return noteProperty(list.column.key, of: list.object, in: list.table, at: shown)
    }
    if base == nil { base = shown }
    if let known = collections[source] { return known.access.note() }
    // A query that does not fit the schema traps when it is evaluated.
    let footprint = source.elementQuery.flatMap { try? QueryFootprint($0, in: shown) }
    let access = TrackedAccess()
    collections[source] = TrackedCollection(footprint: footprint, access: access)
    access.note()
  }

  // MARK: - Changes

  /// Notifies the accesses with changes up to the session's present version.
  func notify(_ shown: TableGroup?) {
    guard let base, let shown else { return }
    guard base.version < shown.version else { return }
    guard let step = try? VersionStep(from: base, to: shown), !step.changes.schemaChanged else {
      return notifyAll()
    }
    let due = takeChanged(by: step)
    self.base = properties.isEmpty && collections.isEmpty ? nil : shown
    for access in due { access.notify() }
  }

  /// Notifies and removes all tracked accesses.
  func notifyAll() {
    let due =
      properties.values.flatMap { $0.values.flatMap(\.values) }
      + collections.values.map(\.access)
    properties = [:]
    collections = [:]
    base = nil
    for access in due { access.notify() }
  }

  private func takeChanged(by step: VersionStep) -> [TrackedAccess] {
    var due: [TrackedAccess] = []
    for (table, objects) in properties {
      guard let changes = step.changes[table] else { continue }
      for object in objects.keys {
        if changes.deleted.contains(object) {
          due += objects[object].map { Array($0.values) } ?? []
          properties[table]?[object] = nil
        } else if changes.modifications[object] != nil {
          for column in changes.modifiedColumns(of: object) {
            guard let access = properties[table]?[object]?.removeValue(forKey: column) else {
              continue
            }
            due.append(access)
          }
          if properties[table]?[object]?.isEmpty == true { properties[table]?[object] = nil }
        }
      }
      if properties[table]?.isEmpty == true { properties[table] = nil }
    }
    for (source, tracked) in collections {
      guard AccessTracker.mayChange(source, tracked.footprint, by: step) else { continue }
      collections[source] = nil
      due.append(tracked.access)
    }
    return due
  }

  /// Whether a step may have inserted elements into a collection, removed or moved them.
  private static func mayChange(
    _ source: Locator, _ footprint: QueryFootprint?, by step: VersionStep
  ) -> Bool {
    switch source {
    case .results(let query): return footprint?.mayMove(by: step.changes, query.table) ?? true
    case .backlinks(let source): return mayChange(source, by: step)
    case .refinement(let source):
      if let footprint, let table = source.elementTable,
        footprint.mayMove(by: step.changes, table)
      {
        return true
      }
      switch source.base {
      case .backlinks(let source): return mayChange(source, by: step)
      case .list(let source): return step.changes[source.table]?.concerns(source) == true
      }
    case .list, .object: return true
    }
  }

  private static func mayChange(_ source: BacklinksLocator, by step: VersionStep) -> Bool {
    step.changes.hasChanges(of: source.origin)
      || step.changes[source.target]?.deleted.contains(source.object) == true
  }
}

extension QueryFootprint {
  fileprivate func mayMove(by changes: VersionChanges, _ table: TableKey) -> Bool {
    mayMove(by: changes, own: changes[table] ?? TableChanges(table: table))
  }
}

extension TableChanges {
  /// Whether a list was edited or its object deleted.
  fileprivate func concerns(_ list: ListLocator) -> Bool {
    deleted.contains(list.object) || isModified(list.object, list.column.key)
  }
}

extension Locator {
  /// The query behind the elements; nil where there is none.
  fileprivate var elementQuery: TableQuery? {
    switch self {
    case .results(let query): query
    case .refinement(let source):
      source.elementTable.map { _ in source.query }
    case .list, .backlinks, .object: nil
    }
  }
}
