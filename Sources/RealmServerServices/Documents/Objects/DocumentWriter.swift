// SPDX-License-Identifier: Apache-2.0

// Documents as instructions about objects, in the form in which `ObjectStateWriter` has states.
//
// Invariants:
// 1. Every value fits its property, so that a changeset of it can be carried out.

#if Server
import RealmFormats
import RealmQuery
import RealmReplication
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmText

/// Writes the properties of one object.
struct DocumentWriter {
  private let reader: any TableReader
  private(set) var changeset = Changeset()
  private let className: String
  private let identity: ObjectIdentity
  /// Whether the object is new: values of new objects are not written then.
  private let isFresh: Bool
  private var field = ""
  /// The steps below the property.
  private var steps: [Step] = []

  private enum Step {
    case index(Int)
    case key(String)
  }

  init(_ object: ObjectIdentity, in reader: any TableReader, isFresh: Bool) {
    self.reader = reader
    self.isFresh = isFresh
    identity = object
    className = object.className
  }

  // MARK: Objects

  /// Writes the making of the object.
  mutating func create(_ document: BSONValue, _ schema: TableSchema) throws(DocumentError) {
    let object = changeset.reference(to: identity)
    changeset.append(.createObject(object))
    for element in document.elements ?? [] {
      let column = try column(element.key, of: schema)
      if column.isPrimaryKey { continue }
      try write(element.value, column)
    }
  }

  /// Writes a property; nil for the value of new objects.
  mutating func write(_ value: BSONValue?, _ column: Column) throws(DocumentError) {
    assert(steps.isEmpty, "the steps of the last property are still there")
    field = column.name
    try writeProperty(value, column)
  }

  /// The property of a name.
  private func column(_ name: String, of schema: TableSchema) throws(DocumentError) -> Column {
    guard let column = schema.column(named: name) else {
      throw .schema("the class \(schema.displayName) has no property '\(name)'")
    }
    return column
  }

  private mutating func writeProperty(
    _ value: BSONValue?, _ column: Column
  ) throws(DocumentError) {
    switch column.collection {
    case .none: try writeSingle(value, column)
    case .list, .set:
      guard let elements = (value ?? .array([])).values else {
        throw misfit(column, "an array")
      }
      if !isFresh { clear(column.collection.onWire) }
      if column.collection == .list {
        try writeElements(elements, column)
      } else {
        for element in elements {
          changeset.append(
            .setInsert(.init(path: path(), value: try payload(element, column))))
        }
      }
    case .dictionary:
      guard let entries = (value ?? .document([])).elements else {
        throw misfit(column, "a document")
      }
      if !isFresh { clear(.dictionary) }
      try writeEntries(entries, column)
    }
  }

  private mutating func writeSingle(_ value: BSONValue?, _ column: Column) throws(DocumentError) {
    guard let value else {
      if !isFresh { update(initialPayload(column)) }
      return
    }
    if value == .null {
      guard column.isNullable || column.canLink else { throw misfit(column, "a value") }
      if !isFresh { update(.null) }
      return
    }
    if let schema = try embeddedSchema(column) {
      if !isFresh { update(.null) }
      update(.objectValue)
      return try writeEmbedded(value, schema, column)
    }
    let payload = try payload(value, column)
    update(payload)
    try writeNested(value, payload, column)
  }

  private mutating func writeEmbedded(
    _ value: BSONValue, _ schema: TableSchema, _ owner: Column
  ) throws(DocumentError) {
    guard let elements = value.elements else { throw misfit(owner, "a document") }
    guard steps.count < PathLimit.stepCountMax else { throw misfit(owner, "fewer levels") }
    for element in elements {
      let column = try column(element.key, of: schema)
      guard isFresh else { continue }
      steps.append(.key(column.name))
      try writeProperty(element.value, column)
      steps.removeLast()
    }
    if isFresh { return }
    for column in schema.columns {
      steps.append(.key(column.name))
      try writeProperty(value[column.name], column)
      steps.removeLast()
    }
  }

  // MARK: Collections

  private mutating func writeElements(
    _ elements: [BSONValue], _ column: Column
  ) throws(DocumentError) {
    for (index, element) in elements.enumerated() {
      let payload = try payload(element, column)
      steps.append(.index(index))
      changeset.append(
        .arrayInsert(.init(path: path(), value: payload, priorSize: UInt32(index))))
      try writeNested(element, payload, column)
      steps.removeLast()
    }
  }

