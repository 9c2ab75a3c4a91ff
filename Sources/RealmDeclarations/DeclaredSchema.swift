// SPDX-License-Identifier: Apache-2.0

// Classes without a file: as an export declares them for an import, or the folder of an app.

package import RealmFormats
package import RealmQuery
package import RealmTables

/// Declarations of classes.
package struct DeclaredSchema: Hashable, Sendable {
  /// A property.
  package struct Property: Hashable, Sendable {
    package let name: String
    package let type: ColumnType
    package let collection: CollectionKind
    package let isNullable: Bool
    package let index: IndexKind?
    /// The class of its links.
    package let target: String?

    package init(
      name: String, type: ColumnType, collection: CollectionKind = .none, isNullable: Bool = false,
      index: IndexKind? = nil, target: String? = nil
    ) {
      self.name = name
      self.type = type
      self.collection = collection
      self.isNullable = isNullable
      self.index = index
      self.target = target
    }
  }

  /// A class.
  package struct Class: Hashable, Sendable {
    package let name: String
    package let kind: TableKind
    package var primaryKey: String?
    package var properties: [Property]

    package init(name: String, kind: TableKind, primaryKey: String?, properties: [Property] = []) {
      self.name = name
      self.kind = kind
      self.primaryKey = primaryKey
      self.properties = properties
    }
  }

  /// The version of the schema; nil if there is none.
  package let version: UInt64?
  package let classes: [Class]

  package init(_ classes: [Class], version: UInt64? = nil) {
    self.version = version
    self.classes = classes
  }

  /// The class of a name; nil if there is none.
  package subscript(name: String) -> Class? { classes.first { $0.name == name } }

  // MARK: From a file

  /// All classes of a file.
  package init(_ classes: StoredSchema) { self.init(classes.all, of: classes, version: nil) }

  /// Some classes of a file, and the ones behind their links.
  package init(_ selection: [TableSchema], of classes: StoredSchema, version: UInt64?) {
    var names = Set(selection.map(\.displayName))
    var rest = selection
    while let schema = rest.popLast() {
      for target in schema.columns.compactMap({ classes.target(of: $0) })
      where names.insert(target.displayName).inserted { rest.append(target) }
    }
    self.version = version
    self.classes = classes.all.filter { names.contains($0.displayName) }.map { schema in
      Class(
        name: schema.displayName, kind: schema.kind, primaryKey: schema.primaryKey?.name,
        properties: schema.columns.map { column in
          Property(
            name: column.name, type: column.type, collection: column.collection,
            isNullable: column.isNullable, index: column.indexKind,
            target: classes.target(of: column)?.displayName)
        })
    }
  }

  // MARK: JSON

  /// The error of a declaration.
  package struct Problem: Error {
    package let reason: String
  }

  /// Reads the output of `json`.
  package init(_ json: JSONValue) throws(Problem) {
    version = json["version"]?.integer.flatMap { UInt64(exactly: $0) }
    guard case .array(let values)? = json["classes"] else {
      throw Problem(reason: "the schema names no classes")
    }
    var classes: [Class] = []
    for value in values { classes.append(try Self.declaredClass(value)) }
    self.classes = classes
    let names = Set(classes.map(\.name))
    guard names.count == classes.count else {
      throw Problem(reason: "the schema has two classes of one name")
    }
    for type in classes {
      for property in type.properties where property.type == .link {
        guard let target = property.target, names.contains(target) else {
          throw Problem(
            reason: "the schema lacks the class that '\(type.name).\(property.name)' links to")
        }
      }
    }
  }

  private static func declaredClass(_ json: JSONValue) throws(Problem) -> Class {
    let kinds: [String: TableKind] = [
      "topLevel": .topLevel, "embedded": .embedded, "asymmetric": .asymmetric,
    ]
    guard let name = json["name"]?.string, !name.isEmpty,
      let kind = kinds[json["kind"]?.string ?? "topLevel"],
      case .array(let values)? = json["properties"]
    else { throw Problem(reason: "a class of the schema has no name, kind or properties") }
    var properties: [Property] = []
    for value in values { properties.append(try property(value, of: name)) }
    let key = json["primaryKey"]?.string
    let isFine = key.map { key in
      properties.contains { $0.name == key && $0.type.canBePrimaryKey && $0.collection == .none }
    }
    guard isFine ?? true, Set(properties.map(\.name)).count == properties.count else {
      throw Problem(reason: "the properties of '\(name)' are no properties of a class")
    }
    return Class(name: name, kind: kind, primaryKey: key, properties: properties)
  }

  private static func property(
    _ json: JSONValue, of className: String
  ) throws(Problem) -> Property {
    let collection = json["collection"]?.string
    guard let name = json["name"]?.string, !name.isEmpty, let typeName = json["type"]?.string,
      let type = typeName == "object" ? .link : SchemaJSON.type(named: typeName),
      let kind = collection.map(CollectionKind.init) ?? CollectionKind.none
    else { throw Problem(reason: "a property of '\(className)' has no name or type") }
    let index: IndexKind? =
      json["fullText"] == .bool(true)
      ? .fullText : json["indexed"] == .bool(true) ? .general : nil
    return Property(
      name: name, type: type, collection: kind, isNullable: json["optional"] == .bool(true),
      index: index, target: json["target"]?.string)
  }

  /// The declaration, readable by `init(_:)`.
  package var json: JSONValue {
    [
      "version": version.map { .integer(Int64(clamping: $0)) } ?? .null,
      "classes": .array(classes.map(Self.json)),
    ]
  }

  private static func json(_ type: Class) -> JSONValue {
    [
      "name": .string(type.name), "kind": .string("\(type.kind)"),
      "primaryKey": JSONValue(type.primaryKey),
      "properties": .array(
        type.properties.map { property in
          [
            "name": .string(property.name), "type": .string(SchemaJSON.typeName(property.type)),
            "collection": JSONValue(property.collection.name),
            "optional": .bool(property.isNullable), "indexed": .bool(property.index == .general),
            "fullText": .bool(property.index == .fullText),
            "target": JSONValue(property.target),
          ]
        }),
    ]
  }
}
