// SPDX-License-Identifier: Apache-2.0

// Documents of a dump as the schema allows them.

#if Server
import RealmFormats
import RealmReplication
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Makes changesets of documents, or names the field without a fit.
struct DocumentFitting {
  /// Why a document cannot become an object.
  struct Misfit: Error, Hashable {
    /// The path of the field; nil if the whole document is meant.
    let field: String?
    let reason: String
  }

  private let reader: any TableReader
  /// How often each unknown property was left out, by the class and the name.
  private(set) var unknownFields: [String: Int] = [:]

  init(_ reader: any TableReader) { self.reader = reader }

  /// The changeset with the object of a document.
  ///
  /// - Parameter partitionKey: The field with the partition; it need be no property.
  mutating func changeset(
    _ document: BSONValue, _ schema: TableSchema, key: TableValue, partitionKey: String?
  ) throws(Misfit) -> Changeset {
    let identity = ObjectIdentity(className: schema.displayName, key: .value(key))
    var writer = DocumentWriter(identity, in: reader, isFresh: true)
    try Self.fitting(nil) { () throws(DocumentError) in
      try writer.create(.document([]), schema)
    }
    var known: Set<String> = ["_id"]
    for element in document.elements ?? [] where known.insert(element.key).inserted {
      guard let column = schema.column(named: element.key) else {
        if element.key != partitionKey { note(element.key, of: schema) }
        continue
      }
      guard let value = try fitted(element.value, column, element.key) else { continue }
      try Self.fitting(element.key) { () throws(DocumentError) in
        try writer.write(value, column)
      }
    }
    try checkRequired(schema, known, nil)
    return writer.changeset
  }

  private static func fitting(
    _ field: String?, _ body: () throws(DocumentError) -> Void
  ) throws(Misfit) {
    do throws(DocumentError) {
      try body()
    } catch {
      throw Misfit(field: field, reason: "\(error)")
    }
  }

  private mutating func note(_ name: String, of schema: TableSchema) {
    unknownFields["\(schema.displayName).\(name)", default: 0] += 1
  }

  private func checkRequired(
    _ schema: TableSchema, _ known: Set<String>, _ path: String?
  ) throws(Misfit) {
    for column in schema.columns where !known.contains(column.name) && Self.isRequired(column) {
      let field = path.map { "\($0).\(column.name)" } ?? column.name
      throw Misfit(field: field, reason: "the property is required, and missing")
    }
  }

  private static func isRequired(_ column: Column) -> Bool {
    column.collection == .none && !column.isNullable && !column.canLink && column.type != .mixed
      && !column.isPrimaryKey
  }

  // MARK: Values

  /// A value without unknown properties; nil for none.
  private mutating func fitted(
    _ value: BSONValue, _ column: Column, _ path: String
  ) throws(Misfit) -> BSONValue? {
    if value == .null {
      guard !Self.isRequired(column) else {
        throw Misfit(field: path, reason: "the property is required, and null")
      }
      return nil
    }
    guard let schema = embedded(column) else { return value }
    switch (column.collection, value) {
    case (.none, _): return try fitted(value, schema, path)
    case (.list, .array(let values)):
      var all: [BSONValue] = []
      for (index, value) in values.enumerated() {
        all.append(try fitted(value, schema, "\(path).\(index)"))
      }
      return .array(all)
    case (.dictionary, .document(let entries)):
      var all: [BSONElement] = []
      for entry in entries {
        all.append(BSONElement(entry.key, try fitted(entry.value, schema, "\(path).\(entry.key)")))
      }
      return .document(all)
    default: return value
    }
  }

  /// An embedded document without unknown properties.
  private mutating func fitted(
    _ value: BSONValue, _ schema: TableSchema, _ path: String
  ) throws(Misfit) -> BSONValue {
    guard let elements = value.elements else { return value }
    var result: [BSONElement] = []
    var known: Set<String> = []
    for element in elements where known.insert(element.key).inserted {
      guard let column = schema.column(named: element.key) else {
        note(element.key, of: schema)
        continue
      }
      if let value = try fitted(element.value, column, "\(path).\(element.key)") {
        result.append(BSONElement(element.key, value))
      }
    }
    try checkRequired(schema, known, path)
    return .document(result)
  }

  private func embedded(_ column: Column) -> TableSchema? {
    guard column.type == .link, let target = column.targetTable,
      let schema = try? reader.schema(of: target), schema.kind == .embedded
    else { return nil }
    return schema
  }
}
#endif
