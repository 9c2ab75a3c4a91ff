// SPDX-License-Identifier: Apache-2.0

// Types of the program as properties and elements, stored as another type.

import RealmSession
import RealmTables

/// A type that properties and collections can have, because its values are stored as those of
/// another type: any scalar, or a class of embedded objects.
///
/// ```swift
/// extension Duration: CustomPersistable {
///   init(persistedValue: Int64) { self = .milliseconds(persistedValue) }
///   var persistableValue: Int64 { components.seconds * 1000 }
/// }
/// ```
///
/// Values are converted whenever a property is read or set. The type can be the primary key or be
/// indexed if `PersistedType` can, and orders and queries follow the stored values. Stored as an
/// embedded object, a property is never nil in the database: the object is made with its owner. See
/// `FailableCustomPersistable` for conversions that may fail.
public protocol CustomPersistable: _CustomPersistable {
  /// The type that is stored.
  associatedtype PersistedType

  /// The value that a stored one represents.
  init(persistedValue: PersistedType)

  /// The stored form of this value.
  var persistableValue: PersistedType { get }
}

/// A type that properties and collections can have, as `CustomPersistable`, some of whose stored
/// values may represent no value.
///
/// Reading such a stored value yields nil where the property or element is optional, and traps
/// elsewhere.
public protocol FailableCustomPersistable: _CustomPersistable {
  /// The type that is stored.
  associatedtype PersistedType

  /// The value that a stored one represents; nil if it represents none.
  init?(persistedValue: PersistedType)

  /// The stored form of this value.
  var persistableValue: PersistedType { get }
}

/// The common requirements of `CustomPersistable` and `FailableCustomPersistable`.
public protocol _CustomPersistable: _Scalar {
  /// The value that a stored one represents; nil if it represents none.
  static func _made(from persisted: PersistedType) -> Self?

  /// The stored form of this value.
  var persistableValue: PersistedType { get }
}

extension CustomPersistable {
  public static func _made(from persisted: PersistedType) -> Self? {
    Self(persistedValue: persisted)
  }
}

extension FailableCustomPersistable {
  public static func _made(from persisted: PersistedType) -> Self? {
    Self(persistedValue: persisted)
  }
}

extension _CustomPersistable {
  // Key paths only need names: the default value need not convert.
  public static func _traced(by recording: _Recording) -> Self {
    _ = recording.record()
    return recording.declaredValue(Self.self) ?? _makeDefault()
  }

  public static func _tracedOptional(by recording: _Recording) -> Self? {
    _ = recording.record()
    return nil
  }

  /// The value that `persisted` represents. If there is none, `meet` gets the message: it traps, or
  /// the damage is taken.
  static func required(_ persisted: PersistedType, orElse meet: (String) -> Void) -> Self {
    if let value = _made(from: persisted) { return value }
    meet(
      "Failed to convert persisted value '\(persisted)' to type '\(Self.self)' in a non-optional "
        + "context.")
    return _makeDefault()
  }

  /// The value of properties without an initial value.
  static func defaultValue(_ persisted: PersistedType) -> Self {
    if let value = _made(from: persisted) { return value }
    throwRealmException(
      "Failed to default construct a \(Self.self) using the default value for persisted type "
        + "\(PersistedType.self). This conversion must either succeed, the property must be "
        + "optional, or you must explicitly specify a default value for the property.")
  }

  /// The value for an argument of `create` or of an untyped setter.
  static func converted(_ persisted: PersistedType, from any: Any) -> Self {
    if let value = _made(from: persisted) { return value }
    throwRealmException("Could not convert value '\(any)' to type '\(Self.self)'.")
  }
}

// MARK: - Stored as a scalar

extension _CustomPersistable where PersistedType: _Scalar {
  public static var _type: PropertyType { PersistedType._type }
  public static var _isDefaultZero: Bool { false }

  public static func _makeDefault() -> Self { defaultValue(PersistedType._makeDefault()) }

  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self {
    required(PersistedType._load(object, slot)) { object._meetContradiction($0, slot) }
  }

