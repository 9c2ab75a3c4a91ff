// SPDX-License-Identifier: Apache-2.0

// The types of values that the database stores, as the API names them.

/// The stored form of a property: its kind of collection, its type and the class of its links.
public struct _PropertyShape: Sendable {
  /// Whether the property is one value or a collection of them.
  @usableFromInline
  enum Collection: Sendable { case none, list, set, map }

  @usableFromInline let type: PropertyType
  @usableFromInline var collection = Collection.none
  @usableFromInline var isOptional = false
  /// The class that a link, or a backlink, leads to.
  @usableFromInline var linkedClass: ObjectBase.Type?
  /// The name of that class where `linkedClass` is nil: for dynamic objects.
  var linkedName: String?

  @usableFromInline
  init(_ type: PropertyType, linkedClass: ObjectBase.Type? = nil) {
    self.type = type
    self.linkedClass = linkedClass
  }
}

/// The types of values that the database stores.
public enum PropertyType: Int32, Sendable {
  /// All integers.
  case int = 0
  /// `Bool`.
  case bool = 1
  /// `String`.
  case string = 2
  /// `Data`.
  case data = 3
  /// `Date`.
  case date = 4
  /// `Float`.
  case float = 5
  /// `Double`.
  case double = 6
  /// A link to an object.
  case object = 7
  /// The objects that link here.
  case linkingObjects = 8
  /// `AnyRealmValue`.
  case any = 9
  /// `ObjectId`.
  case objectId = 10
  /// `Decimal128`.
  case decimal128 = 11
  /// `UUID`.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case UUID = 12
}

extension PropertyType: CustomStringConvertible {
  /// The name of the type as error messages spell it.
  public var description: String {
    switch self {
    case .int: "int"
    case .bool: "bool"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .float: "float"
    case .double: "double"
    case .object: "object"
    case .linkingObjects: "linking objects"
    case .any: "mixed"
    case .objectId: "object id"
    case .decimal128: "decimal128"
    case .UUID: "uuid"
    }
  }
}
