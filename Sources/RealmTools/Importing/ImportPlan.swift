// SPDX-License-Identifier: Apache-2.0

// What an import will do to the classes of a file, found before anything is written.

import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// The classes and properties of imported objects.
package struct ImportPlan: Sendable {
  /// A property and where its type is from.
  package struct Property: Sendable {
    package let name: String
    package let type: ColumnType
    package let isList: Bool
    package let isNullable: Bool
    package let isPrimaryKey: Bool
    /// Whether the file's class lacks it, so that it is added.
    package let isNew: Bool
    /// The class that a new property links to.
    package var target: String?
    /// The type as it is shown.
    package let typeText: String
  }

  /// A class, and how many objects are imported into it.
  package struct Class: Sendable {
    package let name: String
    package let isNew: Bool
    package let count: Int
    package let properties: [Property]
  }

  package let classes: [Class]
  /// The rows that cannot be read at all.
  package let badRows: [BadRow]

  /// Reads all of a source.
  ///
  /// - Parameters:
  ///   - existing: The classes of the file; nil if it is to be made.
  ///   - primaryKey: The property that new classes have as their primary key.
  ///   - types: Types of properties that are not to be guessed.
  package init(
    of source: ImportSource, into existing: StoredClasses?, primaryKey: String? = nil,
    types: [String: ColumnType] = [:], progress: ProgressHandler = { _, _ in }
  ) throws {
    if let database = source.database {
      (classes, badRows) = (Self.classes(of: database, existing), [])
      return
    }
    var found = Found()
    try source.forEach(progress: progress) { row in
      switch row.result {
      case .success(let record): found.add(record)
      case .failure(let row): found.badRows.append(row)
      }
      return true
    }
    badRows = found.badRows
    var classes: [Class] = []
    for name in found.order {
      guard let seen = found.classes[name] else { continue }
      let schema = existing?[name]
      if schema?.kind == .embedded {
        throw ToolFailure.usage(
          "'\(name)' is a class of embedded objects, which come with the objects that own them.")
      }
      if let primaryKey, schema == nil, seen.guesses[primaryKey] == nil {
        throw ToolFailure.usage(
          "No object has the property '\(primaryKey)' that --primary-key names. The properties "
            + "are: \(seen.order.joined(separator: ", ")).")
      }
      let properties = try seen.order.map { property in
        try Self.property(
          property, seen, schema, existing, types[property],
          isKey: schema == nil && property == primaryKey)
      }
      classes.append(
        Class(name: name, isNew: schema == nil, count: seen.count, properties: properties))
    }
    self.classes = classes
  }

  /// The classes that a database declares.
  private static func classes(of database: SQLiteSource, _ existing: StoredClasses?) -> [Class] {
    database.tables.map { table in
      let schema = existing?[table.className]
      let properties = table.fields.map { field in
        let column = schema?.column(named: field.property)
        let isNullable = field.isNullable || schema != nil && !field.isPrimaryKey
        return Property(
          name: field.property, type: field.target == nil ? field.type : .link, isList: false,
          isNullable: isNullable, isPrimaryKey: field.isPrimaryKey && schema == nil,
          isNew: column == nil, target: field.target,
          typeText: typeText(
            field.type, .none, isNullable && field.type != .mixed || field.target != nil,
            field.target))
      }
      return Class(
        name: table.className, isNew: schema == nil, count: table.count, properties: properties)
    }
  }

  private static func property(
    _ name: String, _ seen: SeenClass, _ schema: TableSchema?, _ classes: StoredClasses?,
    _ given: ColumnType?, isKey: Bool
  ) throws -> Property {
    if let column = schema?.column(named: name) {
      let target = classes?.target(of: column)?.displayName
      return Property(
        name: name, type: column.type, isList: column.collection == .list,
        isNullable: column.isNullable, isPrimaryKey: column.isPrimaryKey, isNew: false,
        typeText: Self.typeText(
          column.type, column.collection, column.isNullable && column.type != .mixed, target))
    }
    var (type, isList, isNullable) = seen.guesses[name]?.result ?? (.string, false, true)
    if seen.guesses[name]?.count ?? 0 < seen.count { isNullable = !isList }
    if let given { (type, isList) = (given, false) }
    if isKey {
      guard type.canBePrimaryKey, !isList else {
        throw ToolFailure.usage(
          "'\(name)' cannot be a primary key: its values are \(SchemaJSON.typeName(type)). Use "
            + "--type \(name)=string if they are to be texts.")
      }
      isNullable = false
    }
    // A class that has objects gets new properties that may be nil.
    if schema != nil, !isList { isNullable = true }
    return Property(
      name: name, type: type, isList: isList, isNullable: isNullable, isPrimaryKey: isKey,
      isNew: true,
      typeText: Self.typeText(type, isList ? .list : .none, isNullable && type != .mixed, nil))
  }

  private static func typeText(
    _ type: ColumnType, _ collection: RealmTables.CollectionKind, _ isNullable: Bool,
    _ target: String?
  ) -> String {
    let element = (target ?? SchemaJSON.typeName(type)) + (isNullable ? "?" : "")
    return collection == .none ? element : "\(collection) of \(element)"
  }

  /// The plan as people read it.
  package var text: String {
    classes.map { type in
      "\(type.name): \(type.count) \(type.count == 1 ? "object" : "objects")"
        + (type.isNew ? ", a new class" : "") + "\n"
        + type.properties.map {
          "  \($0.name): \($0.typeText)" + ($0.isPrimaryKey ? ", primary key" : "")
            + ($0.isNew && !type.isNew ? ", new" : "")
        }.joined(separator: "\n")
    }.joined(separator: "\n") + "\n"
  }

  /// The plan for programs.
  package var json: JSONValue {
    .array(
      classes.map { type in
        .object([
          JSONMember("class", .string(type.name)), JSONMember("new", .bool(type.isNew)),
          JSONMember("objects", .integer(Int64(type.count))),
          JSONMember(
            "properties",
            .array(
              type.properties.map {
                .object([
                  JSONMember("name", .string($0.name)), JSONMember("type", .string($0.typeText)),
                  JSONMember("primaryKey", .bool($0.isPrimaryKey)),
                  JSONMember("new", .bool($0.isNew)),
                ])
              })),
        ])
      })
  }

  /// Makes the classes and properties that the file lacks.
  package func apply(to group: WriteGroup) throws {
    for type in classes where try group.table(named: "class_" + type.name) == nil {
      _ = try group.createTable(named: "class_" + type.name)
    }
    for type in classes {
      guard let table = try group.table(named: "class_" + type.name) else { continue }
      for property in type.properties where property.isNew {
        let target = try property.target.flatMap { try group.key(ofTable: "class_" + $0) }
        let column = try table.addColumn(
          named: property.name, type: property.type, collection: property.isList ? .list : .none,
          isNullable: property.isNullable, target: target)
        if property.isPrimaryKey { try table.setPrimaryKey(column.key) }
      }
    }
  }

  /// The properties of a class and how often they were seen.
  private struct SeenClass {
    var count = 0
    var order: [String] = []
    var guesses: [String: CountedGuess] = [:]
  }

  private struct CountedGuess {
    var count = 0
    var guess = ValueGuess()
    var result: (type: ColumnType, isList: Bool, isNullable: Bool) { guess.result }
  }

  private struct Found {
    var order: [String] = []
    var classes: [String: SeenClass] = [:]
    var badRows: [BadRow] = []

    mutating func add(_ record: ImportRecord) {
      if classes[record.className] == nil { order.append(record.className) }
      var seen = classes[record.className] ?? SeenClass()
      classes[record.className] = nil
      seen.count += 1
      for field in record.fields {
        if seen.guesses[field.name] == nil { seen.order.append(field.name) }
        seen.guesses[field.name, default: CountedGuess()].count += 1
        seen.guesses[field.name, default: CountedGuess()].guess.add(
          field.value, isText: field.isText)
      }
      classes[record.className] = seen
    }
  }
}
