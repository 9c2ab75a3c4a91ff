// SPDX-License-Identifier: Apache-2.0

// The public description of a stored property.

/// A property of a class in the schema of a realm.
public struct Property: Hashable, Sendable {
  /// The name of the property.
  public let name: String
  /// The name of the column that stores it.
  public let columnName: String
  /// The type of the value, or of the elements of a collection.
  public let type: PropertyType
  /// Whether the property is a list.
  public let isArray: Bool
  /// Whether the property is a set.
  public let isSet: Bool
  /// Whether the property is a map.
  public let isMap: Bool
  /// Whether the property has a search index.
  public let isIndexed: Bool
  /// Whether the value, or an element of the collection, can be nil.
  public let isOptional: Bool
  /// The name of the class that the property links to; nil for other types.
  public let objectClassName: String?

  /// Whether it is the primary key.
  let isPrimary: Bool
  private let originProperty: String?

  init(_ property: ModelProperty) {
    let shape = property.shape
    name = property.name
    columnName = property.columnName
    type = shape.type
    isArray = shape.collection == .list || shape.type == .linkingObjects
    isSet = shape.collection == .set
    isMap = shape.collection == .map
    isIndexed = property.isIndexed || property.isPrimaryKey
    isOptional = shape.isOptional
    objectClassName = shape.linkedClassName
    isPrimary = property.isPrimaryKey
    originProperty = property.originProperty
  }
}

extension Property: CustomStringConvertible {
  /// The name and all attributes, one per line.
  public var description: String {
    var lines = ["type = \(type);"]
    if let objectClassName {
      lines.append("objectClassName = \(objectClassName);")
      lines.append("linkOriginPropertyName = \(originProperty ?? "(null)");")
    }
    lines.append("columnName = \(columnName);")
    let attributes: [(String, Bool)] = [
      ("indexed", isIndexed), ("isPrimary", isPrimary), ("array", isArray), ("set", isSet),
      ("dictionary", isMap), ("optional", isOptional),
    ]
    lines += attributes.map { "\($0) = \($1 ? "YES" : "NO");" }
    return "\(name) {\n" + lines.map { "\t\($0)\n" }.joined() + "}"
  }
}
