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

  /// Assigns a property of a type other than links, by the future element of its leaf. Hot paths
  /// make no `TableValue`; null goes only into an optional property.
  @_specialize(where L == IntegerLeaf)
  @_specialize(where L == NullableIntegerLeaf)
  @_specialize(where L == BoolLeaf)
  @_specialize(where L == FloatLeaf)
  @_specialize(where L == DoubleLeaf)
  @_specialize(where L == StringLeaf)
  package func set<L: Leaf>(
    _ leaf: L.Type, to value: L.Value, _ column: Column, _ key: ObjectKey, isDefault: Bool = false
  ) throws(StorageError) {
    // What the caller knows of the column may be from before it became enumerated.
    if unsafe schema.hasEnumeratedColumns, L.self == StringLeaf.self,
      let text = value as? ByteView?
    {
      try assign(text: text, column, key, isDefault)
    } else {
      try assign(L.self, value, column, key, isDefault)
    }
    if isRecorded { try recording.set(L.self, to: value, column, key, isDefault: isDefault) }
  }

  /// Stores a string in a table with enumerated columns.
  @inline(never)
  private func assign(
    text: ByteView?, _ column: Column, _ key: ObjectKey, _ isDefault: Bool
  ) throws(StorageError) {
    try allocator.withOutside(text) { (text) throws(StorageError) in
      if let position = try enumerations.position(of: text, at: column.leafIndex) {
        try assign(IntegerLeaf.self, position, column, key, isDefault)
      } else {
        try assign(StringLeaf.self, text, column, key, isDefault)
      }
    }
  }

  /// Assigns a string property.
  package func set(text: String?, _ column: Column, _ key: ObjectKey) throws(StorageError) {
    try text.withByteView { (bytes) throws(StorageError) in
      try set(StringLeaf.self, to: bytes, column, key)
    }
  }

  /// Increases an integer, which wraps around; null stays.
  ///
  /// - Throws: `StorageError.limitExceeded` if the property holds no integer.
  package func add(_ amount: Int64, to column: Column, of key: ObjectKey) throws(StorageError) {
    guard let row = try row(of: key) else { throw unsafe .missing(key, schema.name) }
    guard column.collection == .none, column.type == .int || column.type == .mixed else {
      throw .limitExceeded(unsafe "Property '\(schema.name).\(column.name)' is not an integer")
    }
    let old = try row.value(of: column)
    if old.isNull { return }
    guard case .int(let number) = old else { throw .typeMismatch(old) }
    try group.withoutRecording(set(.int(number &+ amount), column, key))
    try unsafe log.recorder?.didAdd(amount, to: column, of: key, in: self)
  }

  /// Stores a value that is neither a link nor holds one.
  @inline(__always)
  func assign<L: Leaf>(
    _ leaf: L.Type, _ value: L.Value, _ column: Column, _ key: ObjectKey, _ isDefault: Bool
  ) throws(StorageError) {
    let isIndexed = unsafe column.hasIndex && (key != unindexed || column.isPrimaryKey)
    if isIndexed { try indexes.remove(key, from: column) }
    if column.isPrimaryKey { unsafe keyBound = KeyBound() }
    let leaf = try openLeaf(column.leafIndex, of: key)
    leaf.replace(by: try L.set(value, at: leaf.index, in: leaf.ref, allocator))
    if isIndexed { try indexes.insert(key, in: column) }
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
    try C.encode(value) { (element) throws(StorageError) in
      try table.set(C.L.self, to: element, column, key, isDefault: isDefault)
    }
  }
}
