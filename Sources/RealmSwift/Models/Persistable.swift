// SPDX-License-Identifier: Apache-2.0

// What a type must be able to do to be the type of a `@Persisted` property.

/// Types that are stored as another type (or as themselves).
public protocol _HasPersistedType: SendableMetatype {
  /// The type that is stored.
  associatedtype PersistedType
}

/// Types that `@Persisted` properties can have.
public protocol _Persistable: _HasPersistedType {
  /// How the database stores the property.
  static var _shape: _PropertyShape { get }

  /// The value of a property that has no other: made anew for each object.
  static func _makeDefault() -> Self

  /// What an object that records key paths gives for the property it was just asked for.
  static func _traced(by recording: _Recording) -> Self
}

extension _Persistable {
  /// Scalars end a key path.
  public static func _traced(by recording: _Recording) -> Self {
    _ = recording.record()
    return _makeDefault()
  }
}

/// Types of properties that can be `indexed`.
public protocol _Indexable {}

/// Types of properties that can be the primary key.
public protocol _PrimaryKey {}

/// How a property is stored.
public struct _PropertyShape: Sendable {
  /// Whether the property is one value or a collection of them.
  @usableFromInline
  enum Collection: Sendable { case none, list, set, map }

  @usableFromInline let type: PropertyType
  @usableFromInline var collection = Collection.none
  @usableFromInline var isOptional = false
  /// The class that a link, or a backlink, leads to.
  @usableFromInline var linkedClass: ObjectBase.Type?

  @usableFromInline
  init(_ type: PropertyType, linkedClass: ObjectBase.Type? = nil) {
    self.type = type
    self.linkedClass = linkedClass
  }
}

/// The types of values that the database stores.
public enum PropertyType: Int32, Sendable {
  case int = 0
  case bool = 1
  case string = 2
  case data = 3
  case date = 4
  case float = 5
  case double = 6
  case object = 7
  case linkingObjects = 8
  case any = 9
  case objectId = 10
  case decimal128 = 11
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case UUID = 12
}
