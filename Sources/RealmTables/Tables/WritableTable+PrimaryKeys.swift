// SPDX-License-Identifier: Apache-2.0

// Finding objects by primary key while a transaction creates others.

package import RealmStorage

extension WritableTable {
  /// The object with that primary key, and where it is.
  package func findRow(
    primaryKey value: TableValue
  ) throws(StorageError) -> (key: ObjectKey, row: Row)? {
    if case .int(let number) = value { return try findRow(primaryKey: number) }
    return try currentTable.findRow(primaryKey: value)
  }

  /// The object with that string as its primary key, and where it is.
  package func findRow(
    primaryKey text: String
  ) throws(StorageError) -> (key: ObjectKey, row: Row)? {
    try currentTable.findRow(primaryKey: text)
  }

  /// The object with that integer as its primary key, and where it is.
  package func findRow(
    primaryKey value: Int64
  ) throws(StorageError) -> (key: ObjectKey, row: Row)? {
    guard unsafe keyBound.mayHold(value) else { return nil }
    // A value that is not among the new keys is found, or missed, in the index as it is.
    if unsafe newKeys.contains(value) { try indexes.enterNewKeys() }
    if let found = try currentTable.findRow(primaryKey: value) { return found }
    try noteMissingKey()
    return nil
  }

  /// Finds the bound of the keys after many look-ups of keys that are new.
  @inline(never)
  private func noteMissingKey() throws(StorageError) {
    // The keys of tombstones are not in the index, and come back without `newKeys`.
    guard let leafIndex = unsafe schema.integerKeyLeaf, unsafe tombstoneTree == nil,
      unsafe keyBound.noteMiss(amongObjects: try objectCount())
    else { return }
    var highest = Int64.min
    var cursor = ClusterCursor(tree)
    while let cluster = try cursor.next() {
      let leaf = try cluster.scannedLeaf(leafIndex)
      guard leaf.count == cluster.count, leaf.header.layout == .bits else {
        throw .corrupted(unsafe "the primary keys of table '\(schema.name)' are malformed")
      }
      for index in 0..<leaf.count { highest = max(highest, leaf.uncheckedInteger(at: index)) }
    }
    unsafe keyBound.set(highest)
  }

  /// The object with that primary key; created, beginning with `values`, if there is none.
  package func findOrCreate(
    primaryKey value: TableValue, beginningWith values: (any InitialValues)? = nil
  ) throws(StorageError) -> (key: ObjectKey, row: Row, isNew: Bool) {
    if case .int(let number) = value {
      return try findOrCreate(primaryKey: number, beginningWith: values)
    }
    if let (key, row) = try findRow(primaryKey: value) { return (key, row, false) }
    let (key, row) = try createObject(primaryKey: value, beginningWith: values)
    return (key, row, true)
  }

  /// The object with that integer as its primary key; created, beginning with `values`, if there is
  /// none.
  package func findOrCreate(
    primaryKey value: Int64, beginningWith values: (any InitialValues)? = nil
  ) throws(StorageError) -> (key: ObjectKey, row: Row, isNew: Bool) {
    if let (key, row) = try findRow(primaryKey: value) { return (key, row, false) }
    let (key, row) = try createObject(primaryKey: value, beginningWith: values)
    return (key, row, true)
  }
}
