// SPDX-License-Identifier: Apache-2.0

// A property that holds a value of any type.

public import Foundation
import RealmStorage
import RealmTables

/// A value of any type that the database stores, or none.
///
/// Properties of this type are never optional: nil is `none`.
public enum AnyRealmValue: Hashable {
  /// No value.
  case none
  /// An integer.
  case int(Int)
  /// A boolean.
  case bool(Bool)
  /// A floating-point number of 32 bits.
  case float(Float)
  /// A floating-point number of 64 bits.
  case double(Double)
  /// A text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A moment.
  case date(Date)
  /// A link to an object of any class of the realm.
  case object(Object)
  /// An identifier.
  case objectId(ObjectId)
  /// A decimal number.
  case decimal128(Decimal128)
  /// An identifier.
  case uuid(UUID)

  /// No value.
  public init() { self = .none }

  /// The integer, or nil if this is something else.
  public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
  /// The boolean, or nil if this is something else.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The number, or nil if this is something else.
  public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }
  /// The number, or nil if this is something else.
  public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
  /// The text, or nil if this is something else.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The bytes, or nil if this is something else.
  public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
  /// The moment, or nil if this is something else.
  public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
  /// The identifier, or nil if this is something else.
  public var objectIdValue: ObjectId? {
    if case .objectId(let value) = self { value } else { nil }
  }
  /// The number, or nil if this is something else.
  public var decimal128Value: Decimal128? {
    if case .decimal128(let value) = self { value } else { nil }
  }
  /// The identifier, or nil if this is something else.
  public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }

  /// The object, or nil if this is something else or an object of another class.
  public func object<T: Object>(_ type: T.Type) -> T? {
    if case .object(let object) = self { object as? T } else { nil }
  }
}

extension AnyRealmValue: _Persistable, RealmCollectionValue, _Indexable {
  /// Values of any type are stored as they are.
  public typealias PersistedType = AnyRealmValue

  public static var _shape: _PropertyShape { _PropertyShape(.any) }
  public static func _makeDefault() -> AnyRealmValue { .none }

  public static func _traced(by recording: _Recording) -> AnyRealmValue {
    _ = recording.record()
    return .none
  }

  public static func _tracedElement(by recording: _Recording) -> AnyRealmValue { .none }

  public static func _load(_ object: ObjectBase, _ slot: _ColumnSlot) -> AnyRealmValue {
    guard let info = object._info, let row = object._row else { return .none }
    do throws(StorageError) {
      let value = try row.value(of: info.column(Int(slot.property)))
      return _decode(_StoredValue(value), _RealmContext(info.core))
    } catch { stop(error) }
  }

  public static func _store(
    _ value: AnyRealmValue, _ object: ObjectBase, _ slot: _ColumnSlot
  ) {
    guard let info = object._info else { return }
    object._set(_encode(value, _RealmContext(info.core)), slot)
  }

  public static func _decode(_ value: _StoredValue, _ context: _RealmContext) -> AnyRealmValue {
    switch value.value {
    case .int(let number): .int(Int(number))
    case .bool(let bool): .bool(bool)
    case .float(let number): .float(number)
    case .double(let number): .double(number)
    case .string(let text): .string(text)
    case .binary(let bytes): .data(Data(bytes))
    case .timestamp(let time): .date(Date(time))
    case .objectId(let bytes): .objectId(ObjectId(high: bytes.high, low: bytes.low))
    case .decimal(let bits): .decimal128(Decimal128(low: bits.low, high: bits.high))
    case .uuid(let bytes): .uuid(UUID(bytes))
    case .typedLink(let table, let key):
      (context.core.info(ofTable: table)?.makeObject(key) as? Object).map { .object($0) } ?? .none
    case .null, .link, .list, .dictionary: .none
    }
  }

  public static func _encode(_ value: AnyRealmValue, _ context: _RealmContext) -> _StoredValue {
    switch value {
    case .none: _StoredValue(.null)
    case .int(let number): Int._stored(number)
    case .bool(let bool): Bool._stored(bool)
    case .float(let number): Float._stored(number)
    case .double(let number): Double._stored(number)
    case .string(let text): String._stored(text)
    case .data(let data): Data._stored(data)
    case .date(let date): Date._stored(date)
    case .objectId(let id): ObjectId._stored(id)
    case .decimal128(let number): Decimal128._stored(number)
    case .uuid(let uuid): UUID._stored(uuid)
    case .object(let object):
      _StoredValue(
        .typedLink(
          (object._info ?? context.core.info(type(of: object))).tableKey,
          context.core.managedKey(of: object)))
    }
  }

  /// Accepts values of all types that the database stores.
  public static func _convert(_ any: Any) -> AnyRealmValue? {
    if let same = any as? AnyRealmValue { return same }
    if let object = modelObject(any) { return (object as? Object).map { .object($0) } }
    guard let value = unwrapped(any) else { return AnyRealmValue.none }
    switch value {
    case let bool as Bool: return .bool(bool)
    case let float as Float: return .float(float)
    case let double as Double: return .double(double)
    case let text as String: return .string(text)
    case let data as Data: return .data(data)
    case let date as Date: return .date(date)
    case let id as ObjectId: return .objectId(id)
    case let number as Decimal128: return .decimal128(number)
    case let uuid as UUID: return .uuid(uuid)
    case let number as any BinaryInteger: return Int(exactly: number).map { .int($0) }
    default: return nil
    }
  }
}
