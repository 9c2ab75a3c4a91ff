// SPDX-License-Identifier: Apache-2.0

// Values of BSON as the types of a program: arguments of functions, payloads of logins, documents.
//
// Invariants:
// 1. No value is changed: a number that a type cannot have is an error. `Float` rounds.

#if Server
import Foundation
import RealmSwift

/// Reads decodable values from BSON.
struct ValueDecoder: Decoder {
  let value: AnyBSON
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: AnyBSON, at path: [any CodingKey] = []) {
    self.value = value
    codingPath = path
  }

  /// A value as a type: itself where BSON has the type.
  static func decode<T: Decodable>(
    _ type: T.Type, from value: AnyBSON, at path: [any CodingKey] = []
  ) throws -> T {
    let known: Any?
    switch type {
    case is AnyBSON.Type: known = value
    case is Date.Type: known = value.dateValue ?? value.timestampValue
    case is Data.Type: known = value.binaryValue
    case is ObjectId.Type: known = value.objectIdValue
    case is UUID.Type: known = value.uuidValue
    case is Decimal128.Type: known = value.decimal
    default: return try T(from: ValueDecoder(value, at: path))
    }
    guard let result = known as? T else { throw ValueDecoder(value, at: path).mismatch(type) }
    return result
  }

  func container<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    guard case .document(let document) = value else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(Members<Key>(document: document, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let values) = value else { throw mismatch([Any].self) }
    return Elements(values: values, codingPath: codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  /// The error of a value of another type.
  func mismatch(_ type: Any.Type) -> DecodingError {
    .typeMismatch(
      type,
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "The value is \(value.kind), and no \(type)."))
  }
}

extension ValueDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { value.isNull }

  private func known<T>(_ value: T?) throws -> T {
    guard let value else { throw mismatch(T.self) }
    return value
  }

  private func integer<T: FixedWidthInteger>() throws -> T {
    try known(value.isDecimal ? nil : value.asInt64().flatMap { T(exactly: $0) })
  }

  private var double: Double? {
    switch value {
    case .double(let number): number
    case .int32(let number): Double(number)
    case .int64(let number): Double(exactly: number)
    default: nil
    }
  }

  func decode(_ type: Bool.Type) throws -> Bool { try known(value.boolValue) }

  func decode(_ type: String.Type) throws -> String { try known(value.stringValue) }

  func decode(_ type: Double.Type) throws -> Double { try known(double) }

  func decode(_ type: Float.Type) throws -> Float {
    try known(double.map { Float($0) })
  }

  func decode(_ type: Int.Type) throws -> Int { try integer() }

  func decode(_ type: Int8.Type) throws -> Int8 { try integer() }

  func decode(_ type: Int16.Type) throws -> Int16 { try integer() }

  func decode(_ type: Int32.Type) throws -> Int32 { try integer() }

  func decode(_ type: Int64.Type) throws -> Int64 { try integer() }

  func decode(_ type: UInt.Type) throws -> UInt { try integer() }

  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }

  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }

  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }

  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try Self.decode(type, from: value, at: codingPath)
  }
}

/// The key of an element, or of a class.
struct PlaceKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ index: Int) {
    stringValue = "\(index)"
    intValue = index
  }

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init?(intValue: Int) { self.init(intValue) }
}

extension AnyBSON {
  fileprivate var isDecimal: Bool { decimal128Value != nil }

  /// A number of any kind, exactly.
  fileprivate var decimal: Decimal128? {
    switch self {
    case .decimal128(let value): value
    case .int32(let value): Decimal128(number: NSNumber(value: value))
    case .int64(let value): Decimal128(number: NSNumber(value: value))
    default: nil
    }
  }

  /// The kind of the value as messages name it.
  var kind: String {
    switch self {
    case .double, .int32, .int64, .decimal128: "a number"
    case .string: "a text"
    case .document: "a document"
    case .array: "an array"
    case .binary: "binary"
    case .objectId: "an ObjectId"
    case .bool: "a boolean"
    case .datetime, .timestamp: "a time"
    case .regex: "a regular expression"
    case .uuid: "a UUID"
    case .minKey, .maxKey: "a bound"
    case .null: "null"
    }
  }
}
#endif