  private mutating func writeEntries(
    _ entries: [BSONElement], _ column: Column
  ) throws(DocumentError) {
    for entry in entries {
      guard !entry.key.contains("."), !entry.key.hasPrefix("$") else {
        throw .schema("'\(entry.key)' cannot be a key of \(place(column))")
      }
      let payload = try payload(entry.value, column)
      steps.append(.key(entry.key))
      update(payload)
      try writeNested(entry.value, payload, column)
      steps.removeLast()
    }
  }

  /// Writes what is inside of a value.
  private mutating func writeNested(
    _ value: BSONValue, _ payload: Payload, _ column: Column
  ) throws(DocumentError) {
    guard steps.count < PathLimit.stepCountMax else { throw misfit(column, "fewer levels") }
    switch payload {
    case .list:
      if !isFresh { clear(.list) }
      try writeElements(value.values ?? [], column)
    case .dictionary:
      if !isFresh { clear(.dictionary) }
      try writeEntries(value.elements ?? [], column)
    case .objectValue:
      guard let schema = try embeddedSchema(column) else { return }
      try writeEmbedded(value, schema, column)
    default: return
    }
  }

  // MARK: Values

  /// Whether a property has embedded objects.
  static func isEmbedded(
    _ column: Column, in reader: any TableReader
  ) throws(DocumentError) -> Bool {
    guard column.type == .link, let target = column.targetTable else { return false }
    return try DocumentError.storing(reader.schema(of: target))?.kind == .embedded
  }

  private func embeddedSchema(_ column: Column) throws(DocumentError) -> TableSchema? {
    guard column.type == .link, let target = column.targetTable,
      let schema = try DocumentError.storing(reader.schema(of: target)),
      schema.kind == .embedded
    else { return nil }
    return schema
  }

  private mutating func payload(
    _ value: BSONValue, _ column: Column
  ) throws(DocumentError) -> Payload {
    if value == .null {
      guard column.isNullable || column.type == .mixed else { throw misfit(column, "values") }
      return .null
    }
    switch column.type {
    case .mixed: return try mixedPayload(value, column)
    case .link, .typedLink, .backlink:
      if try embeddedSchema(column) != nil {
        guard value.elements != nil else { throw misfit(column, "documents") }
        return .objectValue
      }
      guard let target = column.targetTable,
        let schema = try DocumentError.storing(reader.schema(of: target))
      else { throw misfit(column, "links to classes") }
      return try link(to: value, of: schema, column)
    default:
      guard let scalar = scalar(value, column.type) else {
        throw misfit(column, "a value of the type \(column.type.name)")
      }
      return scalar
    }
  }

  /// A value of a type; nil if it is none.
  private mutating func scalar(_ value: BSONValue, _ type: ColumnType) -> Payload? {
    switch (type, value) {
    case (.int, _): return BSONNumber(value)?.integer.map { .int($0) }
    case (.bool, .bool(let truth)): return .bool(truth)
    case (.string, .string(let text)): return .string(changeset.addBytes(text))
    case (.binary, .binary(let subtype, let bytes)) where subtype != 4:
      return .binary(changeset.addBytes(bytes))
    case (.timestamp, .date(let time)):
      return .timestamp(seconds: time / 1_000, nanoseconds: Int32(time % 1_000) * 1_000_000)
    case (.timestamp, .timestamp(let seconds, _)):
      return .timestamp(seconds: Int64(seconds), nanoseconds: 0)
    case (.float, _): return BSONNumber(value).map { .float(Float($0.double)) }
    case (.double, _): return BSONNumber(value).map { .double($0.double) }
    case (.decimal, _):
      guard let number = BSONNumber(value), let bits = number.decimalBits else { return nil }
      return .decimal(Decimal128Bits(low: bits.low, high: bits.high))
    case (.objectId, .objectID(let id)): return .objectID(id)
    case (.uuid, _): return value.uuid.map { .uuid($0) }
    default: return nil
    }
  }

