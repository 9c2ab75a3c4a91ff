// SPDX-License-Identifier: Apache-2.0

// The parts of messages between servers from their bytes, whatever these are.
//
// Invariants:
// 1. `position` is at most the number of bytes; a read beyond throws.

import RealmText

/// Bytes of another server that are no message.
package struct NodeMessageError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

/// Reads a message.
struct NodeReader {
  private let bytes: [UInt8]
  private var position: Int

  init(_ bytes: [UInt8], from position: Int = 0) {
    self.bytes = bytes
    self.position = min(position, bytes.count)
  }

  static let truncated = NodeMessageError("the message is too short")

  mutating func byte() throws(NodeMessageError) -> UInt8 {
    guard position < bytes.count else { throw Self.truncated }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number() throws(NodeMessageError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0 as UInt64, through: 63, by: 7) {
      let next = try byte()
      guard shift < 63 || next <= 1 else { break }
      value |= UInt64(next & 0x7F) << shift
      guard next >= 0x80 else { return value }
    }
    throw NodeMessageError("a number has more than 64 bits")
  }

  mutating func integer() throws(NodeMessageError) -> Int {
    guard let value = Int(exactly: try number()) else {
      throw NodeMessageError("a number is too large")
    }
    return value
  }

  /// The number of the elements that follow, of which each has a byte at least.
  mutating func count() throws(NodeMessageError) -> Int {
    let count = try number()
    guard count <= UInt64(bytes.count - position) else { throw Self.truncated }
    return Int(count)
  }

  mutating func flag() throws(NodeMessageError) -> Bool {
    let value = try byte()
    guard value <= 1 else { throw NodeMessageError("\(value) is no flag") }
    return value == 1
  }

  mutating func content() throws(NodeMessageError) -> [UInt8] { Array(bytes[try range()]) }

  mutating func text() throws(NodeMessageError) -> String {
    let range = try range()
    guard UTF8Validation.isValid(bytes, range) else {
      throw NodeMessageError("a text is not UTF-8")
    }
    return String(decoding: bytes[range], as: UTF8.self)
  }

  mutating func optionalNumber() throws(NodeMessageError) -> UInt64? {
    try flag() ? try number() : nil
  }

  mutating func optionalText() throws(NodeMessageError) -> String? {
    try flag() ? try text() : nil
  }

  /// All bytes that are left.
  mutating func rest() -> [UInt8] {
    defer { position = bytes.count }
    return Array(bytes[position...])
  }

  func finish() throws(NodeMessageError) {
    guard position == bytes.count else { throw NodeMessageError("bytes follow the message") }
  }

  private mutating func range() throws(NodeMessageError) -> Range<Int> {
    let count = try count()
    defer { position += count }
    return position..<position + count
  }
}
