// SPDX-License-Identifier: Apache-2.0

// The effects of an import on the classes of a file, found before anything is written.

#if Tools
import RealmDeclarations
package import RealmFormats
package import RealmQuery
package import RealmTables

/// The classes and properties of imported objects.
package struct ImportPlan: Sendable {
  /// A property and where its type is from.
  package struct Property: Sendable {
    package let name: String
    package let type: ColumnType
    package let collection: CollectionKind
    package let isNullable: Bool
    package let isPrimaryKey: Bool
    /// Whether the file's class lacks it and gets it.
    package let isNew: Bool
    /// The class of a new property's links.
    package var target: String?
    /// The index of a new property.
    var index: IndexKind?
    /// The type as it is shown.
    package let typeText: String
    /// Why it has no narrower type; nil if all values speak for it.
    package var note: String?
  }

  /// A class, and how many objects are imported into it.
  package struct Class: Sendable {
    package let name: String
    package let isNew: Bool
    package let kind: TableKind
    package let count: Int
    package let properties: [Property]
  }

  package let classes: [Class]
  /// The first rows with errors.
  package let badRows: [BadRow]
  /// The losses of the import, in sentences.
  package let notes: [String]
  /// The version of a new file's schema; nil if the source has none.
  private let schemaVersion: UInt64?

  /// Reads all of a source.
  ///
  /// - Parameters:
  ///   - existing: The classes of the file; nil if it is to be made.
  ///   - primaryKey: The property to be the primary key of new classes.
  ///   - types: The given types of properties, not to be guessed.
  package init(
    of source: ImportSource, into existing: StoredSchema?, primaryKey: String? = nil,
    types: [String: ColumnType] = [:], progress: ProgressHandler = { _, _ in }
  ) throws {
    if let database = source.database, database.restoring == nil {
      (classes, badRows) = (Self.classes(of: database, existing), [])
      (notes, schemaVersion) = (database.notes, nil)
      return
    }
    var found = Found()
    try source.forEach(progress: progress) { row in
      switch row.content {
      case .object(let record): found.add(record)
      case .bad(let row): found.add(row)
      case .schema(let schema): found.declare(schema)
      case .header(let fields): found.declare(fields)
      }
      return true
    }
    (badRows, notes) = (found.badRows, [])
    schemaVersion = found.schemaVersion
    classes = try found.order.map { name in
      try Self.plannedClass(
        name, found.seen(name), existing,
        primaryKey: found.declared[name] == nil ? primaryKey : nil, types,
        declared: found.declared[name])
    }
  }

  private static func plannedClass(
    _ name: String, _ seen: SeenClass, _ existing: StoredSchema?, primaryKey: String?,
    _ types: [String: ColumnType], declared: DeclaredSchema.Class?
  ) throws -> Class {
    let schema = existing?[name]
    let kind = schema?.kind ?? declared?.kind ?? .topLevel
    if kind == .embedded, seen.count > 0 {
      throw ToolFailure.usage(
        "'\(name)' is a class of embedded objects, which come with the objects that own them.")
    }
    if let primaryKey, schema == nil, seen.guesses[primaryKey] == nil {
      throw ToolFailure.usage(
        "No object has the property '\(primaryKey)' that --primary-key names. The properties "
          + "are: \(seen.order.joined(separator: ", ")).")
    }
    let names = declared?.properties.map(\.name) ?? []
    let known = Set(names)
    let properties = try (names + seen.order.filter { !known.contains($0) }).map { property in
      let type = types[property] ?? types["\(name).\(property)"]
      let declaredProperty = declared?.properties.first { $0.name == property }
      if type == nil, let declaredProperty, schema?.column(named: property) == nil {
        let isKey = schema == nil && declared?.primaryKey == property
        return Self.property(declaredProperty, isPrimaryKey: isKey)
      }
      return try Self.property(
        property, seen, schema, existing, type,
        isKey: schema == nil && property == (declared?.primaryKey ?? primaryKey))
    }
    return Class(
      name: name, isNew: schema == nil, kind: kind, count: seen.count, properties: properties)
  }

  /// A new property as an export declares it.
  private static func property(
    _ declared: DeclaredSchema.Property, isPrimaryKey: Bool
  ) -> Property {
    let isOptional =
      declared.isNullable && declared.type != .mixed
      && !(declared.type == .link && declared.collection != .none)
    return Property(
      name: declared.name, type: declared.type, collection: declared.collection,
      isNullable: declared.isNullable, isPrimaryKey: isPrimaryKey, isNew: true,
      target: declared.target, index: declared.index,
      typeText: typeText(declared.type, declared.collection, isOptional, declared.target))
  }

  /// The classes in a database's declaration.
  private static func classes(of database: SQLiteSource, _ existing: StoredSchema?) -> [Class] {
    database.tables.map { table in
      let schema = existing?[table.className]
      let properties = table.fields.map { field in
        let column = schema?.column(named: field.property)
        let isNullable = field.isNullable || schema != nil && !field.isPrimaryKey
        return Property(
          name: field.property, type: field.target == nil ? field.type : .link,
          collection: .none,
          isNullable: isNullable, isPrimaryKey: field.isPrimaryKey && schema == nil,
          isNew: column == nil, target: field.target,
          typeText: typeText(
            field.type, .none, isNullable && field.type != .mixed || field.target != nil,
            field.target))
      }
      return Class(
        name: table.className, isNew: schema == nil, kind: .topLevel, count: table.count,
        properties: properties)
    }
  }

  private static func property(
    _ name: String, _ seen: SeenClass, _ schema: TableSchema?, _ classes: StoredSchema?,
    _ given: ColumnType?, isKey: Bool
  ) throws -> Property {
    if let column = schema?.column(named: name) {
      let target = classes?.target(of: column)?.displayName
      return Property(
        name: name, type: column.type, collection: column.collection,
        isNullable: column.isNullable, isPrimaryKey: column.isPrimaryKey, isNew: false,
        typeText: Self.typeText(
          column.type, column.collection, column.isNullable && column.type != .mixed, target))
    }
    var (type, isList, isNullable) = seen.guesses[name]?.result ?? (.string, false, true)
    if seen.guesses[name]?.count ?? 0 < seen.count { isNullable = !isList }
    var note = seen.guesses[name]?.guess.contradiction(to: type)
    if let given { (type, isList, note) = (given, false, nil) }
    if isKey {
      guard type.canBePrimaryKey, !isList else {
        throw ToolFailure.usage(
          "'\(name)' cannot be a primary key: its values are \(SchemaJSON.typeName(type)). Use "
            + "--type \(name)=string if they are to be texts.")
      }
      isNullable = false
    }
    // New properties of a class with objects are optional.
    if schema != nil, !isList { isNullable = true }
    return Property(
      name: name, type: type, collection: isList ? .list : .none, isNullable: isNullable,
      isPrimaryKey: isKey, isNew: true,
      typeText: Self.typeText(type, isList ? .list : .none, isNullable && type != .mixed, nil),
      note: note)
  }

  private static func typeText(
    _ type: ColumnType, _ collection: CollectionKind, _ isNullable: Bool,
    _ target: String?
  ) -> String {
    let element = (target ?? SchemaJSON.typeName(type)) + (isNullable ? "?" : "")
    return collection == .none ? element : "\(collection) of \(element)"
  }

  /// The plan as people read it.
  package var text: String {
    var lines: [String] = []
    for type in classes {
      lines.append(
        "\(type.name): \(type.count) \(type.count == 1 ? "object" : "objects")"
          + (type.isNew ? ", a new class" : ""))
      for property in type.properties {
        var line = "  \(property.name): \(property.typeText)"
        if property.isPrimaryKey { line += ", primary key" }
        if property.isNew, !type.isNew { line += ", new" }
        if let note = property.note { line += " (\(note))" }
        lines.append(line)
      }
    }
    return (lines + notes).map { $0 + "\n" }.joined()
  }

  package var json: JSONValue {
    .array(
      classes.map { type in
        [
          "class": .string(type.name), "new": .bool(type.isNew),
          "objects": .integer(Int64(type.count)),
          "properties": .array(
            type.properties.map {
              [
                "name": .string($0.name), "type": .string($0.typeText),
                "primaryKey": .bool($0.isPrimaryKey), "new": .bool($0.isNew),
                "note": JSONValue($0.note),
              ]
            }),
        ]
      })
  }

  /// Makes the missing classes and properties of the file.
  package func apply(to group: WriteGroup) throws {
    for type in classes where try group.table(named: "class_" + type.name) == nil {
      _ = try group.createTable(named: "class_" + type.name, kind: type.kind)
    }
    for type in classes {
      guard let table = try group.table(named: "class_" + type.name) else { continue }
      for property in type.properties where property.isNew {
        let target = try property.target.flatMap { try group.key(ofTable: "class_" + $0) }
        let column = try table.addColumn(
          named: property.name, type: property.type, collection: property.collection,
          isNullable: property.isNullable, target: target)
        if let index = property.index { try table.columns.setIndex(index, column.key) }
        if property.isPrimaryKey { try table.setPrimaryKey(column.key) }
      }
    }
    if let schemaVersion, try group.schemaVersion() == nil {
      try group.setSchemaVersion(schemaVersion)
    }
  }

  /// The properties of a class and how often they were seen.
  private struct SeenClass {
    var count = 0
    /// The names of the properties, in the order of their first values.
    var order: [String] = []
    var guesses: [String: CountedGuess] = [:]
  }

  private struct CountedGuess {
    /// Whether the property has its place in the order.
    var isListed = false
    var count = 0
    var guess = ValueGuess()
    var result: (type: ColumnType, isList: Bool, isNullable: Bool) { guess.result }
  }

  /// What a class's objects had, by the numbers of their properties.
  private final class Tally {
    let fields: RecordFields
    private var count = 0
    /// The numbers of the properties, in the order of their first values.
    private var order: [Int] = []
    private var guesses: [CountedGuess] = []

    init(_ fields: RecordFields) { self.fields = fields }

    /// Takes the properties into account that have no values yet.
    func declare() {
      while guesses.count < fields.names.count {
        order.append(guesses.count)
        guesses.append(CountedGuess(isListed: true))
      }
    }

    func add(_ record: ImportRecord) {
      count += 1
      while guesses.count < fields.names.count { guesses.append(CountedGuess()) }
      for cell in record.cells {
        if !guesses[cell.field].isListed {
          guesses[cell.field].isListed = true
          order.append(cell.field)
        }
        guesses[cell.field].count += 1
        guesses[cell.field].guess.add(cell, of: record)
      }
    }

    var seen: SeenClass {
      SeenClass(
        count: count, order: order.map { fields.names[$0] },
        guesses: Dictionary(
          uniqueKeysWithValues: order.map { (fields.names[$0], guesses[$0]) }))
    }
  }

  private struct Found {
    /// The names of the classes, in the order in which they were met.
    private(set) var order: [String] = []
    private var tallies: [String: Tally] = [:]
    /// That of the last object.
    private var last: Tally?
    private(set) var declared: [String: DeclaredSchema.Class] = [:]
    private(set) var schemaVersion: UInt64?
    /// The first ones.
    private(set) var badRows: [BadRow] = []

    /// What was seen of a class.
    func seen(_ className: String) -> SeenClass { tallies[className]?.seen ?? SeenClass() }

    mutating func declare(_ schema: DeclaredSchema) {
      schemaVersion = schema.version
      for type in schema.classes {
        if declared[type.name] == nil, tallies[type.name] == nil { order.append(type.name) }
        declared[type.name] = type
      }
    }

    mutating func declare(_ fields: RecordFields) { tally(of: fields).declare() }

    mutating func add(_ row: BadRow) {
      if badRows.count < ImportReport.keptRowCount { badRows.append(row) }
    }

    mutating func add(_ record: ImportRecord) {
      let tally = last?.fields === record.fields ? last : tally(of: record.fields)
      tally?.add(record)
    }

    private mutating func tally(of fields: RecordFields) -> Tally {
      let name = fields.className
      if declared[name] == nil, tallies[name] == nil { order.append(name) }
      let tally = tallies[name] ?? Tally(fields)
      tallies[name] = tally
      last = tally
      return tally
    }
  }
}
#endif
