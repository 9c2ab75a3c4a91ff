// SPDX-License-Identifier: Apache-2.0

// The column behind a search index, as the index reads it.

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
    guard let row = try tree.row(of: key) else {
      throw .corrupted("an index names \(key), which does not exist")
    }
    return try row.mixedValue(of: column)
  }
}

extension Row {
  /// The value of a column of single values in the form in which indexes compare it; views in it
  /// are valid as `stringBytes(_:)` says.
  package func mixedValue(of column: Column) throws(StorageError) -> MixedValue {
    let leaf = column.leafIndex
    switch column.leafKind {
    case .int: return .int(try int(leaf))
    case .nullableInt: return try optionalInt(leaf).map { .int($0) } ?? .null
    case .bool: return try optionalBool(leaf).map { .bool($0) } ?? .null
    case .float: return try optionalFloat(leaf).map { .float($0) } ?? .null
    case .double: return try optionalDouble(leaf).map { .double($0) } ?? .null
    case .string, .enumeratedString: return try stringBytes(leaf).map { .string($0) } ?? .null
    case .binary: return try binary(leaf).map { .binary($0) } ?? .null
    case .timestamp: return try timestamp(leaf).map { .timestamp($0) } ?? .null
    case .decimal: return try decimal(leaf).map { .decimal($0) } ?? .null
    case .objectId: return try objectId(leaf).map { .objectId($0) } ?? .null
    case .uuid: return try uuid(leaf).map { .uuid($0) } ?? .null
    case .mixed: return try mixed(leaf)
    case .link, .typedLink, .backlink, .collection:
      throw .corrupted("a column of links or collections has no value to compare")
    }
  }
}
