// SPDX-License-Identifier: Apache-2.0

// Integers, booleans and floating-point numbers as properties.

import RealmSession
public import RealmTables

extension Int: _Scalar, _Indexable, _PrimaryKey {
  public typealias PersistedType = Int

  @inlinable @inline(__always)
  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Int {
    Int(truncatingIfNeeded: object._readInt(slot))
  }
}

extension Int8: _Scalar, _Indexable, _PrimaryKey {
  public typealias PersistedType = Int8

  @inlinable @inline(__always)
  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Int8 {
    Int8(truncatingIfNeeded: object._readInt(slot))
  }
}

extension Int16: _Scalar, _Indexable, _PrimaryKey {
  public typealias PersistedType = Int16

  @inlinable @inline(__always)
  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Int16 {
    Int16(truncatingIfNeeded: object._readInt(slot))
  }
}

extension Int32: _Scalar, _Indexable, _PrimaryKey {
  public typealias PersistedType = Int32

  @inlinable @inline(__always)
  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Int32 {
    Int32(truncatingIfNeeded: object._readInt(slot))
  }
}

extension Int64: _Scalar, _Indexable, _PrimaryKey {
  public typealias PersistedType = Int64

  @inlinable @inline(__always)
  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Int64 {
    Int64(truncatingIfNeeded: object._readInt(slot))
  }
}

/// Integers: all are stored as 64 bits. A number that does not fit the property's type loses its
/// upper bits.
extension _Scalar where Self: FixedWidthInteger {
  @inlinable public static var _type: PropertyType { .int }
  @inlinable public static func _makeDefault() -> Self { 0 }

  @inlinable @inline(__always)
  public static func _loadOptional(_ object: ObjectBase, _ slot: _ColumnSlot) -> Self? {
    guard let number = object._readOptionalInt(slot) else { return nil }
    return Self(truncatingIfNeeded: number)
  }

  @inlinable @inline(__always)
  public static func _load(
    _ leaf: _WalkedLeaf, _ object: ObjectBase, _ slot: _ColumnSlot
  ) -> Self {
    guard let number = leaf.leaf.integer(at: leaf.index) else { return _load(object, slot) }
    return Self(truncatingIfNeeded: number)
  }

  @inlinable @inline(__always)
  public static func _read(_ row: _LiveRow, _ slot: _ColumnSlot) -> Self {
    Self(truncatingIfNeeded: row.reading(slot, try row.row.int(slot.leaf), else: 0))
  }

  @inlinable @inline(__always)
  public static func _readOptional(_ row: _LiveRow, _ slot: _ColumnSlot) -> Self? {
    guard let number = row.reading(slot, try row.row.optionalInt(slot.leaf), else: nil) else {
      return nil
    }
    return Self(truncatingIfNeeded: number)
  }

  @inlinable @inline(__always)
  public static func _store(_ value: Self, _ object: ObjectBase, _ slot: _ColumnSlot) {
    object._setInt(Int64(value), slot)
  }

  @inlinable @inline(__always)
  public static func _storeOptional(_ value: Self?, _ object: ObjectBase, _ slot: _ColumnSlot) {
    object._setOptionalInt(value.map { Int64($0) }, slot)
  }

  public static func _stored(_ value: Self) -> _StoredValue { _StoredValue(.int(Int64(value))) }

  public static func _scalar(_ value: _StoredValue) -> Self? {
    if case .int(let number) = value.value { Self(truncatingIfNeeded: number) } else { nil }
  }

  /// Accepts integers in range and booleans; a floating-point number is refused even if integral.
  public static func _convert(_ any: Any) -> Self? {
    switch any {
    case let same as Self: same
    case let bool as Bool: bool ? 1 : 0
    case let integer as any BinaryInteger: Self(exactly: integer)
    default: persistedForm(any).flatMap { _convert($0) }
    }
  }
}

extension Bool: _Scalar, _Indexable, _PrimaryKey {
  public typealias PersistedType = Bool

  @inlinable @inline(__always)
  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Bool {
    object._readBool(slot)
  }

  @inlinable @inline(__always)
  public static func _loadOptional(_ object: ObjectBase, _ slot: _ColumnSlot) -> Bool? {
    object._readOptionalBool(slot)
  }

  @inlinable @inline(__always)
  public static func _load(
    _ leaf: _WalkedLeaf, _ object: ObjectBase, _ slot: _ColumnSlot
  ) -> Bool {
    guard let number = leaf.leaf.integer(at: leaf.index) else { return _load(object, slot) }
    return number == 1
  }

  @inlinable public static var _type: PropertyType { .bool }
  @inlinable public static func _makeDefault() -> Bool { false }

  @inlinable @inline(__always)
  public static func _read(_ row: _LiveRow, _ slot: _ColumnSlot) -> Bool {
    row.reading(slot, try row.row.bool(slot.leaf), else: false)
  }

  @inlinable @inline(__always)
  public static func _readOptional(_ row: _LiveRow, _ slot: _ColumnSlot) -> Bool? {
    row.reading(slot, try row.row.optionalBool(slot.leaf), else: nil)
  }

  @inlinable @inline(__always)
  public static func _store(_ value: Bool, _ object: ObjectBase, _ slot: _ColumnSlot) {
    object._setBool(value, slot)
  }

