// SPDX-License-Identifier: Apache-2.0

// Touches become bytes.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Writes touches in their stored form.
package struct TouchWriter {
  private var bytes = PackedWriter()

  /// The bytes of the touches of a version; none if there are none.
  package static func encode(_ touches: [Touch]) -> [UInt8] {
    guard !touches.isEmpty else { return [] }
    var writer = TouchWriter()
    writer.bytes.write(touches.count)
    for touch in touches { writer.write(touch) }
    return writer.bytes.bytes
  }

  /// The bytes of the identities of objects; none if there are none.
  package static func encode(objects: [ObjectIdentity]) -> [UInt8] {
    encode(objects.map { Touch(object: $0, existence: .absent) })
  }

  private mutating func write(_ touch: Touch) {
    bytes.write(touch.object.className)
    switch touch.object.key {
    case .value(let value): write(value)
    case .global(let key):
      bytes.write(byte: TouchTag.globalKey.rawValue)
      bytes.write(key.high)
      bytes.write(key.low)
    }
    bytes.write(
      byte: touch.existence.rawValue | (touch.isMade ? TouchTag.isMade : 0)
        | (touch.isLost ? TouchTag.isLost : 0) | (touch.isReduced ? TouchTag.isReduced : 0))
    bytes.write(touch.fields.count)
    for field in touch.fields {
      bytes.write(field.name)
      if let before = field.before {
        write(before)
      } else {
        bytes.write(byte: TouchTag.large.rawValue)
      }
    }
  }

  private mutating func write(_ value: TableValue) {
    func tag(_ tag: TouchTag) { bytes.write(byte: tag.rawValue) }
    switch value {
    case .null: tag(.null)
    case .int(let value):
      tag(.int)
      bytes.write(signed: value)
    case .bool(let value): tag(value ? .yes : .no)
    case .float(let value):
      tag(.float)
      bytes.write(fixed: value.bitPattern)
    case .double(let value):
      tag(.double)
      bytes.write(fixed: value.bitPattern)
    case .string(let value):
      tag(.string)
      bytes.write(value)
    case .binary(let value):
      tag(.binary)
      bytes.write(value)
    case .timestamp(let value):
      tag(.timestamp)
      bytes.write(signed: value.seconds)
      bytes.write(signed: Int64(value.nanoseconds))
    case .decimal(let value):
      tag(.decimal)
      bytes.write(fixed: value.low)
      bytes.write(fixed: value.high)
    case .objectId(let value):
      tag(.objectID)
      bytes.write(fixed: value.high)
      bytes.write(fixed: value.low)
    case .uuid(let value):
      tag(.uuid)
      bytes.write(fixed: value.high)
      bytes.write(fixed: value.low)
    case .list(let values):
      tag(.list)
      bytes.write(values.count)
      for value in values { write(value) }
    case .link, .typedLink, .dictionary:
      assertionFailure("a value that queries cannot ask for")
      tag(.null)
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
