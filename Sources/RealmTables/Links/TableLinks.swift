// SPDX-License-Identifier: Apache-2.0

// The links between objects, and the backlinks that follow each of them (file format 3.5).

import RealmStorage

extension WritableTable {
  /// The links of the table's objects.
  @inline(__always)
  var links: TableLinks { TableLinks(table: self) }
}

/// Keeps the backlinks of a table in step with its links, and takes objects out of both.
struct TableLinks {
  let table: WritableTable

  private var group: WriteGroup { table.group }
  private var schema: TableSchema { unsafe table.schema }

  // MARK: Single links

  /// Stores a link without touching backlinks or the log.
  func store(_ target: ObjectKey?, _ column: Column, _ key: ObjectKey) throws(StorageError) {
    let leaf = try table.openLeaf(column.leafIndex, of: key)
    leaf.replace(
      by: try LinkLeaf.set(target?.rawValue, at: leaf.index, in: leaf.ref, table.allocator))
  }

  // MARK: Backlinks

  /// Enters this table's object `origin` in the backlinks of the object it links to through
  /// `column`.
  func addBacklink(
    to link: StoredLink, _ column: Column, _ origin: ObjectKey
  ) throws(StorageError) {
    let target = try group.requiredTable(link.table)
    let backlink = try backlinkColumn(in: target, of: column)
    let leaf = try target.openLeaf(backlink.leafIndex, of: link.key)
    leaf.replace(
      by: try BacklinkLeaf.add(origin.rawValue, at: leaf.index, in: leaf.ref, table.allocator))
  }

  /// Enters the backlinks of all links in a value.
  func addBacklinks(
    of value: TableValue, _ column: Column, _ origin: ObjectKey
  ) throws(StorageError) {
    try column.forEachLink(in: value) { (link) throws(StorageError) in
      try addBacklink(to: link, column, origin)
    }
  }

  /// Takes one entry for `origin` out of the backlinks of the object that it linked to.
  ///
  /// Of mixed columns the entry may be missing: other writers are known to leave the two out of
  /// step.
  private func removeBacklink(
    to link: StoredLink, _ column: Column, _ origin: ObjectKey
  ) throws(StorageError) {
    guard let target = try group.table(link.table),
      let backlink = unsafe target.schema.backlinkColumn(from: table.key, column.key),
      try target.place(of: link.key) != nil
    else { return }
    let leaf = try target.openLeaf(backlink.leafIndex, of: link.key)
    leaf.replace(
      by: try BacklinkLeaf.remove(origin.rawValue, at: leaf.index, in: leaf.ref, table.allocator))
  }

  /// Removes the backlink of a link that is gone, and what lived by the link alone: an embedded
  /// object, or a tombstone.
  func drop(_ link: StoredLink, _ column: Column, _ origin: ObjectKey) throws(StorageError) {
    try removeBacklink(to: link, column, origin)
    guard let target = try group.table(link.table) else { return }
    if link.key.isTombstone {
      try target.tombstones.removeIfUnlinked(link.key)
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
    if let backlink = unsafe target.schema.backlinkColumn(from: table.key, column.key) {
      return backlink
    }
    guard column.type != .link else {
      throw .corrupted("a link column has no backlink column in its target")
    }
    let added = try target.columns.addBacklinks(from: table.key, [column.key])[0]
    table.log.addLinkTarget(target.key, of: column.key, in: table.key)
    return try target.column(added)
  }

  /// Removes the backlinks of all links that leave an object.
  ///
  /// - Returns: the embedded objects it owned.
  func removeOutgoing(of key: ObjectKey) throws(StorageError) -> [StoredLink] {
    var owned: [StoredLink] = []
    for column in schema.columns where column.canLink {
      guard let row = try table.row(of: key) else { return owned }
      var links: [StoredLink] = []
      try row.forEachLink(in: column) { links.append($0) }
      for link in links {
        try removeBacklink(to: link, column, key)
        guard let target = try group.table(link.table) else { continue }
        if link.key.isTombstone {
          try target.tombstones.removeIfUnlinked(link.key)
        } else if unsafe target.schema.kind == .embedded, column.type == .link {
          owned.append(link)
        }
      }
    }
    return owned
  }

  /// Deletes the embedded objects that a column of this table links to.
  func deleteEmbedded(ownedThrough column: Column) throws(StorageError) {
    guard let targetKey = column.targetTable else { return }
    var owned: [ObjectKey] = []
    var cursor = table.currentTable.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        try cluster.row(at: index).forEachLink(in: column) { owned.append($0.key) }
      }
    }
    let target = try group.requiredTable(targetKey)
    for object in owned where try target.row(of: object) != nil { try target.delete(object) }
  }

  // MARK: Objects that links lead to

  /// The change of a link whose target is deleted or gets another key.
  enum Change {
    /// The link becomes null; in lists and sets of links, and in sets, the element is erased.
    case remove
    /// The link leads to another object of the same table.
    case redirect(to: ObjectKey)
  }

  /// Removes all links to the object `target`, which is about to be deleted, or redirects them.
  ///
  /// The object's own backlinks stay as they are: they go with it.
  func changeIncoming(to target: ObjectKey, _ row: Row, _ change: Change) throws(StorageError) {
    var origins: [(backlink: Column, keys: [ObjectKey])] = []
    for backlink in schema.backlinkColumns {
      let keys = try row.backlinks(of: backlink)
      if !keys.isEmpty { origins.append((backlink, keys)) }
    }
    let link = StoredLink(table: table.key, key: target)
    for (backlink, keys) in origins {
      guard let originKey = backlink.targetTable, let opposite = backlink.oppositeColumn else {
        throw .corrupted("a backlink column of table '\(schema.name)' has no origin")
      }
      let origin = try group.requiredTable(originKey)
      let column = try origin.column(opposite)
      for object in Set(keys).sorted() where try origin.row(of: object) != nil {
        let editor = IncomingLinkEditor(
          table: origin, column: column, object: object, link: link, change: change)
        try editor.run()
      }
    }
  }
}
