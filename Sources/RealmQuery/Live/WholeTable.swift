// SPDX-License-Identifier: Apache-2.0

// All objects of a table, in the order of their keys: nothing to remember, positions are in the
// tree.

import RealmStorage
import RealmTables

/// A step of a result without predicate and order.
struct WholeTable {
  let old: Table
  let new: Table
  let step: ResultStep

  func advance(_ count: Int) throws(StorageError) -> (ResultState, ResultChanges) {
    assert(old.key == new.key, "a step from one table to another")
    let own = step.changes[old.key]
    var changes = ResultChanges()
    if let own {
      changes.deletions = try WholeTable.positions(of: own.deleted.sorted(), in: old)
      changes.insertions = try WholeTable.positions(of: own.inserted.sorted(), in: new)
    }
    changes.modifications = try WholeTable.positions(of: step.modified.sorted(), in: old)
    let newCount = try new.objectCount()
    return (ResultState(content: .all(count: newCount)), changes)
  }

  /// The positions of the objects that exist, ascending as the keys are.
  static func positions(of keys: [ObjectKey], in table: Table) throws(StorageError) -> [Int] {
    var positions: [Int] = []
    positions.reserveCapacity(keys.count)
    // One descent for each key costs about as much as passing over thirty clusters.
    let clusterCount = try table.objectCount() / 256
    if keys.count * 32 < clusterCount || keys.count < 8 {
      for key in keys {
        if let position = try table.position(of: key) { positions.append(position) }
      }
      return positions
    }
    var start = 0
    var next = 0
    var cursor = table.clusterCursor()
    while next < keys.count, let cluster = try cursor.next() {
      let last = cluster.key(at: cluster.count - 1)
      while next < keys.count, keys[next] <= last {
        if let index = cluster.index(of: keys[next]) { positions.append(start + index) }
        next += 1
      }
      start += cluster.count
    }
    return positions
  }
}
