// SPDX-License-Identifier: Apache-2.0

// Bytes become touches.

package import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Reads the bytes of `TouchWriter`; other bytes give an error.
package struct TouchReader {
  private let bytes: [UInt8]
  private var position = 0

  private static let depthMax = 2

  package static func decode(_ bytes: [UInt8]) throws(StorageError) -> [Touch] {
    guard !bytes.isEmpty else { return [] }
    var reader = TouchReader(bytes: bytes)
    let count = try reader.count()
    var touches: [Touch] = []
    for _ in 0..<count { touches.append(try reader.touch()) }
    guard reader.position == bytes.count else {
      throw .corrupted("touches have bytes at their end")
    }
    return touches
  }

  /// Reads the identities of objects.
  package static func objects(_ bytes: [UInt8]) throws(StorageError) -> [ObjectIdentity] {
    try decode(bytes).map(\.object)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func touch() throws(StorageError) -> Touch {
    let name = try text()
    let key: ObjectIdentity.Key
    if position < bytes.count, bytes[position] == TouchTag.globalKey.rawValue {
      position += 1
      key = .global(GlobalKey(high: try number(), low: try number()))
    } else {
      key = .value(try value())
    }
    let kind = try byte()
    guard let existence = Touch.Existence(rawValue: kind & 0x0F) else {
      throw .corrupted("a touch of no kind")
    }
    var fields: [Touch.Field] = []
    for _ in 0..<(try count()) {
      let name = try text()
      if position < bytes.count, bytes[position] == TouchTag.large.rawValue {
        position += 1
        fields.append(Touch.Field(name: name, before: nil))
      } else {
        fields.append(Touch.Field(name: name, before: try value()))
      }
    }
    return Touch(
      object: ObjectIdentity(className: name, key: key), existence: existence, fields: fields,
      isMade: kind & TouchTag.isMade != 0, isLost: kind & TouchTag.isLost != 0,
      isReduced: kind & TouchTag.isReduced != 0)
  }

  private mutating func value(depth: Int = 0) throws(StorageError) -> TableValue {
    guard let tag = TouchTag(rawValue: try byte()), depth < Self.depthMax else {
      throw .corrupted("a touch with a value of no type")
    }
    switch tag {
    case .null: return .null
    case .no: return .bool(false)
    case .yes: return .bool(true)
    case .int: return .int(try signed())
    case .float: return .float(Float(bitPattern: try fixed()))
    case .double: return .double(Double(bitPattern: try fixed()))
    case .string: return .string(try text())
    case .binary: return .binary(Array(try slice()))
    case .timestamp:
      let seconds = try signed()
      let nanoseconds = try signed()
      guard abs(nanoseconds) < 1_000_000_000,
        seconds == 0 || nanoseconds == 0
          || (seconds < 0) == (nanoseconds < 0)
      else { throw .corrupted("a touch with a bad time") }
      return .timestamp(Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)))
    case .decimal: return .decimal(DecimalBits(low: try fixed(), high: try fixed()))
    case .objectID: return .objectId(Bytes12(high: try fixed(), low: try fixed()))
    case .uuid: return .uuid(Bytes16(high: try fixed(), low: try fixed()))
    case .list:
      var values: [TableValue] = []
      for _ in 0..<(try count()) { values.append(try value(depth: depth + 1)) }
      return .list(values)
    case .globalKey, .large: throw .corrupted("a touch with a key as a value")
    }
  }

  private mutating func byte() throws(StorageError) -> UInt8 {
    guard position < bytes.count else { throw .corrupted("touches end early") }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func number() throws(StorageError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      let byte = try byte()
      let group = UInt64(byte & 0x7F)
      guard shift < 63 || group <= 1 else { break }
      value |= group << shift
      if byte < 0x80 { return value }
    }
    throw .corrupted("a number in touches is too large")
  }

  private mutating func signed() throws(StorageError) -> Int64 {
    let bits = try number()
    return Int64(bitPattern: bits >> 1) ^ -Int64(bits & 1)
  }

  /// A number of things with a byte each at least.
  private mutating func count() throws(StorageError) -> Int {
    let count = try number()
    guard count <= UInt64(bytes.count - position) else { throw .corrupted("touches end early") }
    return Int(count)
  }

  private mutating func slice() throws(StorageError) -> ArraySlice<UInt8> {
    let count = try count()
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func text() throws(StorageError) -> String {
    String(decoding: try slice(), as: UTF8.self)
  }

  private mutating func fixed<Number: FixedWidthInteger>() throws(StorageError) -> Number {
    var value: Number = 0
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
      value |= Number(truncatingIfNeeded: try byte()) << shift
    }
    return value
  }
}
