// SPDX-License-Identifier: Apache-2.0

// The objects that link to an object, observed.

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
    let isTouched = try step.modifications.mayTouch(origin, filter: filter)
    guard isTouched || step.changes[target] != nil else { return (old, nil) }
    let isGone = step.changes[target]?.deleted.contains(object) == true
    guard !isGone, let new = try keys(in: step.new) else {
      return ([], .collectionDeleted(CollectionChangeSet(deletions: Array(old.indices))))
    }
    let modified = isTouched ? try step.modifications.keys(in: origin, filter: filter) : []
    let set = KeySequenceDifference.changes(from: old, to: new, modified: modified)
    return (new, set.isEmpty ? nil : .collection(set))
  }
}