  private mutating func mixedPayload(
    _ value: BSONValue, _ column: Column
  ) throws(DocumentError) -> Payload {
    let type: ColumnType
    switch value {
    case .array: return .list
    case .document(let elements):
      guard elements.first?.key == "$ref", case .string(let name)? = value["$ref"],
        let id = value["$id"]
      else { return .dictionary }
      let schemas = try DocumentError.storing(reader.classSchemas())
      guard let schema = schemas.first(where: { $0.className == name && $0.kind == .topLevel })
      else { throw .schema("'\(name)' in \(place(column)) is no class that links lead to") }
      return try link(to: id, of: schema, column)
    case .bool: type = .bool
    case .int32, .int64: type = .int
    case .double: type = .double
    case .decimal: type = .decimal
    case .string: type = .string
    case .objectID: type = .objectId
    case .binary: type = value.uuid == nil ? .binary : .uuid
    case .date, .timestamp: type = .timestamp
    case .null: return .null
    case .regularExpression, .minKey, .maxKey:
      throw misfit(column, "another type of value")
    }
    guard let scalar = scalar(value, type) else { throw misfit(column, "another value") }
    return scalar
  }

  /// A link to the object of a key, which need not be there yet.
  private mutating func link(
    to id: BSONValue, of schema: TableSchema, _ column: Column
  ) throws(DocumentError) -> Payload {
    guard let key = schema.primaryKey, let value = TableValue(key: id, key) else {
      throw misfit(column, "the _id of an object of \(schema.displayName)")
    }
    let object = changeset.reference(
      to: ObjectIdentity(className: schema.displayName, key: .value(value)))
    return .link(table: object.table, key: object.key)
  }

  /// The value of new objects.
  private mutating func initialPayload(_ column: Column) -> Payload {
    switch column.initialValue {
    case .int(let number): .int(number)
    case .bool(let truth): .bool(truth)
    case .float(let number): .float(number)
    case .double(let number): .double(number)
    case .string: .string(changeset.addBytes(""))
    case .binary: .binary(changeset.addBytes([]))
    case .timestamp(let time):
      .timestamp(seconds: time.seconds, nanoseconds: time.nanoseconds)
    case .decimal(let bits): .decimal(Decimal128Bits(low: bits.low, high: bits.high))
    case .objectId(let id): .objectID(ObjectIDBits(high: id.high, low: id.low))
    case .uuid(let id): .uuid(UUIDBits(high: id.high, low: id.low))
    case .null, .link, .typedLink, .list, .dictionary: .null
    }
  }

  private func place(_ column: Column) -> String { "'\(className).\(column.name)'" }

  private func misfit(_ column: Column, _ needed: String) -> DocumentError {
    .schema("\(place(column)) needs \(needed)")
  }

  // MARK: Instructions

  private mutating func path() -> InstructionPath {
    let object = changeset.reference(to: identity)
    var elements: [PathElement] = []
    for step in steps {
      switch step {
      case .index(let index): elements.append(.index(UInt32(index)))
      case .key(let key): elements.append(.key(changeset.intern(key)))
      }
    }
    return InstructionPath(
      table: object.table, key: object.key, field: changeset.intern(field),
      elements: changeset.addElements(elements))
  }

  private mutating func update(_ payload: Payload) {
    changeset.append(.update(.init(path: path(), value: payload)))
  }

  private mutating func clear(_ kind: ChangesetCollectionKind) {
    changeset.append(.clear(.init(path: path(), collection: kind)))
  }
}

extension BSONNumber {
  /// The number as a decimal; nil for what is none.
  fileprivate var decimalBits: DecimalBits? {
    switch self {
    case .int32(let number): DecimalBits(integer: Int64(number))
    case .int64(let number): DecimalBits(integer: number)
    case .double(let number): DecimalBits(double: number)
    case .decimal(let bits): bits
    }
  }
}

extension TableValue {
  /// The primary key that a document's value is; nil if it is of another type.
  init?(key value: BSONValue, _ column: Column) {
    switch (column.type, value) {
    case (_, .null):
      guard column.isNullable else { return nil }
      self = .null
    case (.int, _):
      guard let number = BSONNumber(value)?.integer else { return nil }
      self = .int(number)
    case (.string, .string(let text)): self = .string(text)
    case (.objectId, .objectID(let id)): self = .objectId(Bytes12(high: id.high, low: id.low))
    case (.uuid, _):
      guard let id = value.uuid else { return nil }
      self = .uuid(Bytes16(high: id.high, low: id.low))
    default: return nil
    }
  }
}
#endif
