// SPDX-License-Identifier: Apache-2.0

// All objects of a class, observed: nothing is kept, as positions can be asked of both versions.

import RealmStorage
import RealmTables

/// All objects of one table, in the order of their keys.
struct ObservedTable: Sendable {
  let table: TableKey

  /// What happened to the objects. The cost is that of the changes, whatever the size of the table.
  func changes(
    by step: VersionStep, filter: KeyPathFilter?
  ) throws(StorageError) -> CollectionChangeSet {
    var set = CollectionChangeSet()
    if let changes = step.changes[table] {
      set.deletions = try positions(of: changes.deleted.sorted(), in: step.old)
      set.insertions = try positions(of: changes.inserted.sorted(), in: step.new)
    }
    if try step.modifications.mayTouch(table, filter: filter) {
      let changes = step.changes[table]
      let modified = try step.modifications.keys(in: table, filter: filter).filter {
        // The key of a new object may be that of one that is gone.
        changes?.inserted.contains($0) != true
      }
      set.modifications = try positions(of: modified.sorted(), in: step.old)
    }
    return set
  }

  /// The positions of ascending keys, which are ascending.
  private func positions(
    of keys: [ObjectKey], in tables: TableGroup
  ) throws(StorageError) -> [Int] {
    guard !keys.isEmpty, let table = try tables.table(table) else { return [] }
    var positions: [Int] = []
    positions.reserveCapacity(keys.count)
    for key in keys {
      if let position = try table.position(of: key) { positions.append(position) }
    }
    return positions
  }
}
