// SPDX-License-Identifier: Apache-2.0

// The differences between the model classes and the tables of a file.
//
// Tables of classes that the program does not declare are ignored. New classes and changed indexes
// never need a higher schema version; everything else does.
//
// The schema of a synchronised file only grows, whatever the versions: new classes and properties
// are added, what only the file has stays, and everything else is refused. Indexes, which are the
// device's own, change with a higher version.

import RealmTables

/// One difference, with the information needed to remove it.
enum SchemaDifference {
  case addClass(ModelSchema)
  case addProperty(ModelSchema, ModelProperty)
  case removeProperty(ModelSchema, Column)
  case changeType(ModelSchema, ModelProperty, Column, from: String)
  case changeNullability(ModelSchema, ModelProperty, Column)
  case changeIndex(ModelSchema, ModelProperty, Column)
  case changePrimaryKey(ModelSchema, from: String?)
  case changeKind(ModelSchema, from: TableKind)

  /// Whether the file may be aligned without a higher schema version.
  var isAutomatic: Bool {
    switch self {
    case .addClass, .changeIndex: true
    default: false
    }
  }

  /// The documented line that describes the difference.
  var text: String {
    switch self {
    case .addClass(let schema):
      return "Class '\(schema.className)' has been added."
    case .addProperty(let schema, let property):
      return "Property '\(schema.className).\(property.columnName)' has been added."
    case .removeProperty(let schema, let column):
      return "Property '\(schema.className).\(column.name)' has been removed."
    case .changeType(let schema, let property, let column, let from):
      return "Property '\(schema.className).\(column.name)' has been changed from '\(from)' to "
        + "'\(property.shape)'."
    case .changeNullability(let schema, let property, let column):
      return "Property '\(schema.className).\(column.name)' has been made "
        + "\(property.shape.isOptional ? "optional" : "required")."
    case .changeIndex(let schema, let property, let column):
      return "Property '\(schema.className).\(column.name)' has been made "
        + "\(property.indexKind == nil ? "unindexed" : "indexed")."
    case .changePrimaryKey(let schema, let from):
      return SchemaDifference.primaryKeyText(schema, from: from)
    case .changeKind(let schema, let from):
      return "Class '\(schema.className)' has been changed from \(from.name) to "
        + "\(schema.tableKind.name)."
    }
  }

  private static func primaryKeyText(_ schema: ModelSchema, from: String?) -> String {
    let start = "Primary Key for class '\(schema.className)' has been "
    switch (from, schema.primaryKey?.columnName) {
    case (nil, _): return start + "added."
    case (_, nil): return start + "removed."
    case (let from?, let to?): return start + "changed from '\(from)' to '\(to)'."
    }
  }
}

/// All differences between the classes of a configuration and a file.
struct SchemaComparison {
  private(set) var differences: [SchemaDifference] = []
  /// The version of the file's schema; nil in a file that has none.
  let storedVersion: UInt64?
  /// Whether the schema of the file only grows, as that of a synchronised one.
  let isAdditive: Bool

  init(
    _ schemas: [ModelSchema], _ tables: [String: TableSchema], _ storedVersion: UInt64?,
    isAdditive: Bool = false
  ) {
    self.storedVersion = storedVersion
    self.isAdditive = isAdditive
    let classNames = Dictionary(
      uniqueKeysWithValues: tables.values.map { ($0.key, $0.className ?? $0.name) })
    // Classes of one name show one table, whose columns are those of all of them.
    for (name, sharing) in Dictionary(grouping: schemas, by: \.tableName)
      .sorted(by: { $0.key < $1.key })
    {
      var known: Set<String> = []
      let stored = sharing.map { schema in
        schema.properties.filter {
          $0.shape.type != .linkingObjects && known.insert($0.columnName).inserted
        }
      }
      guard let table = tables[name] else {
        differences.append(.addClass(sharing[0]))
        for (schema, properties) in zip(sharing, stored).dropFirst() {
          differences += properties.map { .addProperty(schema, $0) }
        }
        continue
      }
      compare(sharing[0], table)
      for (schema, properties) in zip(sharing, stored) {
        compare(schema, properties, table, classNames)
      }
      for column in table.columns where !known.contains(column.name) {
        differences.append(.removeProperty(sharing[0], column))
      }
      comparePrimaryKey(sharing[0], table)
    }
  }

  private mutating func compare(_ schema: ModelSchema, _ table: TableSchema) {
    if table.kind != schema.tableKind {
      differences.append(.changeKind(schema, from: table.kind))
    }
  }

