// SPDX-License-Identifier: Apache-2.0

// Values of a program as BSON: results of functions.

#if Server
import Foundation
import RealmSwift

/// Makes BSON of encodable values.
struct ValueEncoder: Encoder {
  /// The place of a value, filled by a container.
  final class Place {
    enum Content {
      case nothing
      case value(AnyBSON)
      case members([String: Place])
      case elements([Place])
    }

    var content = Content.nothing

    /// The value; null where nothing was encoded.
    var value: AnyBSON {
      switch content {
      case .nothing: .null
      case .value(let value): value
      case .members(let members): .document(members.mapValues { $0.element })
      case .elements(let elements): .array(elements.map(\.element))
      }
    }

    private var element: AnyBSON? {
      let value = value
      return value.isNull ? nil : value
    }

    func place(_ key: String) -> Place {
      let place = Place()
      if case .members(var members) = content {
        members[key] = place
        content = .members(members)
      } else {
        content = .members([key: place])
      }
      return place
    }

    func append() -> Place {
      let place = Place()
      if case .elements(let elements) = content {
        content = .elements(elements + [place])
      } else {
        content = .elements([place])
      }
      return place
    }
  }

  let place: Place
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// A value as BSON.
  static func encode(_ value: some Encodable) throws -> AnyBSON {
    let place = Place()
    try ValueEncoder(place: place, codingPath: []).encode(value)
    return place.value
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .members = place.content {} else { place.content = .members([:]) }
    return KeyedEncodingContainer(Members<Key>(place: place, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .elements = place.content {} else { place.content = .elements([]) }
    return Elements(place: place, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension ValueEncoder: SingleValueEncodingContainer {
  private func set(_ value: AnyBSON) { place.content = .value(value) }

  private func set(_ number: UInt64) throws {
    guard let number = Int64(exactly: number) else {
      throw EncodingError.invalidValue(
        number,
        EncodingError.Context(
          codingPath: codingPath, debugDescription: "\(number) is larger than BSON's integers."))
    }
    set(.int64(number))
  }

  func encodeNil() throws { set(.null) }

  func encode(_ value: Bool) throws { set(.bool(value)) }

  func encode(_ value: String) throws { set(.string(value)) }

  func encode(_ value: Double) throws { set(.double(value)) }

  func encode(_ value: Float) throws { set(.double(Double(value))) }

  func encode(_ value: Int) throws { set(.int64(Int64(value))) }

  func encode(_ value: Int8) throws { set(.int32(Int32(value))) }

  func encode(_ value: Int16) throws { set(.int32(Int32(value))) }

  func encode(_ value: Int32) throws { set(.int32(value)) }

  func encode(_ value: Int64) throws { set(.int64(value)) }

  func encode(_ value: UInt) throws { try set(UInt64(value)) }

  func encode(_ value: UInt8) throws { set(.int32(Int32(value))) }

  func encode(_ value: UInt16) throws { set(.int32(Int32(value))) }

  func encode(_ value: UInt32) throws { set(.int64(Int64(value))) }

  func encode(_ value: UInt64) throws { try set(value) }

  func encode<T: Encodable>(_ value: T) throws {
    switch value {
    case let value as AnyBSON: set(value)
    case let value as Date: set(.datetime(value))
    case let value as Data: set(.binary(value))
    case let value as ObjectId: set(.objectId(value))
    case let value as UUID: set(.uuid(value))
    case let value as Decimal128: set(.decimal128(value))
    default: try value.encode(to: self)
    }
  }
}
#endif