  @inlinable @inline(__always)
  public static func _storeOptional(_ value: Bool?, _ object: ObjectBase, _ slot: _ColumnSlot) {
    object._setBool(value, slot)
  }

  public static func _stored(_ value: Bool) -> _StoredValue { _StoredValue(.bool(value)) }

  public static func _scalar(_ value: _StoredValue) -> Bool? {
    if case .bool(let bool) = value.value { bool } else { nil }
  }

  /// Accepts booleans and the integers 0 and 1.
  public static func _convert(_ any: Any) -> Bool? {
    switch any {
    case let same as Bool: same
    case let integer as any BinaryInteger:
      switch Int(exactly: integer) {
      case 0: false
      case 1: true
      default: nil
      }
    default: persistedForm(any).flatMap { _convert($0) }
    }
  }
}

extension Double: _Scalar {
  public typealias PersistedType = Double

  @inlinable @inline(__always)
  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Double {
    object._readDouble(slot)
  }

  @inlinable @inline(__always)
  public static func _loadOptional(_ object: ObjectBase, _ slot: _ColumnSlot) -> Double? {
    object._readOptionalDouble(slot)
  }

  @inlinable @inline(__always)
  public static func _load(
    _ leaf: _WalkedLeaf, _ object: ObjectBase, _ slot: _ColumnSlot
  ) -> Double {
    guard let number = leaf.leaf.double(at: leaf.index) else { return _load(object, slot) }
    return number
  }

  @inlinable public static var _type: PropertyType { .double }
  @inlinable public static func _makeDefault() -> Double { 0 }

  @inlinable @inline(__always)
  public static func _read(_ row: _LiveRow, _ slot: _ColumnSlot) -> Double {
    row.reading(slot, try row.row.double(slot.leaf), else: 0)
  }

  @inlinable @inline(__always)
  public static func _readOptional(_ row: _LiveRow, _ slot: _ColumnSlot) -> Double? {
    row.reading(slot, try row.row.optionalDouble(slot.leaf), else: nil)
  }

  @inlinable @inline(__always)
  public static func _store(_ value: Double, _ object: ObjectBase, _ slot: _ColumnSlot) {
    object._setDouble(value, slot)
  }

  @inlinable @inline(__always)
  public static func _storeOptional(_ value: Double?, _ object: ObjectBase, _ slot: _ColumnSlot) {
    object._setDouble(value, slot)
  }

  public static func _stored(_ value: Double) -> _StoredValue { _StoredValue(.double(value)) }

  public static func _scalar(_ value: _StoredValue) -> Double? {
    if case .double(let number) = value.value { number } else { nil }
  }

  /// Accepts all numbers.
  public static func _convert(_ any: Any) -> Double? {
    switch any {
    case let same as Double: same
    case let float as Float: Double(float)
    case is Bool: nil
    case let integer as any BinaryInteger: Double(integer)
    default: persistedForm(any).flatMap { _convert($0) }
    }
  }
}

extension Float: _Scalar {
  public typealias PersistedType = Float

  @inlinable @inline(__always)
  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> Float {
    object._readFloat(slot)
  }

  @inlinable @inline(__always)
  public static func _loadOptional(_ object: ObjectBase, _ slot: _ColumnSlot) -> Float? {
    object._readOptionalFloat(slot)
  }

  @inlinable @inline(__always)
  public static func _load(
    _ leaf: _WalkedLeaf, _ object: ObjectBase, _ slot: _ColumnSlot
  ) -> Float {
    guard let number = leaf.leaf.float(at: leaf.index) else { return _load(object, slot) }
    return number
  }

  @inlinable public static var _type: PropertyType { .float }
  @inlinable public static func _makeDefault() -> Float { 0 }

  @inlinable @inline(__always)
  public static func _read(_ row: _LiveRow, _ slot: _ColumnSlot) -> Float {
    row.reading(slot, try row.row.float(slot.leaf), else: 0)
  }

  @inlinable @inline(__always)
  public static func _readOptional(_ row: _LiveRow, _ slot: _ColumnSlot) -> Float? {
    row.reading(slot, try row.row.optionalFloat(slot.leaf), else: nil)
  }

  @inlinable @inline(__always)
  public static func _store(_ value: Float, _ object: ObjectBase, _ slot: _ColumnSlot) {
    object._setFloat(value, slot)
  }

  @inlinable @inline(__always)
  public static func _storeOptional(_ value: Float?, _ object: ObjectBase, _ slot: _ColumnSlot) {
    object._setFloat(value, slot)
  }

  public static func _stored(_ value: Float) -> _StoredValue { _StoredValue(.float(value)) }

  public static func _scalar(_ value: _StoredValue) -> Float? {
    if case .float(let number) = value.value { number } else { nil }
  }

  /// Accepts integers, floats, and doubles that are NaN or within the range of `Float`.
  public static func _convert(_ any: Any) -> Float? {
    switch any {
    case let same as Float: same
    case let double as Double:
      double.isFinite && Float(double).isInfinite ? nil : Float(double)
    case is Bool: nil
    case let integer as any BinaryInteger: Float(integer)
    default: persistedForm(any).flatMap { _convert($0) }
    }
  }
}