  private mutating func comparePrimaryKey(_ schema: ModelSchema, _ table: TableSchema) {
    if table.primaryKey?.name != schema.primaryKey?.columnName {
      differences.append(.changePrimaryKey(schema, from: table.primaryKey?.name))
    }
  }

  /// Compares some properties of a class with the columns of its table.
  private mutating func compare(
    _ schema: ModelSchema, _ properties: [ModelProperty], _ table: TableSchema,
    _ classNames: [TableKey: String]
  ) {
    for property in properties {
      guard let column = table.column(named: property.columnName) else {
        differences.append(.addProperty(schema, property))
        continue
      }
      let storedType = column.typeDescription(classNames)
      if storedType != property.shape.description {
        differences.append(.changeType(schema, property, column, from: storedType))
      } else if column.canBeRequired, column.isNullable != property.shape.isOptional {
        differences.append(.changeNullability(schema, property, column))
      }
      // A full-text index that another SDK made stays, if the class declares no other.
      let hasOtherIndex =
        column.indexKind != property.indexKind && !(column.isFullText && property.indexKind == nil)
      if !property.isPrimaryKey, !column.isPrimaryKey, hasOtherIndex {
        differences.append(.changeIndex(schema, property, column))
      }
    }
  }

  /// Whether the file must be written so that a realm of schema version `version` can use it.
  func needsWrite(to version: UInt64) -> Bool {
    if isAdditive {
      return !additions(for: version).differences.isEmpty
        || storedVersion != self.version(after: version)
    }
    return !differences.isEmpty || storedVersion != version
  }

  /// Whether the file has another schema, or version, than one that can be used unchanged.
  func needsMigration(to version: UInt64) -> Bool {
    guard let storedVersion, !isAdditive else { return false }
    return storedVersion != version || differences.contains { !$0.isAutomatic }
  }

  /// Checks that the configuration may open the file.
  ///
  /// - Throws: `Realm.Error.schemaMismatch`, or `.fail` for a schema version that is too low.
  func check(for configuration: Realm.Configuration) throws(Realm.Error) {
    let path = configuration.location.path
    if isAdditive, !configuration.readOnly { return try checkAdditions(path) }
    if !isAdditive, let storedVersion, storedVersion > configuration.schemaVersion {
      throw Realm.Error(
        .fail,
        message: "Provided schema version \(configuration.schemaVersion) is less than last set "
          + "version \(storedVersion). Set 'schemaVersion' of the configuration of '\(path)' to "
          + "\(storedVersion) or more, or use the newer program that wrote the file.",
        path: path)
    }
    if configuration.readOnly {
      let forbidden = differences.filter { difference in
        switch difference {
        case .addClass, .changeIndex, .removeProperty: false
        default: true
        }
      }
      try refuse(
        forbidden, "The following changes cannot be made in read-only schema mode:",
        remedy: "Open the file '\(path)' with a configuration that is not read-only first.", path)
    } else if storedVersion == configuration.schemaVersion {
      try refuse(
        differences.filter { !$0.isAutomatic },
        "Migration is required due to the following errors:",
        remedy: "Raise 'schemaVersion' of the configuration of '\(path)', which is "
          + "\(configuration.schemaVersion), and set its 'migrationBlock' to keep values.",
        path)
    }
  }

  // MARK: Synchronised files

  /// The schema version of the file when a realm of schema version `version` has been opened.
  func version(after version: UInt64) -> UInt64 {
    isAdditive ? max(version, storedVersion ?? 0) : version
  }

  /// What opening a synchronised file with schema version `version` changes.
  func additions(for version: UInt64) -> SchemaComparison {
    let changesIndexes = storedVersion.map { $0 < version } ?? true
    var additions = self
    additions.differences.removeAll { difference in
      switch difference {
      case .addClass, .addProperty: false
      case .changeIndex: !changesIndexes
      default: true
      }
    }
    return additions
  }

  private func checkAdditions(_ path: String) throws(Realm.Error) {
    let forbidden = differences.filter { difference in
      switch difference {
      case .addClass, .addProperty, .changeIndex, .removeProperty: false
      default: true
      }
    }
    try refuse(
      forbidden, "The following changes cannot be made in additive-only schema mode:",
      remedy: "Other devices have the classes of '\(path)', too. Add a property, or a class, of "
        + "another name instead.",
      path)
  }

  private func refuse(
    _ differences: [SchemaDifference], _ title: String, remedy: String, _ path: String
  ) throws(Realm.Error) {
    guard !differences.isEmpty else { return }
    let lines = differences.map { "- \($0.text)" }
    throw Realm.Error(
      .schemaMismatch, message: ([title] + lines + [remedy]).joined(separator: "\n"), path: path)
  }
}
