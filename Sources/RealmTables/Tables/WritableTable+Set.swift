// SPDX-License-Identifier: Apache-2.0

// Assigning properties.

package import RealmStorage

extension WritableTable {
  // MARK: Any value

  /// Assigns a property of any type that is no collection, or all of a collection.
  ///
  /// - Throws: `StorageError.limitExceeded` for a value of another type.
  package func set(
    _ value: TableValue, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    switch (column.collection, column.type) {
    case (.list, _):
      guard case .list(let values) = value else { throw .typeMismatch(value) }
      try list(column, key).replaceAll(with: values)
    case (.set, _):
      guard case .list(let values) = value else { throw .typeMismatch(value) }
      try set(column, key).replaceAll(with: values)
    case (.dictionary, _):
      guard case .dictionary(let entries) = value else { throw .typeMismatch(value) }
      try dictionary(column, key).replaceAll(with: entries)
    case (.none, .link):
      switch value {
      case .link(let target): try setLink(target, column, key, isDefault: isDefault)
      case .null: try setLink(nil, column, key, isDefault: isDefault)
      default: throw .typeMismatch(value)
      }
    case (.none, .mixed): try setMixed(value, column, key, isDefault: isDefault)
    case (.none, .typedLink), (.none, .backlink): throw .typeMismatch(value)
    case (.none, _):
      if value.isNull, !column.isNullable { throw .typeMismatch(value) }
      let visitor = SetVisitor(
        table: self, value: value, column: column, key: key, isDefault: isDefault)
      try column.visitElements(visitor)
    }
  }

  // MARK: Typed

  /// Assigns a property of type Int that is not optional.
  package func setInt(
    _ value: Int64, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    try assign(IntegerLeaf.self, value, column, key, isDefault)
  }

  /// Assigns an optional property of type Int.
  package func setOptionalInt(
    _ value: Int64?, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    try assign(NullableIntegerLeaf.self, value, column, key, isDefault)
  }

  /// Assigns a property of type Bool; nil only if it is optional.
  package func setBool(
    _ value: Bool?, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    try assign(BoolLeaf.self, value, column, key, isDefault)
  }

  /// Assigns a property of type Float; nil only if it is optional.
  package func setFloat(
    _ value: Float?, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    try assign(FloatLeaf.self, value, column, key, isDefault)
  }

  /// Assigns a property of type Double; nil only if it is optional.
  package func setDouble(
    _ value: Double?, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    try assign(DoubleLeaf.self, value, column, key, isDefault)
  }

  /// Assigns a property of type String; nil only if it is optional.
  package func setString(
    _ value: ByteView?, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    if column.isEnumerated { try expandEnumeration(of: column) }
    try assign(StringLeaf.self, value, column, key, isDefault)
  }

  /// Assigns a property of type String; nil only if it is optional.
  package func setString(
    _ value: String?, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    guard let value else { return try setString(ByteView?.none, column, key, isDefault: isDefault) }
    try value.withByteView { (view) throws(StorageError) in
      try setString(view, column, key, isDefault: isDefault)
    }
  }

  /// Assigns a property of type Data; nil only if it is optional.
  package func setBinary(
    _ value: ByteView?, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    try assign(BinaryLeaf.self, value, column, key, isDefault)
  }

  /// Assigns a property of type Date; nil only if it is optional.
  package func setTimestamp(
    _ value: Timestamp?, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    try assign(TimestampLeaf.self, value, column, key, isDefault)
  }

  /// Assigns a property of type Decimal128; nil only if it is optional.
  package func setDecimal(
    _ value: DecimalBits?, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    try assign(DecimalLeaf.self, value, column, key, isDefault)
  }

  /// Assigns a property of type ObjectId; nil only if it is optional.
  package func setObjectId(
    _ value: Bytes12?, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    try assign(ObjectIdLeaf.self, value, column, key, isDefault)
  }

  /// Assigns a property of type UUID; nil only if it is optional.
  package func setUUID(
    _ value: Bytes16?, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    try assign(UUIDLeaf.self, value, column, key, isDefault)
  }

  /// Stores a value that is neither a link nor holds one.
  @inline(__always)
  func assign<L: Leaf>(
    _ leaf: L.Type, _ value: L.Value, _ column: Column, _ key: ObjectKey, _ isDefault: Bool
  ) throws(StorageError) {
    let isIndexed = column.hasIndex && (key != unindexed || column.isPrimaryKey)
    if isIndexed { try removeFromIndex(column, key) }
    if column.isPrimaryKey { keyBound = KeyBound() }
    try editLeaf(column.leafIndex, of: key) { (ref, index) throws(StorageError) -> Ref in
      try L.set(value, at: index, in: ref, allocator)
    }
    if isIndexed { try insertIntoIndex(column, key) }
    log.set(column.key, of: key, in: self.key, isDefault: isDefault)
  }
}

/// Stores a `TableValue` in a column of single values.
private struct SetVisitor: ElementVisitor {
  let table: WritableTable
  let value: TableValue
  let column: Column
  let key: ObjectKey
  let isDefault: Bool

  func visit<C: ElementCodec>(_ codec: C.Type) throws(StorageError) {
    if column.isEnumerated { try table.expandEnumeration(of: column) }
    try C.encode(value) { (element) throws(StorageError) in
      try table.assign(C.L.self, element, column, key, isDefault)
    }
  }
}
