// SPDX-License-Identifier: Apache-2.0

// The objects that link to an object, observed.

import RealmQuery
import RealmStorage
import RealmTables

/// Which backlinks are observed: those of an object, through one column of another table.
struct ObservedBacklinks: Sendable {
  let target: TableKey
  let object: ObjectKey
  let origin: TableKey
  let link: ColumnKey

  /// The objects that link, one for each link; nil if the object is gone.
  func keys(in tables: TableGroup) throws(StorageError) -> [ObjectKey]? {
    guard let table = try tables.table(target), let row = try table.row(of: object) else {
      return nil
    }
    guard let column = table.schema.backlinkColumn(from: origin, link) else { return [] }
    return try row.backlinks(of: column)
  }

  /// The new keys, and what happened to `old`.
  func advance(
    _ old: [ObjectKey], by step: VersionStep, filter: KeyPathFilter?
  ) throws(StorageError) -> ([ObjectKey], ObservedChange?) {
    if try step.leavesAlone(origin) { return (old, nil) }
    let isGone = step.changes[target]?.deleted.contains(object) == true
    guard !isGone, let new = try keys(in: step.new) else {
      return ([], .collectionDeleted(ResultChanges(deletions: Array(old.indices))))
    }
    let modified = try step.modified(in: origin, filter: filter)
    let inserted = step.changes[origin]?.inserted
    let set = ResultChanges(
      from: old, to: new, isModified: modified.contains,
      isReplaced: { inserted?.contains($0) ?? false })
    return (new, set.isEmpty ? nil : .collection(set))
  }
}
