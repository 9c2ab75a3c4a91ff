// SPDX-License-Identifier: Apache-2.0

// Enumerations as properties, stored as their raw values.

import RealmSession

/// An enumeration that properties can have. It is stored as its raw value.
///
/// ```swift
/// enum Priority: Int, PersistableEnum { case low, high }
/// ```
///
/// Reading a raw value that is no case traps, unless the property is optional: then it reads as
/// nil. Setters that take values of any type store such raw values, and the first one of each
/// enumeration is logged; `Realm.create(_:validating:update:)` refuses them.
public protocol PersistableEnum: _Scalar, RawRepresentable, CaseIterable, RealmEnum, MinMaxType,
  Comparable
where RawValue: _Scalar & Comparable, PersistedType == RawValue {
  /// The first case, which properties without an initial value have.
  init()
}

/// Enumerations that `RealmProperty` and `RealmOptional` can hold: stored as their raw values.
///
/// ```swift
/// enum Size: Int, RealmEnum { case small, large }
/// let size = RealmProperty<Size?>()
/// ```
///
/// For `@Persisted` properties use `PersistableEnum`.
public protocol RealmEnum: RealmOptionalType {}

extension RealmEnum where Self: RawRepresentable, RawValue: _Scalar {
  public typealias PersistedType = RawValue

  public static var _type: PropertyType { RawValue._type }
  public static var _isDefaultZero: Bool { false }

  /// The case whose raw value is the default of raw values.
  public static func _makeDefault() -> Self {
    let rawValue = RawValue._makeDefault()
    guard let value = Self(rawValue: rawValue) else {
      throwRealmException("'\(Self.self)' has no case of the raw value '\(rawValue)'")
    }
    return value
  }

  // Key paths only need names: there need not be a case to return.
  public static func _tracedOptional(by recording: _Recording) -> Self? {
    _ = recording.record()
    return nil
  }

  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self {
    made(of: RawValue._load(object, slot), object, slot)
  }

  public static func _loadOptional(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self? {
    RawValue._loadOptional(object, slot).flatMap { Self(rawValue: $0) }
  }

  public static func _read(_ row: _LiveRow, _ slot: _ColumnSlot) -> Self {
    unsafe made(of: RawValue._read(row, slot), row.object, slot)
  }

  private static func made(
    of rawValue: RawValue, _ object: ObjectBase, _ slot: _ColumnSlot
  ) -> Self {
    if let value = Self(rawValue: rawValue) { return value }
    object._meetContradiction(
      "The stored value '\(rawValue)' is not a case of '\(Self.self)'", slot)
    return _makeDefault()
  }

  public static func _readOptional(_ row: _LiveRow, _ slot: _ColumnSlot) -> Self? {
    RawValue._readOptional(row, slot).flatMap { Self(rawValue: $0) }
  }

  public static func _stored(_ value: Self) -> _StoredValue { RawValue._stored(value.rawValue) }

  public static func _scalar(_ value: _StoredValue) -> Self? {
    RawValue._scalar(value).flatMap { Self(rawValue: $0) }
  }

  /// Accepts cases, and raw values of cases.
  public static func _convert(_ any: Any) -> Self? {
    any as? Self ?? RawValue._convert(any).flatMap { Self(rawValue: $0) }
  }

  public static func _convertOptional(_ any: Any) -> Self?? {
    if let same = any as? Self { return same }
    return RawValue._convert(any).map { Self(rawValue: $0) }
  }

  /// The stored value of a case, or of a raw value, even if it is that of no case.
  public static func _storedScalar(_ value: Any) -> _StoredValue? {
    if let value = value as? Self { return _stored(value) }
    guard let stored = RawValue._storedScalar(value) else { return nil }
    if _scalar(stored) == nil { StrayRawValues.report(value, of: Self.self) }
    return stored
  }
}

/// Reports raw values that are no case, and were given for one.
private enum StrayRawValues {
  private static let reported = OnceLogged()

  static func report(_ value: Any, of type: Any.Type) {
    reported.log(.warn, about: type) {
      "The raw value '\(value)' was given for the enumeration '\(type)', and is no case of it: "
        + "it reads as nil where the property is optional, and traps where it is not."
    }
  }
}

extension PersistableEnum {
  /// The first case.
  public init() {
    guard let first = Self.allCases.first else {
      throwRealmException("The enumeration '\(Self.self)' has no cases")
    }
    self = first
  }

  /// Orders by raw value.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The first case.
  public static func _makeDefault() -> Self { Self() }
}
