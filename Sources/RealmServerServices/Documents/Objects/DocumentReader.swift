// SPDX-License-Identifier: Apache-2.0

// Objects as documents.

#if Server
import RealmFormats
import RealmQuery
import RealmReplication
import RealmStorage
import RealmTables
import RealmText

/// Reads objects of a version, or of a transaction.
struct DocumentReader {
  /// Embedded objects below are null.
  private static let depthMax = 100

  private let objects: any TableReader
  /// The embedded objects so far.
  private let visits: OwnedVisits
  /// Whether properties without a value are null; they are left out otherwise.
  private let keepsNull: Bool

  init(_ objects: any TableReader, keepsNull: Bool = false) {
    self.objects = objects
    self.keepsNull = keepsNull
    visits = OwnedVisits(in: objects)
  }

  /// - Parameter fields: The properties of the object in the document, beside its primary key.
  func document(
    _ row: Row, _ schema: TableSchema, fields: FieldSelection = .all
  ) throws(StorageError) -> BSONValue {
    var elements: [BSONElement] = []
    if let key = schema.primaryKey {
      elements.append(BSONElement(key.name, try value(row.value(of: key), key)))
    }
    for column in schema.columns where !column.isPrimaryKey && fields.contains(column.name) {
      let value = try value(
        row.value(of: column), column, inside: fields.inside[column.name] ?? .all)
      if keepsNull || value != .null { elements.append(BSONElement(column.name, value)) }
    }
    return .document(elements)
  }

  /// The document of an object to which a document was written: a property that it leaves out has
  /// the value of new objects.
  func completed(
    _ document: BSONValue, _ schema: TableSchema, fields: FieldSelection = .all, depth: Int = 0
  ) throws(StorageError) -> BSONValue {
    guard var elements = document.elements, depth < Self.depthMax else { return document }
    for column in schema.columns where !column.isPrimaryKey && fields.contains(column.name) {
      guard let index = elements.firstIndex(where: { $0.key == column.name }) else {
        let initial = try value(column.initialContent, column)
        if keepsNull || initial != .null { elements.append(BSONElement(column.name, initial)) }
        continue
      }
      guard let target = column.targetTable, let embedded = try objects.schema(of: target),
        embedded.kind == .embedded
      else { continue }
      let inside = fields.inside[column.name] ?? .all
      let given = elements[index].value
      let value: BSONValue
      switch (column.collection, given) {
      case (.none, _):
        value = try completed(given, embedded, fields: inside, depth: depth + 1)
      case (_, .array(let values)):
        var all: [BSONValue] = []
        for value in values {
          all.append(try completed(value, embedded, fields: inside, depth: depth + 1))
        }
        value = .array(all)
      case (_, .document(let entries)):
        var all: [BSONElement] = []
        for entry in entries {
          let value = try completed(entry.value, embedded, fields: inside, depth: depth + 1)
          all.append(BSONElement(entry.key, value))
        }
        value = .document(all)
      default: continue
      }
      elements[index] = BSONElement(column.name, value)
    }
    return .document(elements)
  }

  /// A value of a property as a document has it.
  func value(_ value: TableValue, of column: Column) throws(StorageError) -> BSONValue {
    try self.value(value, column)
  }

  /// - Parameter inside: The properties of embedded objects.
  private func value(
    _ value: TableValue, _ column: Column, inside: FieldSelection = .all
  ) throws(StorageError) -> BSONValue {
    switch value {
    case .null: return .null
    case .int(let number): return .int64(number)
    case .bool(let truth): return .bool(truth)
    case .float(let number): return .double(Double(number))
    case .double(let number): return .double(number)
    case .string(let text): return .string(text)
    case .binary(let bytes): return .binary(subtype: 0, bytes: bytes)
    case .timestamp(let time):
      let (milliseconds, isTooLarge) = time.seconds.multipliedReportingOverflow(by: 1_000)
      guard !isTooLarge else { return .null }
      return .date(unixMilliseconds: milliseconds &+ Int64(time.nanoseconds / 1_000_000))
    case .decimal: return ValueText.file.string(value).map { .decimal($0) } ?? .null
    case .objectId(let id): return .objectID(ObjectIDBits(high: id.high, low: id.low))
    case .uuid(let id): return .uuid(UUIDBits(high: id.high, low: id.low))
    case .link(let key):
      guard let target = column.targetTable else { return .null }
      return try link(to: key, in: target, inside: inside)
    case .typedLink(let target, let key):
      return try reference(to: key, in: target)
    case .list(let values):
      visits.note(elementCount: values.count)
      var elements: [BSONValue] = []
      for value in values {
        elements.append(try self.value(value, column, inside: inside))
      }
      return .array(elements)
    case .dictionary(let dictionary):
      visits.note(elementCount: dictionary.entries.count)
      var elements: [BSONElement] = []
      for entry in dictionary.entries {
        let value = try self.value(entry.value, column, inside: inside)
        elements.append(BSONElement(entry.key, value))
      }
      return .document(elements)
    }
  }

  /// An embedded object as a document, and another one as its primary key.
  private func link(
    to key: ObjectKey, in target: TableKey, inside: FieldSelection = .all
  ) throws(StorageError) -> BSONValue {
    guard visits.depth < Self.depthMax, let schema = try objects.schema(of: target),
      let row = try objects.row(of: key, in: target)
    else { return .null }
    if schema.kind == .embedded {
      try visits.enter()
      defer { visits.leave() }
      return try document(row, schema, fields: inside)
    }
    guard let column = schema.primaryKey else { return .null }
    return try value(row.value(of: column), column)
  }

  /// The link of a mixed value as a reference: its class is not known otherwise.
  private func reference(to key: ObjectKey, in target: TableKey) throws(StorageError) -> BSONValue {
    let id = try link(to: key, in: target)
    guard id != .null, let schema = try objects.schema(of: target) else { return .null }
    return .document([
      BSONElement("$ref", .string(schema.displayName)), BSONElement("$id", id),
    ])
  }
}

extension Column {
  /// What a property of a new object has, collections included.
  fileprivate var initialContent: TableValue {
    switch collection {
    case .none: initialValue
    case .list, .set: .list([])
    case .dictionary: .dictionary(TableDictionary([]))
    }
  }
}
#endif
