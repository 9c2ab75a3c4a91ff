// SPDX-License-Identifier: Apache-2.0

// Finding objects of a table by value.

package import RealmStorage

extension Table {
  /// The index of a column of single values; nil if it has none.
  package func index(of column: Column) throws(StorageError) -> SearchIndex<ColumnValues>? {
    guard column.hasIndex, !column.isFullText, column.collection == .none else { return nil }
    let root = try indexRoot(column.leafIndex)
    guard !root.isNull else { return nil }
    return SearchIndex(root: root, space: space, values: ColumnValues(column, in: clusters))
  }

  /// The object with that primary key.
  package func find(primaryKey value: TableValue) throws(StorageError) -> ObjectKey? {
    switch value {
    case .int(let number): return try find(primaryKey: number)
    case .string(let text):
      return try text.withByteView { (view) throws(StorageError) in
        try find(mixed: .string(view))
      }
    case .objectId(let bytes): return try find(mixed: .objectId(bytes))
    case .uuid(let bytes): return try find(mixed: .uuid(bytes))
    case .null: return try find(mixed: .null)
    default: return nil
    }
  }

  /// The object with that integer as its primary key.
  package func find(primaryKey value: Int64) throws(StorageError) -> ObjectKey? {
    try find(mixed: .int(value))
  }

  /// The object with that primary key, and where it is.
  package func findRow(
    primaryKey value: TableValue
  ) throws(StorageError) -> (key: ObjectKey, row: Row)? {
    switch value {
    case .int(let number): return try findRow(primaryKey: number)
    case .string(let text): return try findRow(primaryKey: text)
    default:
      guard let key = try find(primaryKey: value), let row = try row(of: key) else { return nil }
      return (key, row)
    }
  }

  /// The object with that string as its primary key, and where it is.
  package func findRow(
    primaryKey text: String
  ) throws(StorageError) -> (key: ObjectKey, row: Row)? {
    try text.withByteView { (view) throws(StorageError) in
      if let leafIndex = schema.stringKeyLeaf,
        let answer = try soleRow(leafIndex, of: view, from: try indexRoot(leafIndex))
      {
        return answer
      }
      if let column = schema.primaryKey, let index = try index(of: column) {
        return try index.findRow(.string(view))
      }
      guard let key = try find(mixed: .string(view)), let row = try row(of: key) else { return nil }
      return (key, row)
    }
  }

  /// The object with that integer as its primary key, and where it is.
  ///
  /// The row that the index must read anyway is the one that is returned.
  package func findRow(
    primaryKey value: Int64
  ) throws(StorageError) -> (key: ObjectKey, row: Row)? {
    if let leafIndex = schema.integerKeyLeaf {
      let root = try indexRoot(leafIndex)
      if !root.isNull {
        switch try SearchIndexPath.entry(forInteger: value, from: root, in: space) {
        case .object(let key):
          let row = try indexedRow(of: key)
          return try row.int(leafIndex) == value ? (key, row) : nil
        case nil: return nil
        case .list, .subindex: break
        }
      }
    }
    guard let key = try find(primaryKey: value), let row = try row(of: key) else { return nil }
    return (key, row)
  }

  /// The object with the smallest key that has a string in an indexed column, and where it is.
  ///
  /// - Parameter position: The position of a column of strings that has an index.
  package func findRow(
    _ view: ByteView, inColumn position: Int
  ) throws(StorageError) -> (key: ObjectKey, row: Row)? {
    let leafIndex = schema.columns[position].leafIndex
    if let answer = try soleRow(leafIndex, of: view, from: try indexRoot(leafIndex)) {
      return answer
    }
    return try index(of: schema.columns[position])?.findRow(.string(view))
  }

  /// What an index of strings says, if that needs no list of objects: the one with the string, or
  /// that there is none.
  @inline(__always)
  private func soleRow(
    _ leafIndex: Int, of view: ByteView, from root: Ref
  ) throws(StorageError) -> (key: ObjectKey, row: Row)?? {
    if root.isNull { return .none }
    switch try SearchIndexPath.entry(forBytes: view, from: root, in: space) {
    case .object(let key):
      let row = try indexedRow(of: key)
      return .some(try row.stringBytes(leafIndex) == view ? (key, row) : nil)
    case nil: return .some(nil)
    case .list, .subindex: return .none
    }
  }

  /// The object `key`, which an index says exists.
  @inline(__always)
  private func indexedRow(of key: ObjectKey) throws(StorageError) -> Row {
    guard let row = try row(of: key) else {
      throw .corrupted("an index names \(key), which does not exist")
    }
    row.prefetchLeaves()
    return row
  }

  /// The object with that primary key.
  package func find(mixed value: MixedValue) throws(StorageError) -> ObjectKey? {
    guard let column = schema.primaryKey else { return nil }
    if let index = try index(of: column) { return try index.find(value) }
    // Primary keys always have an index; a file without one is searched through.
    var cursor = clusterCursor()
    while let cluster = try cursor.next() {
      for position in 0..<cluster.count
      where try cluster.row(at: position).mixedValue(of: column).isEqual(to: value) {
        return cluster.key(at: position)
      }
    }
    return nil
  }
}
