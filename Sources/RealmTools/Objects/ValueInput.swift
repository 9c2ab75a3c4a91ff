// SPDX-License-Identifier: Apache-2.0

// From JSON and texts to the values of properties.

#if Tools
import RealmDeclarations
import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables

/// Stores values from a file, or from the keyboard, in the properties of a transaction's objects.
struct ValueInput {
  /// The reason why a value does not fit.
  struct Problem: Error {
    let reason: String
    /// Whether a missing object may come later.
    let isMissingObject: Bool

    init(_ reason: String, isMissingObject: Bool = false) {
      self.reason = reason
      self.isMissingObject = isMissingObject
    }
  }

  let group: WriteGroup
  let classes: StoredSchema
  /// The objects by their original keys.
  var keys = ObjectKeyMap()

  // MARK: Values without links

  /// Whether a property may refer to objects; they must be there by then.
  static func mayRefer(_ json: JSONValue, _ column: Column) -> Bool {
    column.type == .link || column.type == .mixed && refers(json)
  }

  private static func refers(_ json: JSONValue) -> Bool {
    switch json {
    case .array(let values): values.contains(where: refers)
    case .object(let members):
      members.contains { $0.key == "$link" || refers($0.value) }
    // Cells of CSV are texts.
    case .string(let text): text.first.map { "{[".contains($0) } ?? false && text.contains("$link")
    default: false
    }
  }

  /// The value of a property without links.
  func value(_ json: JSONValue, _ column: Column, isText: Bool) throws -> TableValue {
    let json = try column.collection == .none ? json : Self.parsed(json, isText)
    switch (column.collection, json) {
    case (.none, _): return try single(json, column, isText: isText)
    case (.list, .array(let values)), (.set, .array(let values)):
      return .list(try values.map { try single($0, column, isText: false) })
    case (.dictionary, .object(let members)):
      return .dictionary(
        TableDictionary(
          try members.map {
            .init(key: $0.key, value: try single($0.value, column, isText: false))
          }))
    case (_, .null) where isText:
      return column.collection == .dictionary ? .dictionary(TableDictionary([])) : .list([])
    default:
      let form = column.collection == .dictionary ? "object" : "array"
      throw Problem("a \(column.collection) must be a JSON \(form)")
    }
  }

  /// The JSON of a cell's text.
  private static func parsed(_ json: JSONValue, _ isText: Bool) throws -> JSONValue {
    guard isText, let text = json.string else { return json }
    do throws(JSONError) { return try JSONParser.parse(text) } catch {
      throw Problem("'\(CellText.shortened(text, limit: 30))' is no JSON")
    }
  }

  private func single(_ json: JSONValue, _ column: Column, isText: Bool) throws -> TableValue {
    if column.type == .mixed { return try any(isText ? Self.mixed(json) : json) }
    if case .null = json {
      if column.isNullable { return .null }
      if isText, column.type == .string { return .string("") }
      throw Problem("there is no value, and the property must have one")
    }
    if let value = Self.scalar(json, column.type, isText: isText) { return value }
    if let value = try TypedJSON.value(json) {
      if value.isNull { return try single(.null, column, isText: isText) }
      if let fitting = TypedJSON.fitting(value, column.type) { return fitting }
    }
    throw Problem(
      "\(CellText.shortened(JSONWriter.text(json), limit: 40)) is no "
        + SchemaJSON.typeName(column.type))
  }

  /// A value of a type other than mixed and links; nil if the JSON is none.
  static func scalar(_ json: JSONValue, _ type: ColumnType, isText: Bool) -> TableValue? {
    switch (type, json) {
    case (.bool, .bool(let truth)): return .bool(truth)
    case (.int, .integer), (.int, .double): return json.integer.map { .int($0) }
    case (.double, .integer(let number)): return .double(Double(number))
    case (.double, .double(let number)): return .double(number)
    case (.float, .integer(let number)): return .float(Float(number))
    case (.float, .double(let number)): return .float(Float(number))
    case (.decimal, .integer(let number)): return .decimal(DecimalBits(integer: number))
    case (.decimal, .double(let number)): return .decimal(DecimalBits(double: number))
    case (.int, .string(let text)), (.bool, .string(let text)):
      return isText ? ValueText.file.value(text, of: type) : nil
    case (_, .string(let text)): return ValueText.file.value(text, of: type)
    default: return nil
    }
  }

  // MARK: Values of any type

  /// The likeliest value of a text.
  private static func mixed(_ json: JSONValue) -> JSONValue {
    guard let text = json.string else { return json }
    let parsed = try? JSONParser.parse(text)
    return parsed ?? json
  }

  private func any(_ json: JSONValue) throws -> TableValue {
    switch json {
    case .null: return .null
    case .bool(let truth): return .bool(truth)
    case .integer(let number): return .int(number)
    case .double(let number): return .double(number)
    case .string(let text): return .string(text)
    case .array(let values): return .list(try values.map(any))
    case .object(let members):
      if members.count == 1, let value = try reference(members[0]) { return value }
      if let value = try TypedJSON.value(json) { return value }
      return .dictionary(
        TableDictionary(try members.map { .init(key: $0.key, value: try any($0.value)) }))
    }
  }

