// SPDX-License-Identifier: Apache-2.0

// `ObjectId` and `Decimal128` as properties.

import RealmSession
import RealmStorage
import RealmTables

extension ObjectId: _Scalar, _Indexable, _PrimaryKey {
  public typealias PersistedType = ObjectId
  public static var _type: PropertyType { .objectId }
  /// A new identifier.
  public static func _makeDefault() -> ObjectId { ObjectId.generate() }
  public static var _isDefaultZero: Bool { false }

  public static func _read(_ row: _LiveRow, _ slot: _ColumnSlot) -> ObjectId {
    _readOptional(row, slot) ?? ObjectId()
  }

  public static func _readOptional(_ row: _LiveRow, _ slot: _ColumnSlot) -> ObjectId? {
    row.reading(slot, try row.row.objectId(slot.leaf), else: nil).map {
      ObjectId(high: $0.high, low: $0.low)
    }
  }

  public static func _stored(_ value: ObjectId) -> _StoredValue {
    _StoredValue(.objectId(Bytes12(high: value.high, low: value.low)))
  }

  public static func _scalar(_ value: _StoredValue) -> ObjectId? {
    guard case .objectId(let bytes) = value.value else { return nil }
    return ObjectId(high: bytes.high, low: bytes.low)
  }

  public static func _convert(_ any: Any) -> ObjectId? {
    any as? ObjectId ?? persistedForm(any).flatMap { _convert($0) }
  }
}

extension Decimal128: _Scalar {
  public typealias PersistedType = Decimal128
  public static var _type: PropertyType { .decimal128 }
  /// Zero.
  public static func _makeDefault() -> Decimal128 { Decimal128() }

  public static func _read(_ row: _LiveRow, _ slot: _ColumnSlot) -> Decimal128 {
    _readOptional(row, slot) ?? Decimal128()
  }

  public static func _readOptional(_ row: _LiveRow, _ slot: _ColumnSlot) -> Decimal128? {
    row.reading(slot, try row.row.decimal(slot.leaf), else: nil).map {
      Decimal128(low: $0.low, high: $0.high)
    }
  }

  public static func _stored(_ value: Decimal128) -> _StoredValue {
    _StoredValue(.decimal(DecimalBits(low: value.low, high: value.high)))
  }

  public static func _scalar(_ value: _StoredValue) -> Decimal128? {
    guard case .decimal(let bits) = value.value else { return nil }
    return Decimal128(low: bits.low, high: bits.high)
  }

  /// Accepts decimals, numbers, and strings that spell a number.
  public static func _convert(_ any: Any) -> Decimal128? {
    if any is Bool { return nil }
    return any as? Decimal128 ?? DecimalBits(any: any).map { Decimal128($0) }
      ?? persistedForm(any).flatMap { _convert($0) }
  }
}
