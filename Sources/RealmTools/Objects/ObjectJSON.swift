// SPDX-License-Identifier: Apache-2.0

// Objects as JSON, for exports, queries, changes and imports.
//
// - numbers, booleans and strings are those of JSON; NaN and infinities are strings
// - dates are ISO 8601, data is Base64, ids and decimals are strings
// - a link is the primary key of its object, {"$object": key} if the class has none, and
//   {"$primaryKey": null} if it is null: no link is null
// - an embedded object is an object; lists and sets are arrays, maps are objects
// - a value of any type other than null, a boolean, an int, a double or a string is written with
//   its type: {"$date": "…"}, {"$link": …}
#if Tools
package import RealmFormats
package import RealmQuery
package import RealmStorage
package import RealmTables

/// Represents objects of a version as JSON.
package struct ObjectJSON {
  private let classes: StoredSchema
  /// The embedded objects so far.
  private let visits: OwnedVisits

  /// Embedded objects inside each other, which readers of JSON take.
  private static let depthMax = 64

  /// For one command, which represents an object a few times at most.
  package init(_ classes: StoredSchema) {
    self.classes = classes
    visits = OwnedVisits(in: classes.reader, depthMax: Self.depthMax)
  }

  /// The properties of an object.
  package func members(of row: Row, _ schema: TableSchema) throws(StorageError) -> [JSONMember] {
    var members: [JSONMember] = []
    for column in schema.columns {
      members.append(JSONMember(column.name, try json(try row.value(of: column), column)))
    }
    return members
  }

  /// A value of a property.
  package func json(_ value: TableValue, _ column: Column) throws(StorageError) -> JSONValue {
    switch (column.collection, value) {
    case (.list, .list(let values)), (.set, .list(let values)):
      visits.note(elementCount: values.count)
      var elements: [JSONValue] = []
      for value in values { elements.append(try element(value, column)) }
      return .array(elements)
    case (.dictionary, .dictionary(let entries)):
      visits.note(elementCount: entries.entries.count)
      var members: [JSONMember] = []
      for entry in entries.entries {
        members.append(JSONMember(entry.key, try element(entry.value, column)))
      }
      return .object(members)
    default: return try element(value, column)
    }
  }

  /// A single value of a property, or an element of its collection.
  package func element(_ value: TableValue, _ column: Column) throws(StorageError) -> JSONValue {
    if column.type == .mixed { return try any(value) }
    if case .link(let key) = value, let target = column.targetTable {
      return try link(to: key, target)
    }
    return Self.scalar(value)
  }

  /// A value other than a link or a collection, by its column's type.
  package static func scalar(_ value: TableValue) -> JSONValue {
    switch value {
    case .null: .null
    case .int(let number): .integer(number)
    case .bool(let truth): .bool(truth)
    case .float(let number) where number.isFinite: .double(Double("\(number)") ?? Double(number))
    case .double(let number) where number.isFinite: .double(number)
    default: ValueText.file.string(value).map { .string($0) } ?? .null
    }
  }

  private func link(to key: ObjectKey, _ table: TableKey) throws(StorageError) -> JSONValue {
    guard let schema = classes[table], let row = try row(of: key, in: table) else { return .null }
    if schema.kind == .embedded {
      try visits.enter()
      defer { visits.leave() }
      return .object(try members(of: row, schema))
    }
    return try Self.reference(to: key, row, schema)
  }

  private func row(of key: ObjectKey, in table: TableKey) throws(StorageError) -> Row? {
    try classes.reader.readTable(table)?.row(of: key)
  }

  /// The name of an object: its primary key, or its object key.
  package static func reference(
    to key: ObjectKey, _ row: Row, _ schema: TableSchema
  ) throws(StorageError) -> JSONValue {
    guard let column = schema.primaryKey else {
      return ["$object": .integer(key.rawValue)]
    }
    let value = try row.value(of: column)
    return value.isNull ? ["$primaryKey": .null] : scalar(value)
  }

  // MARK: Values of any type

  private func any(_ value: TableValue) throws(StorageError) -> JSONValue {
    switch value {
    case .null, .int, .bool, .string: return Self.scalar(value)
    case .double(let number) where number.isFinite: return .double(number)
    case .link: return .null
    case .typedLink(let table, let key):
      guard let schema = classes[table], let row = try row(of: key, in: table) else {
        return .null
      }
      return [
        "$link": [
          "class": .string(schema.displayName), "object": try Self.reference(to: key, row, schema),
        ]
      ]
    case .list(let values):
      visits.note(elementCount: values.count)
      return .array(try values.map(any))
    case .dictionary(let entries):
      visits.note(elementCount: entries.entries.count)
      var members: [JSONMember] = []
      for entry in entries.entries {
        members.append(JSONMember(entry.key, try any(entry.value)))
      }
      // A map with the look of a typed value says so: those of `TypedJSON` have two keys at most.
      let isAmbiguous = members.count < 3 && members.first?.key.hasPrefix("$") == true
      return isAmbiguous
        ? ["$map": .object(members)] : .object(members)
    default:
      return [value.type.map(Self.tag) ?? "$map": Self.scalar(value)]
    }
  }

  /// The types that JSON has not, by their names in it.
  static let types = Dictionary(
    uniqueKeysWithValues: ColumnType.valueTypes.filter {
      ![.int, .bool, .string, .mixed].contains($0)
    }.map { (tag($0), $0) })

  private static func tag(_ type: ColumnType) -> String {
    type == .objectId ? "$oid" : "$" + type.name
  }
}
#endif
