// SPDX-License-Identifier: Apache-2.0

// Values from the page, as the database stores them.

#if Tools
import RealmFormats
import RealmQuery
import RealmTables
import RealmText

/// Reads the tagged values of `CellReader`, as people edited them.
struct CellInput {
  let classes: StoredSchema

  /// A value for a property, or for an element of its collection.
  func value(_ json: JSONValue, for column: Column) throws -> TableValue {
    if json == .null {
      guard column.isNullable else {
        throw StudioFailure(400, "'\(column.name)' cannot be empty: it is not optional.")
      }
      return .null
    }
    guard let type = json["t"]?.string else {
      throw StudioFailure.malformed("value", "null, or an object with the members t and v")
    }
    if type == "link" { return try link(json, for: column) }
    let text = json["v"]?.string ?? ""
    let wanted = column.type == .mixed ? type : column.type.name
    guard let value = Self.scalar(text, as: wanted) else {
      throw StudioFailure(
        400, "'\(text.prefix(100))' is no value of type \(wanted) for '\(column.name)'.",
        remedy: Self.type(named: wanted).flatMap(Self.example))
    }
    return value
  }

  /// The scalar of a text; nil if it spells none of the type.
  static func scalar(_ text: String, as type: String) -> TableValue? {
    Self.type(named: type).flatMap { ValueText.seconds.value(text, of: $0) }
  }

  private static func type(named name: String) -> ColumnType? {
    ColumnType.valueTypes.first { $0.name == name }
  }

  private static func example(of type: ColumnType) -> String? {
    switch type {
    case .int: "Write a whole number, such as 42."
    case .bool: "Write true or false."
    case .float, .double: "Write a number, such as 1.5, inf or nan."
    case .decimal: "Write a number of at most 34 digits, such as 19.90."
    case .timestamp: "Write a date, such as 2026-01-31T12:00:00Z."
    case .binary: "Write the bytes in Base64."
    case .objectId: "Write the 24 hexadecimal digits."
    case .uuid: "Write it as in 123e4567-e89b-12d3-a456-426614174000."
    default: nil
    }
  }

  // MARK: - Links

  private func link(_ json: JSONValue, for column: Column) throws -> TableValue {
    guard let name = json["class"]?.string, let schema = classes[name] else {
      throw StudioFailure.malformed("class", "the name of a class")
    }
    guard column.type == .link || column.type == .mixed else {
      throw StudioFailure(400, "'\(column.name)' holds no links.")
    }
    guard column.type == .mixed || column.targetTable == schema.key else {
      throw StudioFailure(400, "'\(column.name)' does not link to objects of '\(name)'.")
    }
    guard schema.kind == .topLevel else {
      throw StudioFailure(
        400, "Embedded objects belong to one owner and cannot be linked to.",
        remedy: "Create a new one in the inspector of its owner.")
    }
    let key = try target(json, schema)
    return column.type == .mixed ? .typedLink(schema.key, key) : .link(key)
  }

  private func target(_ json: JSONValue, _ schema: TableSchema) throws -> ObjectKey {
    let name = schema.className ?? schema.name
    let table = try classes.reader.readTable(schema.key)
    if let number = json["key"]?.string.flatMap({ Int64($0) }) {
      let key = ObjectKey(number)
      let row = try table?.row(of: key)
      guard row != nil else { throw StudioFailure(409, "'\(name)' has no object #\(number).") }
      return key
    }
    let text = json["primaryKey"]?.string ?? ""
    guard let column = schema.primaryKey else {
      throw StudioFailure(
        400, "'\(name)' has no primary key.", remedy: "Write the object's key, such as #12.")
    }
    let found = try ValueText.seconds.value(text, of: column.type).flatMap {
      try classes.reader.object(withPrimaryKey: $0, in: schema.key)
    }
    guard let found else {
      throw StudioFailure(409, "'\(name)' has no object with the primary key '\(text)'.")
    }
    return found
  }
}
#endif
