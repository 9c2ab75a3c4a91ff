// SPDX-License-Identifier: Apache-2.0

// The requirements on types of properties and of elements of collections.

import RealmSession
import RealmStorage
import RealmTables

/// Types that are stored as another type, or as themselves.
public protocol _HasPersistedType: SendableMetatype {
  /// The type that is stored.
  associatedtype PersistedType
}

/// Types that the database can store.
public protocol _Storable: _HasPersistedType {
  /// The kind of property or elements that the database stores.
  static var _shape: _PropertyShape { get }

  /// Whether values are made of objects without being objects.
  static var _wrapsObject: Bool { get }

  /// Converts `any`, a value from a dictionary, an array or an untyped setter; nil if it is not of
  /// this type.
  static func _convert(_ any: Any) -> Self?

  /// Converts `any`, which is not nil, for an optional of this type; inside, nil if it is a stored
  /// value that represents no value of this type.
  static func _convertOptional(_ any: Any) -> Self??

  /// `value` as a stored value, if it and this type are scalars.
  static func _storedScalar(_ value: Any) -> _StoredValue?

  /// `value`, which is not nil, as a stored value of an optional, if it and this type are scalars.
  static func _storedScalarOptional(_ value: Any) -> _StoredValue?
}

/// Types that can be described as a property of a schema.
public typealias _RealmSchemaDiscoverable = _Storable

/// Types that `@Persisted` properties can have.
public protocol _Persistable: _Storable {
  /// The value of a property without an initial one, made separately for each object.
  static func _makeDefault() -> Self

  /// Whether the default is the value that a new row of the database holds.
  static var _isDefaultZero: Bool { get }

  /// The value that an object that records key paths returns for the property just read.
  static func _traced(by recording: _Recording) -> Self

  /// Reads the property of a managed object, whose row is current, from a column.
  static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self

  /// Reads the property of the object of a walk: as `_load(_:_:)`, from a leaf that is at hand.
  static func _load(_ leaf: _WalkedLeaf, _ object: ObjectBase, _ slot: _ColumnSlot) -> Self

  /// Sets the property of a managed object.
  static func _store(_ value: Self, _ object: ObjectBase, _ slot: _ColumnSlot)

  /// Sets the property of a managed object to the value that its wrapper holds from before.
  ///
  /// A requirement, so that each type has code of its own instead of generic code that looks types
  /// up at run time.
  static func _storeUnmanaged(_ wrapper: _Wrapper, _ object: ObjectBase, _ slot: _ColumnSlot)

  /// The stored form of the value in the wrapper of an unmanaged object, if it is a scalar.
  static func _storedUnmanaged(_ wrapper: _Wrapper) -> _StoredValue?
}

/// A `@Persisted` field in an object.
@safe
public struct _Wrapper {
  let address: UnsafeMutableRawPointer
  /// Whether the object's row is new, with zeros everywhere.
  let isFresh: Bool

  /// The value, if the program set or read it before.
  @inline(__always)
  func value<Value: _Persistable>(_ type: Value.Type) -> Value? {
    unsafe address.assumingMemoryBound(to: Persisted<Value>.self).pointee.value
  }

  func clear<Value: _Persistable>(_ type: Value.Type) {
    unsafe address.assumingMemoryBound(to: Persisted<Value>.self).pointee.value = nil
  }
}

extension _Storable {
  public static var _wrapsObject: Bool { false }

  public static func _convertOptional(_ any: Any) -> Self?? {
    _convert(any).map { .some($0) }
  }

  public static func _storedScalar(_ value: Any) -> _StoredValue? { nil }

  public static func _storedScalarOptional(_ value: Any) -> _StoredValue? { _storedScalar(value) }
}

extension _Persistable {
  public static var _isDefaultZero: Bool { true }

  @inlinable @inline(__always)
  public static func _load(
    _ leaf: _WalkedLeaf, _ object: ObjectBase, _ slot: _ColumnSlot
  ) -> Self {
    _load(object, slot)
  }

