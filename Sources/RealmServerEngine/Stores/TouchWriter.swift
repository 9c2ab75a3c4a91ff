// SPDX-License-Identifier: Apache-2.0

// Touches become bytes.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Writes touches in their stored form.
///
/// Numbers are in seven-bit groups, the lowest first; signed ones are zigzagged.
package struct TouchWriter {
  private var bytes: [UInt8] = []

  /// The bytes of the touches of a version; none if there are none.
  package static func encode(_ touches: [Touch]) -> [UInt8] {
    guard !touches.isEmpty else { return [] }
    var writer = TouchWriter()
    writer.number(UInt64(touches.count))
    for touch in touches { writer.write(touch) }
    return writer.bytes
  }

  /// The bytes of the identities of objects; none if there are none.
  package static func encode(objects: [ObjectIdentity]) -> [UInt8] {
    encode(objects.map { Touch(object: $0, existence: .absent) })
  }

  private mutating func write(_ touch: Touch) {
    text(touch.object.className)
    switch touch.object.key {
    case .value(let value): write(value)
    case .global(let key):
      bytes.append(TouchTag.globalKey.rawValue)
      number(key.high)
      number(key.low)
    }
    bytes.append(
      touch.existence.rawValue | (touch.isMade ? TouchTag.isMade : 0)
        | (touch.isLost ? TouchTag.isLost : 0) | (touch.isReduced ? TouchTag.isReduced : 0))
    number(UInt64(touch.fields.count))
    for field in touch.fields {
      text(field.name)
      if let before = field.before {
        write(before)
      } else {
        bytes.append(TouchTag.large.rawValue)
      }
    }
  }

  private mutating func write(_ value: TableValue) {
    func tag(_ tag: TouchTag) { bytes.append(tag.rawValue) }
    switch value {
    case .null: tag(.null)
    case .int(let value):
      tag(.int)
      signed(value)
    case .bool(let value): tag(value ? .yes : .no)
    case .float(let value):
      tag(.float)
      fixed(value.bitPattern)
    case .double(let value):
      tag(.double)
      fixed(value.bitPattern)
    case .string(let value):
      tag(.string)
      text(value)
    case .binary(let value):
      tag(.binary)
      number(UInt64(value.count))
      bytes += value
    case .timestamp(let value):
      tag(.timestamp)
      signed(value.seconds)
      signed(Int64(value.nanoseconds))
    case .decimal(let value):
      tag(.decimal)
      fixed(value.low)
      fixed(value.high)
    case .objectId(let value):
      tag(.objectID)
      fixed(value.high)
      fixed(value.low)
    case .uuid(let value):
      tag(.uuid)
      fixed(value.high)
      fixed(value.low)
    case .list(let values):
      tag(.list)
      number(UInt64(values.count))
      for value in values { write(value) }
    case .link, .typedLink, .dictionary:
      assertionFailure("a value that queries cannot ask for")
      tag(.null)
    }
  }

  private mutating func text(_ text: String) {
    number(UInt64(text.utf8.count))
    bytes += text.utf8
  }

  private mutating func signed(_ value: Int64) {
    number(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  private mutating func number(_ value: UInt64) {
    var rest = value
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func fixed<Number: FixedWidthInteger>(_ value: Number) {
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}

/// The kinds of values in stored touches.
enum TouchTag: UInt8 {
  case null = 0
  case no, yes, int, float, double, string, binary, timestamp, decimal, objectID, uuid, list
  case globalKey
  /// A large value, not kept.
  case large

  /// Bits beside the existence of a touch.
  static let isMade: UInt8 = 0x10
  static let isLost: UInt8 = 0x20
  static let isReduced: UInt8 = 0x40
}
