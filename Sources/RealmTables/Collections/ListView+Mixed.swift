// SPDX-License-Identifier: Apache-2.0

// Elements of lists and sets in the form in which values are compared.

package import RealmStorage

extension ListView {
  /// Element `index` as a value; views in it are valid as `Row.stringBytes(_:)` says.
  package func mixedValue(at index: Int) throws(StorageError) -> MixedValue {
    try mixedValue(atStored: try storedIndex(index))
  }

  /// The element that is stored at `stored`, hidden ones included.
  func mixedValue(atStored stored: Int) throws(StorageError) -> MixedValue {
    switch column.type {
    case .int where column.isNullable:
      return try BTree<NullableIntegerLeaf>.value(at: stored, of: root, in: space)
        .map { .int($0) } ?? .null
    case .int: return .int(try BTree<IntegerLeaf>.value(at: stored, of: root, in: space))
    case .bool:
      return try BTree<BoolLeaf>.value(at: stored, of: root, in: space).map { .bool($0) } ?? .null
    case .float:
      return try BTree<FloatLeaf>.value(at: stored, of: root, in: space).map { .float($0) } ?? .null
    case .double:
      return try BTree<DoubleLeaf>.value(at: stored, of: root, in: space)
        .map { .double($0) } ?? .null
    case .string:
      return try BTree<StringLeaf>.value(at: stored, of: root, in: space)
        .map { .string($0) } ?? .null
    case .binary:
      return try BTree<BinaryLeaf>.value(at: stored, of: root, in: space)
        .map { .binary($0) } ?? .null
    case .timestamp:
      return try BTree<TimestampLeaf>.value(at: stored, of: root, in: space)
        .map { .timestamp($0) } ?? .null
    case .decimal:
      return try BTree<DecimalLeaf>.value(at: stored, of: root, in: space)
        .map { .decimal($0) } ?? .null
    case .objectId:
      return try BTree<ObjectIdLeaf>.value(at: stored, of: root, in: space)
        .map { .objectId($0) } ?? .null
    case .uuid:
      return try BTree<UUIDLeaf>.value(at: stored, of: root, in: space).map { .uuid($0) } ?? .null
    case .mixed: return try BTree<MixedLeaf>.value(at: stored, of: root, in: space)
    case .link:
      guard let table = column.targetTable else { return .null }
      let key = try BTree<IntegerLeaf>.value(at: stored, of: root, in: space)
      return .typedLink(table: Int64(table.rawValue), key: key)
    case .typedLink, .backlink:
      throw .corrupted("a collection cannot hold elements of type \(column.type)")
    }
  }
}
