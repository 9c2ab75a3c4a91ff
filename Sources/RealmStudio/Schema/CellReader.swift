// SPDX-License-Identifier: Apache-2.0

// Stored values for the page: tagged, and cut to their shown part.

#if Tools
import RealmFormats
import RealmQuery
import RealmTables
import RealmText

/// Makes the JSON of values of one version, or of an open transaction.
struct CellReader {
  /// How much of a value is sent.
  struct Limits {
    var characterCount: Int
    var byteCount: Int
    var elementCount: Int

    /// For the cells of a table.
    static let cell = Limits(characterCount: 160, byteCount: 32, elementCount: 3)
    /// For the inspector of one object.
    static let inspector = Limits(characterCount: 100_000, byteCount: 4_096, elementCount: 100)
  }

  let classes: StoredSchema
  var limits = Limits.cell

  private var source: any TableReader { classes.reader }

  // MARK: - Properties

  /// The value of a property.
  ///
  /// - Parameter first: The position of the first sent element of a collection.
  func cell(_ column: Column, of row: Row, from first: Int = 0) throws -> JSONValue {
    switch column.collection {
    case .none: return try cell(try row.value(of: column), in: column)
    case .list, .set:
      let view = try row.list(column)
      var elements: [JSONValue] = []
      for index in min(first, view.count)..<min(first + limits.elementCount, view.count) {
        elements.append(try cell(try view.value(at: index), in: column))
      }
      return Self.collection(column.collection == .list ? "list" : "set", view.count, elements)
    case .dictionary:
      let view = try row.dictionary(column)
      var entries: [JSONValue] = []
      for index in min(first, view.count)..<min(first + limits.elementCount, view.count) {
        let value = try cell(try view.value(at: index, of: column), in: column)
        entries.append(.array([.string(try view.key(at: index)), value]))
      }
      return Self.collection("dictionary", view.count, entries)
    }
  }

  private static func collection(
    _ type: String, _ count: Int, _ elements: [JSONValue]
  ) -> JSONValue {
    ["t": .string(type), "n": .integer(Int64(count)), "v": .array(elements)]
  }

  // MARK: - Values

  /// A single value, or an element of a collection.
  func cell(_ value: TableValue, in column: Column) throws -> JSONValue {
    switch value {
    case .null: .null
    case .bool(let truth): Self.tagged("bool", truth ? "true" : "false")
    case .string(let text): string(text)
    case .binary(let bytes): binary(bytes)
    case .link(let key):
      try link(to: key, in: column.targetTable ?? .null)
    case .typedLink(let table, let key): try link(to: key, in: table)
    case .list(let values):
      Self.collection("list", values.count, try nested(values, in: column))
    case .dictionary(let dictionary):
      Self.collection(
        "dictionary", dictionary.entries.count,
        try dictionary.entries.prefix(limits.elementCount).map { entry in
          .array([.string(entry.key), try cell(entry.value, in: column)])
        })
    default: Self.tagged(value.type?.name ?? "null", ValueText.seconds.string(value) ?? "")
    }
  }

  private func nested(_ values: [TableValue], in column: Column) throws -> [JSONValue] {
    try values.prefix(limits.elementCount).map { try cell($0, in: column) }
  }

  private static func tagged(_ type: String, _ text: String) -> JSONValue {
    ["t": .string(type), "v": .string(text)]
  }

  private func string(_ text: String) -> JSONValue {
    // Most strings are short: counting bytes is cheap where they are stored so.
    guard text.utf8.count > limits.characterCount, text.count > limits.characterCount else {
      return Self.tagged("string", text)
    }
    return [
      "t": "string", "v": .string(String(text.prefix(limits.characterCount))),
      "n": .integer(Int64(text.count)),
    ]
  }

  private func binary(_ bytes: [UInt8]) -> JSONValue {
    [
      "t": "data", "v": .string(Base64.encode(Array(bytes.prefix(limits.byteCount)))),
      "n": .integer(Int64(bytes.count)),
    ]
  }

  // MARK: - Links

  /// A link with the title of the object.
  func link(to key: ObjectKey, in table: TableKey) throws -> JSONValue {
    guard let target = try source.readTable(table), let name = target.schema.className,
      let row = try target.row(of: key)
    else { return .null }
    var members = [
      JSONMember("t", .string("link")), JSONMember("class", .string(name)),
      JSONMember("key", .string(String(key.rawValue))),
      JSONMember("v", .string(try title(of: row, key, in: target.schema))),
    ]
    // The object's name in queries.
    if let column = target.schema.primaryKey {
      members.append(JSONMember("id", .string(try row.value(of: column).literal)))
    }
    return .object(members)
  }

  /// A text for people to recognise an object by: its name or title, its primary key, or the number
  /// of its key.
  func title(of row: Row, _ key: ObjectKey, in schema: TableSchema) throws -> String {
    if let column = Self.titleColumn(of: schema) {
      let value = try row.value(of: column)
      if let text = ValueText.seconds.string(value) { return String(text.prefix(60)) }
    }
    return "#\(key.rawValue)"
  }

  private static func titleColumn(of schema: TableSchema) -> Column? {
    let texts = schema.columns.filter { $0.type == .string && $0.collection == .none }
    for name in ["name", "title", "label"] {
      if let column = texts.first(where: { $0.name.lowercased() == name }) { return column }
    }
    return schema.primaryKey ?? texts.first
  }
}
#endif
