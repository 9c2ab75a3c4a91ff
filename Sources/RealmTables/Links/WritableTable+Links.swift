// SPDX-License-Identifier: Apache-2.0

// Assigning single links and mixed values.

package import RealmStorage

extension WritableTable {
  /// Assigns a link to an object of the column's target table.
  ///
  /// An embedded object that was linked before is deleted.
  package func setLink(
    _ target: ObjectKey?, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    guard let row = try row(of: key) else { throw unsafe .missing(key, schema.name) }
    guard let table = column.targetTable else { throw .corrupted("a link column has no target") }
    let old = try row.storedLink(column.leafIndex)
    if let target {
      let targetTable = try group.requiredTable(table)
      guard try targetTable.tombstones.canBeLinked(target) else {
        throw unsafe .missing(target, targetTable.schema.name)
      }
    }
    if target ?? .null != old {
      try links.store(target, column, key)
      if let target {
        try links.addBacklink(to: StoredLink(table: table, key: target), column, key)
      }
      if !old.isNull { try links.drop(StoredLink(table: table, key: old), column, key) }
    }
    log.set(column.key, of: key, in: self.key, isDefault: isDefault)
    if isRecorded {
      try recording.setLink(target, column, key, replacing: old, isDefault: isDefault)
    }
  }

  /// Creates an embedded object as the value of a single link; the one before is deleted.
  package func createEmbedded(
    _ column: Column, of key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) -> (key: ObjectKey, row: Row) {
    guard let table = column.targetTable, column.collection == .none else {
      throw .corrupted("a link column has no target")
    }
    let target = try group.requiredTable(table)
    let (object, _) = try target.createObject()
    try setLink(object, column, key, isDefault: isDefault)
    guard let row = try target.row(of: object) else {
      throw unsafe .missing(object, target.schema.name)
    }
    return (object, row)
  }

  /// Assigns a mixed value; a collection that it was before goes with all that it holds.
  package func setMixed(
    _ value: TableValue, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    guard let row = try row(of: key) else { throw unsafe .missing(key, schema.name) }
    var old: [StoredLink] = []
    try row.forEachLink(in: column) { old.append($0) }
    let full = isRecorded ? try row.mixed(column.leafIndex).fullKind(in: allocator.space) : nil
    try checkElement(value, of: column)
    try MixedCodec.encode(value, in: allocator) { (element) throws(StorageError) in
      try assign(MixedLeaf.self, element, column, key, isDefault)
    }
    try links.addBacklinks(of: value, column, key)
    if isRecorded {
      try recording.setMixed(
        value, column, key, replacing: full, isDefault: unsafe isDefault || log.storesDefaults)
    }
    for link in old { try links.drop(link, column, key) }
  }
}
