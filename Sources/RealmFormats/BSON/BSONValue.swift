// SPDX-License-Identifier: Apache-2.0

// The values of functions and documents.

package import RealmText

/// A BSON value. Documents keep the order of their elements.
package enum BSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case int32(Int32)
  case int64(Int64)
  case double(Double)
  /// The text of the decimal, which this module does not interpret.
  case decimal(String)
  case string(String)
  case objectID(ObjectIDBits)
  /// Subtype 0 is any bytes, subtype 4 a UUID.
  case binary(subtype: UInt8, bytes: [UInt8])
  case date(unixMilliseconds: Int64)
  case timestamp(seconds: UInt32, increment: UInt32)
  case regularExpression(pattern: String, options: String)
  case minKey
  case maxKey
  case array([BSONValue])
  case document([BSONElement])

  /// A UUID as the bytes that it is.
  package static func uuid(_ id: UUIDBits) -> BSONValue {
    var bytes: [UInt8] = []
    for half in [id.high, id.low] {
      for shift in stride(from: 56 as UInt64, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: half >> shift))
      }
    }
    return .binary(subtype: 4, bytes: bytes)
  }

  /// The UUID, if the value is one.
  package var uuid: UUIDBits? {
    guard case .binary(4, let bytes) = self, bytes.count == 16 else { return nil }
    func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return UUIDBits(high: half(bytes[..<8]), low: half(bytes[8...]))
  }

  /// The value of a key, that of the last element if there are several, nil for other values.
  package subscript(key: String) -> BSONValue? {
    guard case .document(let elements) = self else { return nil }
    return elements.last { $0.key == key }?.value
  }
}
