// SPDX-License-Identifier: Apache-2.0

// Model classes as their files have them: for servers that share the classes of an app.

package import RealmTables

/// The declaration of a model class, without its Swift type.
package struct ClassDeclaration: Hashable, Sendable {
  /// A stored property.
  package struct Property: Hashable, Sendable {
    package let name: String
    package let type: ColumnType
    package let collection: CollectionKind
    package let isNullable: Bool
    package let index: IndexKind?
    /// The class of its links.
    package let target: String?
  }

  package let name: String
  package let kind: TableKind
  package let primaryKey: String?
  package let properties: [Property]

  private init(_ schema: ModelSchema) {
    name = schema.className
    kind = schema.tableKind
    primaryKey = schema.primaryKey?.columnName
    properties = schema.properties.compactMap { property in
      let shape = property.shape
      guard let type = shape.columnType else { return nil }
      return Property(
        name: property.columnName, type: type, collection: shape.collectionKind,
        isNullable: shape.isColumnNullable, index: property.indexKind,
        target: type == .link ? shape.linkedClassName : nil)
    }
  }

  /// The declarations of some classes, and of those behind their links, by name.
  package static func all(_ classes: [ObjectBase.Type]) -> [ClassDeclaration] {
    var found: [String: ClassDeclaration] = [:]
    var rest = classes
    while let next = rest.popLast() {
      let schema = ModelSchema.of(next)
      guard found[schema.className] == nil else { continue }
      found[schema.className] = ClassDeclaration(schema)
      rest += schema.properties.filter { $0.shape.columnType == .link }
        .compactMap(\.shape.linkedClass)
    }
    return found.values.sorted { $0.name < $1.name }
  }

  /// The names in files of the properties on the way of a key path, joined by dots.
  package static func path<T: ObjectBase>(_ keyPath: PartialKeyPath<T>) -> String {
    var schema: ModelSchema? = ModelSchema.of(T.self)
    return _name(for: keyPath).split(separator: ".").map { name in
      let property = schema?.property(named: String(name))
      schema = property?.linkedSchema
      return property?.columnName ?? String(name)
    }.joined(separator: ".")
  }
}