  /// A link, or a map with the look of a value with its type; nil for any other.
  private func reference(_ member: JSONMember) throws -> TableValue? {
    if member.key == "$map", case .object(let members) = member.value {
      return .dictionary(
        TableDictionary(try members.map { .init(key: $0.key, value: try any($0.value)) }))
    }
    if member.key == "$link", let name = member.value["class"]?.string,
      let reference = member.value["object"]
    {
      guard let schema = classes[name] else { throw Problem("there is no class '\(name)'") }
      return .typedLink(schema.key, try object(reference, schema))
    }
    return nil
  }

  // MARK: Links

  /// Stores any value in a property.
  func store(
    _ json: JSONValue, _ column: Column, _ schema: TableSchema, _ key: ObjectKey, isText: Bool
  ) throws {
    let table = try required(schema.key)
    guard column.type == .link, let target = classes.target(of: column) else {
      return try table.set(try value(json, column, isText: isText), column, key)
    }
    let isCollection = column.collection != .none || target.kind == .embedded
    let json = try isCollection ? Self.parsed(json, isText) : json
    if target.kind == .embedded {
      return try storeEmbedded(json, column, target, table, key)
    }
    switch (column.collection, json) {
    case (.none, .null): try table.set(.null, column, key)
    case (.none, _): try table.set(.link(try object(json, target)), column, key)
    case (.list, .array(let values)), (.set, .array(let values)):
      try table.set(.list(try values.map { .link(try object($0, target)) }), column, key)
    case (.dictionary, .object(let members)):
      let entries = try members.map { member in
        TableDictionary.Entry(
          key: member.key,
          value: member.value == .null ? .null : .link(try object(member.value, target)))
      }
      try table.set(.dictionary(TableDictionary(entries)), column, key)
    case (_, .null) where isText: break
    default: throw Problem("this is no \(column.collection) of links")
    }
  }

  private func storeEmbedded(
    _ json: JSONValue, _ column: Column, _ target: TableSchema, _ table: WritableTable,
    _ key: ObjectKey
  ) throws {
    switch (column.collection, json) {
    case (.none, .null): try table.set(.null, column, key)
    case (.none, .object(let members)):
      try fill(try table.createEmbedded(column, of: key).key, target, members)
    case (.list, .array(let values)):
      let list = try table.list(column, key)
      try list.removeAll()
      for (index, value) in values.enumerated() {
        guard case .object(let members) = value else { throw Problem("this is no object") }
        try fill(try list.insertEmbedded(at: index).key, target, members)
      }
    case (.dictionary, .object(let entries)):
      let dictionary = try table.dictionary(column, key)
      try dictionary.removeAll()
      for entry in entries {
        guard case .object(let members) = entry.value else {
          try dictionary.set(.null, for: entry.key)
          continue
        }
        try fill(try dictionary.setEmbedded(for: entry.key).key, target, members)
      }
    default: throw Problem("this is no '\(target.displayName)'")
    }
  }

  private func fill(_ key: ObjectKey, _ schema: TableSchema, _ members: [JSONMember]) throws {
    for member in members {
      guard let column = schema.column(named: member.key) else {
        throw Problem("'\(schema.displayName)' has no property '\(member.key)'")
      }
      try store(member.value, column, schema, key, isText: false)
    }
  }

  func object(_ json: JSONValue, _ schema: TableSchema) throws -> ObjectKey {
    let table = try required(schema.key)
    if let number = json["$object"]?.integer ?? Self.hashNumber(json) {
      if let key = keys[schema.key, number] { return key }
      let key = ObjectKey(number)
      if !keys.hasKeys(of: schema.key), try table.row(of: key) != nil { return key }
      throw Problem(
        "there is no object \(number) of '\(schema.displayName)'", isMissingObject: true)
    }
    guard let column = schema.primaryKey else {
      throw Problem("objects of '\(schema.displayName)' are named {\"$object\": key}")
    }
    let isNull = json["$primaryKey"] == .null || json.string == Self.nullKey
    let typed = try TypedJSON.value(json).flatMap { TypedJSON.fitting($0, column.type) }
    guard
      let value = isNull ? .null : typed ?? Self.scalar(json, column.type, isText: true)
    else {
      throw Problem("\(JSONWriter.text(json)) is no primary key of '\(schema.displayName)'")
    }
    guard let key = try table.findRow(primaryKey: value)?.key else {
      throw Problem(
        "there is no '\(schema.displayName)' with \(column.name) \(JSONWriter.text(json))",
        isMissingObject: true)
    }
    return key
  }

  /// A reference to the object whose primary key is null, as cells of CSV have it.
  private static let nullKey = #"{"$primaryKey":null}"#

  private static func hashNumber(_ json: JSONValue) -> Int64? {
    guard let text = json.string, text.hasPrefix("#") else { return nil }
    return Int64(text.dropFirst())
  }

  func required(_ key: TableKey) throws -> WritableTable {
    guard let table = try group.table(key) else {
      throw StorageError.corrupted("\(key) is gone")
    }
    return table
  }
}
#endif
