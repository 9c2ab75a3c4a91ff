// SPDX-License-Identifier: Apache-2.0

// The backlinks that follow every link (file format 3.5).

import RealmStorage

extension WritableTable {
  /// Enters this table's object `origin` in the backlinks of the object it links to through
  /// `column`.
  func addBacklink(
    to link: StoredLink, _ column: Column, _ origin: ObjectKey
  ) throws(StorageError) {
    let target = try group.requiredTable(link.table)
    let backlink = try backlinkColumn(in: target, of: column)
    try target.editLeaf(backlink.leafIndex, of: link.key) {
      (ref, index) throws(StorageError) -> Ref in
      try BacklinkLeaf.add(origin.rawValue, at: index, in: ref, allocator)
    }
  }

  /// Takes one entry for `origin` out of the backlinks of the object that it linked to.
  ///
  /// Of mixed columns the entry may be missing: other writers are known to leave the two out of
  /// step.
  func removeBacklink(
    to link: StoredLink, _ column: Column, _ origin: ObjectKey
  ) throws(StorageError) {
    guard let target = try group.table(link.table),
      let backlink = unsafe target.schema.backlinkColumn(from: key, column.key),
      try target.place(of: link.key) != nil
    else { return }
    try target.editLeaf(backlink.leafIndex, of: link.key) {
      (ref, index) throws(StorageError) -> Ref in
      try BacklinkLeaf.remove(origin.rawValue, at: index, in: ref, allocator)
    }
  }

  /// Removes the backlink of a link that is gone, and what lived by the link alone: an embedded
  /// object, or a tombstone.
  func dropLink(
    to link: StoredLink, _ column: Column, _ origin: ObjectKey
  ) throws(StorageError) {
    try removeBacklink(to: link, column, origin)
    guard let target = try group.table(link.table) else { return }
    if link.key.isTombstone {
      try target.removeTombstoneIfUnlinked(link.key)
    } else if unsafe target.schema.kind == .embedded, column.type == .link,
      try target.row(of: link.key) != nil
    {
      try group.prepareToDrop(link)
      try target.delete(link.key)
    }
  }

  /// The column of `target` for backlinks from `column`; mixed columns get theirs with the first
  /// link.
  private func backlinkColumn(
    in target: WritableTable, of column: Column
  ) throws(StorageError) -> Column {
    if let backlink = unsafe target.schema.backlinkColumn(from: key, column.key) { return backlink }
    guard column.type != .link else {
      throw .corrupted("a link column has no backlink column in its target")
    }
    let added = try target.addBacklinkColumns(from: key, [column.key])[0]
    log.addLinkTarget(target.key, of: column.key, in: key)
    return try target.column(added)
  }

  /// Removes the backlinks of all links that leave an object.
  ///
  /// - Returns: the embedded objects it owned.
  func removeOutgoingLinks(of key: ObjectKey) throws(StorageError) -> [StoredLink] {
    var owned: [StoredLink] = []
    for column in unsafe schema.columns where column.canLink {
      guard let row = try row(of: key) else { return owned }
      var links: [StoredLink] = []
      try row.forEachLink(in: column) { links.append($0) }
      for link in links {
        try removeBacklink(to: link, column, key)
        guard let target = try group.table(link.table) else { continue }
        if link.key.isTombstone {
          try target.removeTombstoneIfUnlinked(link.key)
        } else if unsafe target.schema.kind == .embedded, column.type == .link {
          owned.append(link)
        }
      }
    }
    return owned
  }

  /// Deletes the embedded objects that a column of this table links to.
  func deleteEmbedded(ownedThrough column: Column) throws(StorageError) {
    guard let table = column.targetTable else { return }
    var owned: [ObjectKey] = []
    try currentTable.forEachCluster { (cluster) throws(StorageError) -> Bool in
      for index in 0..<cluster.count {
        try cluster.row(at: index).forEachLink(in: column) { owned.append($0.key) }
      }
      return true
    }
    let target = try group.requiredTable(table)
    for object in owned where try target.row(of: object) != nil { try target.delete(object) }
  }
}