  public static func _loadOptional(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self? {
    PersistedType._loadOptional(object, slot).flatMap(_made)
  }

  public static func _read(_ row: _LiveRow, _ slot: _ColumnSlot) -> Self {
    required(PersistedType._read(row, slot)) { unsafe row.object._meetContradiction($0, slot) }
  }

  public static func _readOptional(_ row: _LiveRow, _ slot: _ColumnSlot) -> Self? {
    PersistedType._readOptional(row, slot).flatMap(_made)
  }

  public static func _stored(_ value: Self) -> _StoredValue {
    PersistedType._stored(value.persistableValue)
  }

  public static func _scalar(_ value: _StoredValue) -> Self? {
    PersistedType._scalar(value).flatMap(_made)
  }

  public static func _decode(_ value: _StoredValue, _ context: _RealmContext) -> Self {
    required(PersistedType._decode(value, context)) { context.meetContradiction($0) }
  }

  /// Accepts values of this type, and those that the stored type accepts.
  public static func _convert(_ any: Any) -> Self? {
    any as? Self ?? PersistedType._convert(any).map { converted($0, from: any) }
  }

  public static func _convertOptional(_ any: Any) -> Self?? {
    if let same = any as? Self { return same }
    return PersistedType._convert(any).map { _made(from: $0) }
  }

  public static func _storedScalarOptional(_ value: Any) -> _StoredValue? {
    _convertOptional(value).map { $0.map(_stored) ?? _StoredValue(.null) }
  }

  /// Feeds the stored form to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(persistableValue) }
}

// MARK: - Stored as an embedded object

extension EmbeddedObject {
  /// Feeds the values of an object that stands for a value to `hasher`: equal values make different
  /// objects, of which defaults like a new `UUID` say nothing.
  fileprivate func hashScalars(into hasher: inout Hasher) {
    let schema = ModelSchema.of(type(of: self))
    let address = unsafe Unmanaged.passUnretained(self).toOpaque()
    for property in schema.properties where _info == nil {
      let place = unsafe address + property.offset
      guard unsafe property.wrapperType.isAssigned(at: place) else { continue }
      let value = unsafe property.wrapperType.storedUnmanaged(at: place)?.value
      // Equal decimals may have different representations.
      if let value, value.type != .decimal { hasher.combine(value) }
    }
  }
}

extension _CustomPersistable where PersistedType: EmbeddedObject {
  public static var _type: PropertyType { .object }
  public static var _isDefaultZero: Bool { false }
  public static var _wrapsObject: Bool { true }

  public static var _shape: _PropertyShape {
    _PropertyShape(.object, linkedClass: PersistedType.self)
  }

  public static func _makeDefault() -> Self { defaultValue(PersistedType()) }

  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self {
    required(PersistedType._loadOptional(object, slot) ?? PersistedType()) {
      object._meetContradiction($0, slot)
    }
  }

  public static func _loadOptional(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self? {
    PersistedType._loadOptional(object, slot).flatMap(_made)
  }

  public static func _store(_ value: Self, _ object: ObjectBase, _ slot: _ColumnSlot) {
    PersistedType._storeOptional(value.persistableValue, object, slot)
  }

  public static func _storeOptional(_ value: Self?, _ object: ObjectBase, _ slot: _ColumnSlot) {
    PersistedType._storeOptional(value?.persistableValue, object, slot)
  }

  public static func _storedUnmanaged(_ wrapper: _Wrapper) -> _StoredValue? { nil }
  public static func _storedUnmanagedOptional(_ wrapper: _Wrapper) -> _StoredValue? { nil }
  public static func _storedScalar(_ value: Any) -> _StoredValue? { nil }

  public static func _decode(_ value: _StoredValue, _ context: _RealmContext) -> Self {
    required(PersistedType._decodeOptional(value, context) ?? PersistedType()) {
      context.meetContradiction($0)
    }
  }

  public static func _decodeOptional(_ value: _StoredValue, _ context: _RealmContext) -> Self? {
    PersistedType._decodeOptional(value, context).flatMap(_made)
  }

  public static func _encode(_ value: Self, _ context: _RealmContext) -> _StoredValue {
    PersistedType._encode(value.persistableValue, context)
  }

  /// Accepts values of this type, those that an unmanaged object can be made from, and null, which
  /// means the default value.
  public static func _convert(_ any: Any) -> Self? {
    if isNil(any) { return _makeDefault() }
    return any as? Self ?? PersistedType._convert(any).map { converted($0, from: any) }
  }

  public static func _convertOptional(_ any: Any) -> Self?? {
    if let same = any as? Self { return same }
    return PersistedType._convert(any).map { _made(from: $0) }
  }

  public static func _storedScalarOptional(_ value: Any) -> _StoredValue? { nil }

  /// Feeds the scalars of the stored form to `hasher`.
  public func hash(into hasher: inout Hasher) { persistableValue.hashScalars(into: &hasher) }

  // Objects are not in a cell of a column, so functions that read cells are never called for them.

  public static func _read(_ row: _LiveRow, _ slot: _ColumnSlot) -> Self { refuseCell() }

  public static func _readOptional(_ row: _LiveRow, _ slot: _ColumnSlot) -> Self? { refuseCell() }

  public static func _stored(_ value: Self) -> _StoredValue { refuseCell() }

  public static func _scalar(_ value: _StoredValue) -> Self? { nil }

  private static func refuseCell() -> Never {
    throwRealmException("Values of '\(Self.self)' are stored as objects")
  }
}
