// SPDX-License-Identifier: Apache-2.0

// What the server undid of a client's writes.

package import RealmText

/// The part of an error document about a compensating write.
package struct CompensatingWriteReport: Hashable, Sendable {
  /// The version whose changeset undoes the writes.
  package var serverVersion: UInt64
  package var rejectedClientVersion: UInt64
  package var updates: [RejectedUpdate]
  /// Those of asymmetric classes, which another error reports (`RefusedWriteReport`). They are no
  /// part of the message.
  package var refused: [RejectedUpdate] = []

  package init(serverVersion: UInt64, rejectedClientVersion: UInt64, updates: [RejectedUpdate]) {
    self.serverVersion = serverVersion
    self.rejectedClientVersion = rejectedClientVersion
    self.updates = updates
  }
}

/// The part of an error document about refused writes that no changeset undoes: objects of
/// asymmetric classes are on no device once they were uploaded.
package struct RefusedWriteReport: Hashable, Sendable {
  package var rejectedClientVersion: UInt64
  package var updates: [RejectedUpdate]

  package init(rejectedClientVersion: UInt64, updates: [RejectedUpdate]) {
    self.rejectedClientVersion = rejectedClientVersion
    self.updates = updates
  }
}

/// An object of a compensating write, as the error reports it to the app.
package struct RejectedUpdate: Hashable, Sendable {
  package var reason: String
  package var table: String
  package var key: RejectedKey

  package init(reason: String, table: String, key: RejectedKey) {
    self.reason = reason
    self.table = table
    self.key = key
  }

  /// The update of a write against the rules, with the reason's usual text.
  package init(notAllowed key: RejectedKey, in table: String, isOutsideOfView: Bool = false) {
    let tail = isOutsideOfView ? "; object is outside of the current query view" : ""
    self.init(
      reason: "write to \(key) in table \"\(table)\" not allowed\(tail)", table: table, key: key)
  }
}

extension RejectedUpdate {
  /// The update of an object of an asymmetric class, with the reason's usual text.
  package init(refused key: RejectedKey, in table: String) {
    let name =
      switch key {
      case .objectID(let id): "\"\(id.text)\""
      case .uuid(let id): "\"\(id.text)\""
      case .null, .int, .string: key.description
      }
    self.init(reason: "write to \(name) in table \"\(table)\" not allowed", table: table, key: key)
  }
}

/// A primary key, complete in itself.
package enum RejectedKey: Hashable, Sendable, CustomStringConvertible {
  case null
  case int(Int64)
  case string(String)
  case objectID(ObjectIDBits)
  case uuid(UUIDBits)

  /// As the reasons of refused writes name it.
  package var description: String {
    switch self {
    case .null: return "null"
    case .int(let number): return "\(number)"
    case .string(let text): return "\"\(text)\""
    case .objectID(let id): return "ObjectID(\"\(id.text)\")"
    case .uuid(let id): return "UUID(\"\(id.text)\")"
    }
  }

  /// The type's tag and the value, with strings in place.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    switch self {
    case .null: bytes.write(PrimaryKey.null)
    case .int(let number): bytes.write(PrimaryKey.int(number))
    case .objectID(let id): bytes.write(PrimaryKey.objectID(id))
    case .uuid(let id): bytes.write(PrimaryKey.uuid(id))
    case .string(let text):
      bytes.write(PayloadType.string)
      bytes.write(unsigned: UInt64(text.utf8.count))
      bytes += text.utf8
    }
    return bytes
  }

  /// The key of all the bytes.
  package init(bytes: [UInt8]) throws(ChangesetError) {
    var reader = ByteReader(bytes: bytes)
    let tag = try reader.signed()
    switch Int8(exactly: tag).flatMap(PayloadType.init(rawValue:)) {
    case .null: self = .null
    case .int: self = .int(try reader.signed())
    case .string:
      let range = try reader.bytes(count: try reader.unsigned())
      guard UTF8Validation.isValid(bytes, range) else { throw .invalidUTF8 }
      self = .string(String(decoding: bytes[range], as: UTF8.self))
    case .objectID:
      self = .objectID(
        ObjectIDBits(
          high: try reader.bigEndian(8),
          low: UInt32(truncatingIfNeeded: try reader.bigEndian(4))))
    case .uuid:
      self = .uuid(UUIDBits(high: try reader.bigEndian(8), low: try reader.bigEndian(8)))
    case let type?: throw .badKeyType(type)
    case nil: throw .unknownPayloadType(tag)
    }
    guard reader.isAtEnd else { throw .truncated }
  }
}
