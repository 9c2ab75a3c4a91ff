// SPDX-License-Identifier: Apache-2.0

// Observed backlinks: the objects that link to an object through one column.

import RealmQuery
import RealmStorage
package import RealmTables

/// Identifies the observed backlinks: those of an object, through one column of another table.
package struct BacklinksLocator: Hashable, Sendable {
  package let target: TableKey
  package let object: ObjectKey
  package let origin: TableKey
  package let link: ColumnKey

  package init(target: TableKey, object: ObjectKey, origin: TableKey, link: ColumnKey) {
    self.target = target
    self.object = object
    self.origin = origin
    self.link = link
  }

  /// The keys of the linking objects, one for each link; nil if the object is gone.
  func keys(in tables: TableGroup) throws(StorageError) -> [ObjectKey]? {
    guard let table = try tables.table(target), let row = try table.row(of: object) else {
      return nil
    }
    guard let column = table.schema.backlinkColumn(from: origin, link) else { return [] }
    return try row.backlinks(of: column)
  }

  /// The new keys, and the change from `old`.
  func advance(
    _ old: [ObjectKey], by step: VersionStep, filter: KeyPathFilter?
  ) throws(StorageError) -> ([ObjectKey], ObservedChange?) {
    if try step.isUnaffected(origin) { return (old, nil) }
    let isGone = step.changes[target]?.deleted.contains(object) == true
    guard !isGone, let new = try keys(in: step.new) else {
      return ([], .collectionDeleted(ResultChanges(deletions: Array(old.indices))))
    }
    let modified = try step.modified(in: origin, filter: filter)
    if try !concerns(step, modified) { return (old, nil) }
    let inserted = step.changes[origin]?.inserted
    let set = ResultChanges(
      from: old, to: new, isModified: modified.contains,
      isReplaced: { inserted?.contains($0) ?? false })
    return (new, set.isEmpty ? nil : .collection(set))
  }

  /// Whether a step may have changed the collection. The links of up to 64 changed objects are
  /// followed, so that a long collection is read only for changes of its own elements.
  private func concerns(
    _ step: VersionStep, _ modified: Set<ObjectKey>
  ) throws(StorageError) -> Bool {
    let own = step.changes[origin]
    var new = modified
    var old: Set<ObjectKey> = []
    if let own {
      guard own.inserted.count + own.deleted.count + own.modifications.count <= 64 else {
        return true
      }
      new.formUnion(own.inserted.sorted())
      new.formUnion(own.modifications.keys)
      old.formUnion(own.deleted.sorted())
      old.formUnion(own.modifications.keys)
    }
    guard new.count <= 64, !step.changes.schemaChanged else { return true }
    if try links(new, in: step.new) { return true }
    return try links(old, in: step.old)
  }

  /// Whether one of `keys` links to the object.
  private func links(_ keys: Set<ObjectKey>, in tables: TableGroup) throws(StorageError) -> Bool {
    guard let table = try tables.table(origin), let column = table.schema.column(link) else {
      return true
    }
    for key in keys {
      guard let row = try table.row(of: key) else { continue }
      var isFound = false
      try row.forEachLink(in: column) { link in
        if link.table == target, link.key == object { isFound = true }
      }
      if isFound { return true }
    }
    return false
  }
}
