// SPDX-License-Identifier: Apache-2.0

// The values of an indexed column, as its search index reads them.

package import RealmStorage

/// The values of one column of a table in its present state.
package struct ColumnValues: IndexedValues {
  private let tree: ClusterTree
  private let column: Column

  package init(_ column: Column, in tree: ClusterTree) {
    self.tree = tree
    self.column = column
  }

  package func indexedValue(of key: ObjectKey) throws(StorageError) -> MixedValue {
    try row(of: key).mixedValue(of: column)
  }

  /// The object `key`, which the index says exists.
  fileprivate func row(of key: ObjectKey) throws(StorageError) -> Row {
    guard let row = try tree.row(of: key) else {
      throw .corrupted("an index names \(key), which does not exist")
    }
    return row
  }

  fileprivate func value(of row: Row) throws(StorageError) -> MixedValue {
    try row.mixedValue(of: column)
  }
}

extension SearchIndex where Values == ColumnValues {
  /// The object with that value that has the smallest key, and where it is; nil if there is none.
  ///
  /// The row that is read to compare the value is the one that is returned.
  ///
  /// - Complexity: O(log n), one read of the column.
  package func findRow(_ value: MixedValue) throws(StorageError) -> (key: ObjectKey, row: Row)? {
    switch try entry(for: IndexData(value)) {
    case nil, .subindex: return nil
    case .object(let key):
      let row = try values.row(of: key)
      return try values.value(of: row).isEqual(to: value) ? (key, row) : nil
    case .list(let ref):
      guard let key = try first(of: value, in: ref) else { return nil }
      return (key, try values.row(of: key))
    }
  }
}

extension Row {
  /// The value of a column of single values in the form in which indexes compare it; views in it
  /// are valid as `stringBytes(_:)` says.
  package func mixedValue(of column: Column) throws(StorageError) -> MixedValue {
    switch column.leafKind {
    case .int: return .int(try int(column.leafIndex))
    case .string, .enumeratedString:
      return try stringBytes(column.leafIndex).map { .string($0) } ?? .null
    case .link, .typedLink, .backlink, .collection:
      throw .corrupted("a column of links or collections has no value to compare")
    default:
      return try column.visitElements(MixedCellVisitor(row: self, leafIndex: column.leafIndex))
    }
  }
}

private struct MixedCellVisitor: ElementVisitor {
  let row: Row
  let leafIndex: Int

  @inline(__always)
  func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) -> MixedValue {
    let leaf = try row.cluster.ref(at: leafIndex &+ 1)
    return C.mixed(try C.L.value(at: row.index, of: leaf, in: row.space), target: .null)
  }
}
