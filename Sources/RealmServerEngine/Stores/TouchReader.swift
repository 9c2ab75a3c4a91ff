// SPDX-License-Identifier: Apache-2.0

// Bytes become touches.

package import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Reads the bytes of `TouchWriter`; other bytes give an error.
package struct TouchReader {
  private var bytes: PackedReader

  private static let depthMax = 2

  package static func decode(_ bytes: [UInt8]) throws(StorageError) -> [Touch] {
    guard !bytes.isEmpty else { return [] }
    var reader = TouchReader(bytes: PackedReader(bytes))
    do throws(PackedBytesError) {
      return try reader.touches()
    } catch {
      throw .corrupted("touches: \(error)")
    }
  }

  /// Reads the identities of objects.
  package static func objects(_ bytes: [UInt8]) throws(StorageError) -> [ObjectIdentity] {
    try decode(bytes).map(\.object)
  }

  private mutating func touches() throws(PackedBytesError) -> [Touch] {
    let count = try bytes.count()
    var touches: [Touch] = []
    for _ in 0..<count { touches.append(try touch()) }
    try bytes.finish()
    return touches
  }

  private mutating func touch() throws(PackedBytesError) -> Touch {
    let name = try bytes.text()
    let key: ObjectIdentity.Key
    if bytes.skip(TouchTag.globalKey.rawValue) {
      key = .global(GlobalKey(high: try bytes.number(), low: try bytes.number()))
    } else {
      key = .value(try value())
    }
    let kind = try bytes.byte()
    guard let existence = Touch.Existence(rawValue: kind & 0x0F) else {
      throw PackedBytesError("a touch of no kind")
    }
    var fields: [Touch.Field] = []
    for _ in 0..<(try bytes.count()) {
      let name = try bytes.text()
      if bytes.skip(TouchTag.large.rawValue) {
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

  private mutating func value(depth: Int = 0) throws(PackedBytesError) -> TableValue {
    guard let tag = TouchTag(rawValue: try bytes.byte()), depth < Self.depthMax else {
      throw PackedBytesError("a touch with a value of no type")
    }
    switch tag {
    case .null: return .null
    case .no: return .bool(false)
    case .yes: return .bool(true)
    case .int: return .int(try bytes.signed())
    case .float: return .float(Float(bitPattern: try bytes.fixed()))
    case .double: return .double(Double(bitPattern: try bytes.fixed()))
    case .string: return .string(try bytes.text())
    case .binary: return .binary(try bytes.content())
    case .timestamp:
      let seconds = try bytes.signed()
      let nanoseconds = try bytes.signed()
      guard (-999_999_999...999_999_999).contains(nanoseconds),
        seconds == 0 || nanoseconds == 0
          || (seconds < 0) == (nanoseconds < 0)
      else { throw PackedBytesError("a touch with a bad time") }
      return .timestamp(Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)))
    case .decimal: return .decimal(DecimalBits(low: try bytes.fixed(), high: try bytes.fixed()))
    case .objectID: return .objectId(Bytes12(high: try bytes.fixed(), low: try bytes.fixed()))
    case .uuid: return .uuid(Bytes16(high: try bytes.fixed(), low: try bytes.fixed()))
    case .list:
      var values: [TableValue] = []
      for _ in 0..<(try bytes.count()) { values.append(try value(depth: depth + 1)) }
      return .list(values)
    case .globalKey, .large: throw PackedBytesError("a touch with a key as a value")
    }
  }
}
