// SPDX-License-Identifier: Apache-2.0

// Instructions about the objects of a file: tables, columns, keys and values become names, keys and
// payloads of a changeset.
//
// Invariants:
// 1. Each cached name belongs to the table or column of the key beside it, and to the present
//    changeset.

import RealmStorage
package import RealmSyncProtocol
import RealmTables
import RealmText

/// Writes a changeset about the objects of one file.
///
/// Names of classes and properties are interned once for each changeset and found by the indices of
/// tables and columns afterwards.
package struct ChangesetBuilder {
  /// The role of a table in a changeset.
  enum Role: UInt8 {
    /// An internal table; its changes concern no other device.
    case ignored
    case topLevel
    case embedded
    /// Top level; its objects are never erased by instructions.
    case asymmetric
  }

  private struct FieldEntry {
    var key: ColumnKey
    var name: InternedString
  }

  private struct TableEntry {
    var key = TableKey.null
    var role = Role.ignored
    /// Interned when an instruction first needs it.
    var name: InternedString?
    /// By leaf index.
    var fields: [FieldEntry] = []
  }

  var encoder = ChangesetEncoder()
  /// The file whose objects these are; `FileIdentifier.own` while the server has not given it one.
  package let file: FileIdentifier
  /// By table index.
  private var tables: [TableEntry] = []

  package init(file: FileIdentifier = .own) { self.file = file }

  /// The size of the changeset so far.
  package var byteCount: Int { encoder.byteCount }

  /// Ends the changeset and begins another.
  package mutating func take() -> [UInt8] {
    tables.removeAll(keepingCapacity: true)
    return encoder.take()
  }

  /// Forgets the changeset and begins another.
  package mutating func removeAll() {
    encoder.removeAll()
    tables.removeAll(keepingCapacity: true)
  }

  // MARK: Names

  @inline(__always)
  mutating func role(_ table: TableKey, _ schema: @autoclosure () -> TableSchema) -> Role {
    let index = table.index
    if index < tables.count, tables[index].key == table { return tables[index].role }
    return enter(schema())
  }

  @inline(__always)
  mutating func name(_ table: TableKey, _ schema: @autoclosure () -> TableSchema) -> InternedString
  {
    let index = table.index
    if index < tables.count, tables[index].key == table, let name = tables[index].name {
      return name
    }
    return enterName(schema())
  }

  @inline(__always)
  mutating func name(
    _ column: Column, _ table: TableKey, _ schema: @autoclosure () -> TableSchema
  ) -> InternedString {
    let index = table.index
    if index < tables.count, tables[index].key == table {
      let leaf = column.leafIndex
      if leaf < tables[index].fields.count, tables[index].fields[leaf].key == column.key {
        return tables[index].fields[leaf].name
      }
    }
    return enterName(column, schema())
  }

  /// The name of a property, if it has been asked for in this changeset.
  @inline(__always)
  func knownName(_ column: Column, _ table: TableKey) -> InternedString? {
    let (index, leaf) = (table.index, column.leafIndex)
    guard index < tables.count, tables[index].key == table, leaf < tables[index].fields.count,
      tables[index].fields[leaf].key == column.key
    else { return nil }
    return tables[index].fields[leaf].name
  }

  @inline(never)
  private mutating func enter(_ schema: TableSchema) -> Role {
    let role: Role =
      switch schema.kind {
      case _ where schema.className == nil: .ignored
      case .topLevel: .topLevel
      case .embedded: .embedded
      case .asymmetric: .asymmetric
      }
    let index = schema.key.index
    while tables.count <= index { tables.append(TableEntry()) }
    tables[index] = TableEntry(key: schema.key, role: role)
    return role
  }

  @inline(never)
  private mutating func enterName(_ schema: TableSchema) -> InternedString {
    _ = role(schema.key, schema)
    let name = encoder.intern(schema.className ?? schema.name)
    tables[schema.key.index].name = name
    return name
  }

  @inline(never)
  private mutating func enterName(_ column: Column, _ schema: TableSchema) -> InternedString {
    _ = role(schema.key, schema)
    let name = encoder.intern(column.name)
    let index = schema.key.index
    while tables[index].fields.count <= column.leafIndex {
      tables[index].fields.append(FieldEntry(key: .null, name: name))
    }
    tables[index].fields[column.leafIndex] = FieldEntry(key: column.key, name: name)
    return name
  }

  // MARK: Objects

  /// The primary key of an object, or its substitute in a class without one; nil if there is no
  /// such object.
  mutating func primaryKey(
    of object: ObjectKey, in table: TableKey, _ source: some TableReader
  ) throws(StorageError) -> PrimaryKey? {
    guard let schema = try source.schema(of: table) else { return nil }
    guard let column = schema.primaryKey else {
      return globalKey(of: object.isTombstone ? ObjectKey(-2 - object.rawValue) : object)
    }
    guard let row = try source.row(of: object, in: table) else { return nil }
    return primaryKey(try row.value(of: column))
  }

  /// The value of a primary key as instructions carry it.
  mutating func primaryKey(_ value: TableValue) -> PrimaryKey {
    switch value {
    case .int(let number): return .int(number)
    case .string(let text): return .string(encoder.intern(text))
    case .objectId(let id): return .objectID(ObjectIDBits(high: id.high, low: id.low))
    case .uuid(let id): return .uuid(UUIDBits(high: id.high, low: id.low))
    default:
      assert(value.isNull, "a primary key of another type")
      return .null
    }
  }

  /// The identity of an object whose class has no primary key.
  func globalKey(of object: ObjectKey) -> PrimaryKey {
    let (high, low) = object.globalParts(ownIdent: file.rawValue)
    return .globalKey(GlobalKey(high: high, low: low))
  }

  // MARK: Values

  /// A value in `column`, or in a collection there, as a payload; nil for a link to an internal
  /// table.
  @inline(__always)
  mutating func payload(
    _ value: TableValue, _ column: Column, _ source: @autoclosure () -> some TableReader
  ) throws(StorageError) -> Payload? {
    switch value {
    case .null: return .null
    case .int(let number): return .int(number)
    case .bool(let truth): return .bool(truth)
    case .float(let number): return .float(number)
    case .double(let number): return .double(number)
    case .string(let text): return .string(encoder.addBytes(text))
    case .binary(let bytes): return .binary(encoder.addBytes(bytes))
    case .timestamp(let date):
      return .timestamp(seconds: date.seconds, nanoseconds: date.nanoseconds)
    case .decimal(let bits): return .decimal(Decimal128Bits(low: bits.low, high: bits.high))
    case .objectId(let id): return .objectID(ObjectIDBits(high: id.high, low: id.low))
    case .uuid(let id): return .uuid(UUIDBits(high: id.high, low: id.low))
    case .link(let key):
      guard let target = column.targetTable else { return nil }
      return try link(to: key, in: target, source())
    case .typedLink(let table, let key): return try link(to: key, in: table, source())
    case .list: return .list
    case .dictionary: return .dictionary
    }
  }

  @inline(never)
  private mutating func link(
    to object: ObjectKey, in table: TableKey, _ source: some TableReader
  ) throws(StorageError) -> Payload? {
    guard let schema = try source.schema(of: table) else { return nil }
    switch role(table, schema) {
    case .ignored: return nil
    case .embedded:
      // The reference names the class before it sets the object.
      _ = name(table, schema)
      return .objectValue
    case .topLevel, .asymmetric:
      let name = name(table, schema)
      guard let key = try primaryKey(of: object, in: table, source) else { return nil }
      return .link(table: name, key: key)
    }
  }

  // MARK: Schema

  mutating func addTable(_ schema: TableSchema, primaryKey: Column?) {
    let table = name(schema.key, schema)
    guard schema.kind != .embedded else {
      return encoder.append(.addTable(.init(table: table, kind: .embedded, key: nil)))
    }
    let key = Instruction.KeyColumn(
      field: primaryKey.map { name($0, schema.key, schema) } ?? encoder.intern(""),
      type: primaryKey.map(\.payloadType) ?? .globalKey,
      isNullable: primaryKey?.isNullable ?? false)
    let kind: ChangesetTableKind =
      schema.kind == .asymmetric ? .asymmetric : .topLevel
    encoder.append(.addTable(.init(table: table, kind: kind, key: key)))
  }

  /// Adds a property other than the primary key.
  mutating func addColumn(
    _ column: Column, to schema: TableSchema, _ source: some TableReader
  ) throws(StorageError) {
    let table = name(schema.key, schema)
    let field = name(column, schema.key, schema)
    // As the reference does: it interns the empty name for types other than links.
    var target = ""
    if let key = column.targetTable, let schema = try source.schema(of: key) {
      target = schema.className ?? ""
    }
    let targetName = encoder.intern(target)
    encoder.append(
      .addColumn(
        .init(
          table: table, field: field, type: column.payloadType, isNullable: column.isNullable,
          collection: column.collection.onWire,
          linkTarget: column.payloadType == .link ? targetName : nil)))
  }
}