  public static func _storeUnmanaged(
    _ wrapper: _Wrapper, _ object: ObjectBase, _ slot: _ColumnSlot
  ) {
    if let value = wrapper.value(Self.self) {
      _store(value, object, slot)
    } else if !wrapper.isFresh || !_isDefaultZero {
      _store(_makeDefault(), object, slot)
    }
  }

  public static func _storedUnmanaged(_ wrapper: _Wrapper) -> _StoredValue? { nil }
}

/// Types whose `Optional` can be the type of a property: scalars and links.
public protocol _OptionalPersistable: _Storable {
  /// The value that an object that records key paths returns for the property just read.
  static func _tracedOptional(by recording: _Recording) -> Self?

  /// Reads the property, or nil, of a managed object, whose row is current, from a column.
  static func _loadOptional(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self?

  /// Sets the property of a managed object.
  static func _storeOptional(_ value: Self?, _ object: ObjectBase, _ slot: _ColumnSlot)

  /// As `_Persistable._storeUnmanaged`, for a property that can be nil.
  static func _storeUnmanagedOptional(
    _ wrapper: _Wrapper, _ object: ObjectBase, _ slot: _ColumnSlot)

  /// As `_Persistable._storedUnmanaged`, for a property that can be nil.
  static func _storedUnmanagedOptional(_ wrapper: _Wrapper) -> _StoredValue?
}

extension _OptionalPersistable {
  public static func _storeUnmanagedOptional(
    _ wrapper: _Wrapper, _ object: ObjectBase, _ slot: _ColumnSlot
  ) {
    if let value = wrapper.value(Self?.self) {
      _storeOptional(value, object, slot)
    } else if !wrapper.isFresh {
      _storeOptional(nil, object, slot)
    }
  }

  public static func _storedUnmanagedOptional(_ wrapper: _Wrapper) -> _StoredValue? { nil }
}

/// Types that lists and results hold.
public protocol RealmCollectionValue: Hashable, _Storable {
  /// The element that `value` represents, in the realm of `context`.
  static func _decode(_ value: _StoredValue, _ context: _RealmContext) -> Self

  /// The stored value; objects that are not in the realm of `context` are added to it.
  static func _encode(_ value: Self, _ context: _RealmContext) -> _StoredValue

  /// The value that a recording list returns for any of its elements.
  static func _tracedElement(by recording: _Recording) -> Self
}

/// Types whose `Optional` can be an element: scalars, and objects as values of maps.
public protocol _RealmCollectionValueInsideOptional: RealmCollectionValue {
  /// The element that `value` represents, in the realm of `context`; nil for null.
  static func _decodeOptional(_ value: _StoredValue, _ context: _RealmContext) -> Self?
}

/// Types of properties that can be `indexed`.
public protocol _Indexable {}

/// Types of properties that can have an index of their words.
public protocol _TextIndexable {}

extension String: _TextIndexable {}
extension Optional: _TextIndexable where Wrapped: _TextIndexable {}

/// Types of properties that can be the primary key.
public protocol _PrimaryKey {}

/// A stored value.
public struct _StoredValue {
  let value: TableValue

  init(_ value: TableValue) { self.value = value }
}

/// The realm that values are read from or written to.
public struct _RealmContext {
  let core: RealmCore
  /// The class of the objects that are read; nil for scalars.
  let info: ClassInfo?
  /// The position of the value that is read, if it is a collection inside a mixed value.
  let place: NestedPlace?
  /// The number of collections that enclose the value that is written.
  var depth = 0
  /// The kind of collection that holds the values that are written; none for a property.
  var kind = CollectionKind.none
  /// The property with the values; nil if it is unknown.
  private let source: ValueOwner?

  init(
    _ core: RealmCore, _ info: ClassInfo? = nil, at place: NestedPlace? = nil,
    of source: ValueOwner? = nil
  ) {
    self.core = core
    self.info = info
    self.place = place
    self.source = source
  }

  /// Reports a stored value of another type; traps with `text` if damage is not taken.
  func meetContradiction(_ text: String) {
    guard core.takesDamage else { throwRealmException(text) }
    if let source { source.meet(.corrupted(text)) } else { core.meet(.corrupted(text)) }
  }
}
