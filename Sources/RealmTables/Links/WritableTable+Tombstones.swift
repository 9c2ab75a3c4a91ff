// SPDX-License-Identifier: Apache-2.0

// Objects that other devices deleted while links to them remain (file format, part 3, section 7).

import RealmStorage

extension WritableTable {
  /// Lets an object that was created under the primary key of a tombstone take over its links.
  func resurrect(_ primaryKey: TableValue, as key: ObjectKey) throws(StorageError) {
    guard let tombstone = try tombstonesByKey()[primaryKey],
      let row = try currentTable.tombstones?.row(of: tombstone)
    else { return }
    try changeIncomingLinks(to: tombstone, row, .redirect(to: key))
    try eraseTombstone(tombstone)
  }

  /// Erases a tombstone that nothing links to any more.
  func removeTombstoneIfUnlinked(_ key: ObjectKey) throws(StorageError) {
    guard let row = try currentTable.tombstones?.row(of: key) else { return }
    for column in schema.backlinkColumns where try row.backlinkCount(of: column) > 0 { return }
    try eraseTombstone(key)
  }

  private func eraseTombstone(_ key: ObjectKey) throws(StorageError) {
    isChanged = true
    _ = try tombstones?.erase(key)
    if let known = tombstonesByPrimaryKey?.first(where: { $0.value == key }) {
      tombstonesByPrimaryKey?[known.key] = nil
    }
  }

  /// Tombstone keys are hashes of the primary key; the column has the value itself.
  private func tombstonesByKey() throws(StorageError) -> [TableValue: ObjectKey] {
    if let known = tombstonesByPrimaryKey { return known }
    var all: [TableValue: ObjectKey] = [:]
    if let column = schema.primaryKey, let tree = currentTable.tombstones {
      try tree.forEachCluster { (cluster) throws(StorageError) -> Bool in
        for index in 0..<cluster.count {
          all[try cluster.row(at: index).value(of: column)] = cluster.key(at: index)
        }
        return true
      }
    }
    tombstonesByPrimaryKey = all
    return all
  }
}
