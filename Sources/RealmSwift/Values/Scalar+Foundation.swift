// SPDX-License-Identifier: Apache-2.0

// Strings, data, dates and identifiers as properties.

public import Foundation
import RealmSession
import RealmStorage
import RealmTables

extension String: _Scalar, _Indexable, _PrimaryKey {
  public typealias PersistedType = String
  @inlinable public static var _type: PropertyType { .string }
  @inlinable public static func _makeDefault() -> String { "" }

  @inlinable @inline(__always)
  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> String {
    object._readString(slot) ?? ""
  }

  @inlinable @inline(__always)
  public static func _loadOptional(_ object: ObjectBase, _ slot: _ColumnSlot) -> String? {
    object._readString(slot)
  }

  public static func _read(_ row: _LiveRow, _ slot: _ColumnSlot) -> String {
    _readOptional(row, slot) ?? ""
  }

  public static func _readOptional(_ row: _LiveRow, _ slot: _ColumnSlot) -> String? {
    row.reading(slot, try row.row.string(slot.leaf), else: nil)
  }

  @inlinable @inline(__always)
  public static func _store(_ value: String, _ object: ObjectBase, _ slot: _ColumnSlot) {
    object._setString(value, slot)
  }

  @inlinable @inline(__always)
  public static func _storeOptional(_ value: String?, _ object: ObjectBase, _ slot: _ColumnSlot) {
    object._setString(value, slot)
  }

  public static func _stored(_ value: String) -> _StoredValue { _StoredValue(.string(value)) }

  public static func _scalar(_ value: _StoredValue) -> String? {
    if case .string(let string) = value.value { string } else { nil }
  }

  public static func _convert(_ any: Any) -> String? {
    any as? String ?? (any as? Substring).map { String($0) }
      ?? persistedForm(any).flatMap { _convert($0) }
  }
}

extension Data: _Scalar {
  public typealias PersistedType = Data
  @inlinable public static var _type: PropertyType { .data }
  @inlinable public static func _makeDefault() -> Data { Data() }

  public static func _read(_ row: _LiveRow, _ slot: _ColumnSlot) -> Data {
    _readOptional(row, slot) ?? Data()
  }

  public static func _readOptional(_ row: _LiveRow, _ slot: _ColumnSlot) -> Data? {
    row.reading(slot, try row.row.binary(slot.leaf), else: nil).map { unsafe Data($0.bytes) }
  }

  public static func _stored(_ value: Data) -> _StoredValue {
    // The database could store more, but Realm's other SDKs could not read it.
    if value.count > BlobNode.maximumByteCount {
      throwRealmException(
        "Binary too big: \(value.count) bytes, and the limit is \(BlobNode.maximumByteCount). "
          + "Store them in a file of their own, and here its path.")
    }
    return _StoredValue(.binary([UInt8](value)))
  }

  public static func _scalar(_ value: _StoredValue) -> Data? {
    if case .binary(let bytes) = value.value { Data(bytes) } else { nil }
  }

  public static func _convert(_ any: Any) -> Data? {
    any as? Data ?? persistedForm(any).flatMap { _convert($0) }
  }
}

extension Date: _Scalar, _Indexable {
  public typealias PersistedType = Date
  @inlinable public static var _type: PropertyType { .date }
  @inlinable public static func _makeDefault() -> Date { Date() }
  public static var _isDefaultZero: Bool { false }

  public static func _read(_ row: _LiveRow, _ slot: _ColumnSlot) -> Date {
    _readOptional(row, slot) ?? Date(timeIntervalSince1970: 0)
  }

  public static func _readOptional(_ row: _LiveRow, _ slot: _ColumnSlot) -> Date? {
    row.reading(slot, try row.row.timestamp(slot.leaf), else: nil).map { Date($0) }
  }

  public static func _stored(_ value: Date) -> _StoredValue {
    _StoredValue(.timestamp(Timestamp(value)))
  }

  public static func _scalar(_ value: _StoredValue) -> Date? {
    if case .timestamp(let timestamp) = value.value { Date(timestamp) } else { nil }
  }

  public static func _convert(_ any: Any) -> Date? {
    any as? Date ?? persistedForm(any).flatMap { _convert($0) }
  }
}

extension Date {
  init(_ timestamp: Timestamp) {
    // Relative to 2001, as `Date` itself counts: that keeps the most digits for present dates.
    let sinceReference = timestamp.seconds.subtractingReportingOverflow(978_307_200)
    let seconds = sinceReference.overflow ? Int64.min : sinceReference.partialValue
    self.init(
      timeIntervalSinceReferenceDate: Double(seconds) + Double(timestamp.nanoseconds) / 1e9)
  }
}

extension Timestamp {
  /// The date to the nanosecond; dates beyond the range of the format become the furthest ones.
  init(_ date: Date) {
    let interval = date.timeIntervalSinceReferenceDate
    let whole = interval.rounded(.towardZero)
    // 2^63 less the distance between the reference dates, as the nearest doubles inside.
    guard whole > -9.22e18, whole < 9.22e18 else {
      self.init(
        seconds: interval.isNaN ? 0 : interval < 0 ? .min : .max, nanoseconds: 0)
      return
    }
    var seconds = Int64(whole) + 978_307_200
    var nanoseconds = Int32(((interval - whole) * 1e9).rounded())
    if nanoseconds.magnitude == 1_000_000_000 {
      seconds += Int64(nanoseconds.signum())
      nanoseconds = 0
    }
    // The format requires both parts to have the same sign.
    if seconds > 0, nanoseconds < 0 {
      seconds -= 1
      nanoseconds += 1_000_000_000
    } else if seconds < 0, nanoseconds > 0 {
      seconds += 1
      nanoseconds -= 1_000_000_000
    }
    self.init(seconds: seconds, nanoseconds: nanoseconds)
  }
}

extension UUID: _Scalar, _Indexable, _PrimaryKey {
  public typealias PersistedType = UUID
  @inlinable public static var _type: PropertyType { .UUID }
  @inlinable public static func _makeDefault() -> UUID { UUID() }
  public static var _isDefaultZero: Bool { false }

  public static func _read(_ row: _LiveRow, _ slot: _ColumnSlot) -> UUID {
    _readOptional(row, slot) ?? UUID(Bytes16(high: 0, low: 0))
  }

  public static func _readOptional(_ row: _LiveRow, _ slot: _ColumnSlot) -> UUID? {
    row.reading(slot, try row.row.uuid(slot.leaf), else: nil).map { UUID($0) }
  }

  public static func _stored(_ value: UUID) -> _StoredValue { _StoredValue(.uuid(Bytes16(value))) }

  public static func _scalar(_ value: _StoredValue) -> UUID? {
    if case .uuid(let bytes) = value.value { UUID(bytes) } else { nil }
  }

  /// Accepts a `UUID` or its string.
  public static func _convert(_ any: Any) -> UUID? {
    any as? UUID ?? (any as? String).flatMap { UUID(uuidString: $0) }
      ?? persistedForm(any).flatMap { _convert($0) }
  }
}

extension UUID {
  init(_ bytes: Bytes16) {
    // Both are 16 bytes without padding, in the same order.
    let parts = (bytes.high.bigEndian, bytes.low.bigEndian)
    unsafe self.init(uuid: unsafeBitCast(parts, to: uuid_t.self))
  }
}

extension Bytes16 {
  init(_ uuid: UUID) {
    // As above, the other way round.
    let (high, low) = unsafe unsafeBitCast(uuid.uuid, to: (UInt64, UInt64).self)
    self.init(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
  }
}
