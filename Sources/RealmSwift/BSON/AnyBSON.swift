// SPDX-License-Identifier: Apache-2.0

// `AnyBSON`: the values of functions, documents and profiles.

#if Sync
public import Foundation

/// A document: values by their keys. A nil value is `null`.
public typealias Document = [String: AnyBSON?]

/// A value of BSON, the format of an app server's documents.
public enum AnyBSON: Sendable, Equatable, Hashable {
  /// A floating-point number.
  case double(Double)
  /// A string.
  case string(String)
  /// A document.
  indirect case document(Document)
  /// An array; nil elements are `null`.
  indirect case array([AnyBSON?])
  /// Bytes.
  case binary(Data)
  /// An object identifier.
  case objectId(ObjectId)
  /// A boolean.
  case bool(Bool)
  /// A time, to the millisecond.
  case datetime(Date)
  /// A regular expression.
  case regex(NSRegularExpression)
  /// An integer of 32 bits.
  case int32(Int32)
  /// A time in whole seconds, in the form that servers use among themselves.
  case timestamp(Date)
  /// An integer of 64 bits.
  case int64(Int64)
  /// A decimal number.
  case decimal128(Decimal128)
  /// A UUID.
  case uuid(UUID)
  /// The value that is less than all others.
  case minKey
  /// The value that is greater than all others.
  case maxKey
  /// No value.
  case null

  /// The value of a type that BSON has.
  public init<T: BSON>(_ bson: T) { self = bson.anyBSON }

  /// The integer of 32 bits; nil for other values.
  public var int32Value: Int32? { if case .int32(let value) = self { value } else { nil } }

  /// The regular expression; nil for other values.
  public var regexValue: NSRegularExpression? {
    if case .regex(let value) = self { value } else { nil }
  }

  /// The integer of 64 bits; nil for other values.
  public var int64Value: Int64? { if case .int64(let value) = self { value } else { nil } }

  /// The object identifier; nil for other values.
  public var objectIdValue: ObjectId? {
    if case .objectId(let value) = self { value } else { nil }
  }

  /// The time; nil for other values.
  public var dateValue: Date? { if case .datetime(let value) = self { value } else { nil } }

  /// The elements; nil for other values.
  public var arrayValue: [AnyBSON?]? { if case .array(let value) = self { value } else { nil } }

  /// The string; nil for other values.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

  /// The document; nil for other values.
  public var documentValue: Document? {
    if case .document(let value) = self { value } else { nil }
  }

  /// The boolean; nil for other values.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The bytes; nil for other values.
  public var binaryValue: Data? { if case .binary(let value) = self { value } else { nil } }

  /// The floating-point number; nil for other values.
  public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }

  /// The decimal number; nil for other values.
  public var decimal128Value: Decimal128? {
    if case .decimal128(let value) = self { value } else { nil }
  }

  /// The time in seconds; nil for other values.
  public var timestampValue: Date? {
    if case .timestamp(let value) = self { value } else { nil }
  }

  /// The UUID; nil for other values.
  public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }

  /// Whether there is no value.
  public var isNull: Bool { self == .null }

  /// A number of any type as an `Int`; nil if it is not whole, too large or no number.
  public func asInt() -> Int? {
    switch self {
    case .int32(let value): Int(value)
    case .int64(let value): Int(exactly: value)
    case .double(let value): Int(exactly: value)
    case .decimal128(let value): Double(value.description).flatMap { Int(exactly: $0) }
    default: nil
    }
  }

  /// A number of any type as an `Int32`; nil if it is not whole, too large or no number.
  public func asInt32() -> Int32? { asInt().flatMap { Int32(exactly: $0) } }

  /// A number of any type as an `Int64`; nil if it is not whole, too large or no number.
  public func asInt64() -> Int64? { asInt().map { Int64($0) } }

  /// A number of any type as a `Double`; nil for other values.
  public func asDouble() -> Double? {
    switch self {
    case .int32(let value): Double(value)
    case .int64(let value): Double(value)
    case .double(let value): value
    case .decimal128(let value): Double(value.description)
    default: nil
    }
  }

  /// A number of any type as a `Decimal128`; nil for other values.
  public func asDecimal128() -> Decimal128? {
    switch self {
    case .int32(let value): Decimal128(integerLiteral: Int64(value))
    case .int64(let value): Decimal128(integerLiteral: value)
    case .double(let value): Decimal128("\(value)" as String)
    case .decimal128(let value): value
    default: nil
    }
  }

  /// The value as a type; nil if it is of another one.
  public func value<T: BSON>() -> T? {
    switch self {
    case .double(let value): value as? T
    case .string(let value): value as? T
    case .document(let value): value as? T
    case .array(let value): value as? T
    case .binary(let value): value as? T
    case .objectId(let value): value as? T
    case .bool(let value): value as? T
    case .datetime(let value), .timestamp(let value): value as? T
    case .regex(let value): value as? T
    case .int32(let value): value as? T
    case .int64(let value): T.self == Int.self ? Int(value) as? T : value as? T
    case .decimal128(let value): value as? T
    case .uuid(let value): value as? T
    case .minKey: MinKey() as? T
    case .maxKey: MaxKey() as? T
    case .null: nil
    }
  }
}

extension AnyBSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByArrayLiteral
{
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }

  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// A floating-point number.
  public init(floatLiteral value: Double) { self = .double(value) }

  /// A literal number is one of 64 bits.
  public init(integerLiteral value: Int64) { self = .int64(value) }

  /// A document.
  public init(dictionaryLiteral elements: (String, AnyBSON?)...) {
    self = .document(Dictionary(elements, uniquingKeysWith: { $1 }))
  }

  /// An array.
  public init(arrayLiteral elements: AnyBSON?...) { self = .array(elements) }
}
#endif
