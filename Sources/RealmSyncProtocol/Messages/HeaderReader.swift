// SPDX-License-Identifier: Apache-2.0

// The fields of a message's first line, and the bodies after it.

import RealmFormats
import RealmText

/// A position in the bytes of a message.
struct HeaderReader {
  /// The longest first line.
  private static let lineByteCountMax = 512

  private let bytes: [UInt8]
  private var position = 0
  /// The position of the line's end.
  private let lineEnd: Int
  let name: String

  init(_ bytes: [UInt8]) throws(MessageError) {
    self.bytes = bytes
    guard let end = bytes.prefix(Self.lineByteCountMax).firstIndex(of: UInt8(ascii: "\n")) else {
      throw .badSyntax
    }
    lineEnd = end
    position = bytes[..<end].firstIndex(of: UInt8(ascii: " ")) ?? end
    name = String(decoding: bytes[..<position], as: UTF8.self)
  }

  private mutating func field() throws(MessageError) -> ArraySlice<UInt8> {
    guard position < lineEnd, bytes[position] == UInt8(ascii: " ") else { throw .badSyntax }
    let rest = bytes[position + 1..<lineEnd]
    let end = rest.firstIndex(of: UInt8(ascii: " ")) ?? lineEnd
    position = end
    return rest[..<end]
  }

  mutating func number() throws(MessageError) -> UInt64 {
    guard let number = try field().decimal else { throw .badSyntax }
    return number
  }

  mutating func flag() throws(MessageError) -> Bool {
    let number = try number()
    guard number <= 1 else { throw .badSyntax }
    return number == 1
  }

  /// A size of bytes after the line.
  mutating func byteCount() throws(MessageError) -> Int {
    Int(try number())
  }

  mutating func session() throws(MessageError) -> UInt64 {
    let session = try number()
    guard session > 0 else { throw .badSyntax }
    return session
  }

  /// A decimal fraction from zero on.
  mutating func fraction() throws(MessageError) -> Double {
    let text = try field()
    guard text.count <= 32, let first = text.first, first ^ 0x30 < 10,
      text.allSatisfy({ $0 ^ 0x30 < 10 || Self.fractionMarks.contains($0) }),
      let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite
    else { throw .badSyntax }
    return value
  }

  private static let fractionMarks = Array(".eE+-".utf8)

  /// The line has no more fields, and the bytes after it have these sizes together.
  mutating func finish(_ sizes: Int...) throws(MessageError) {
    guard position == lineEnd else { throw .badSyntax }
    position += 1
    var left = bytes.count - position
    for size in sizes {
      guard size <= left else { throw .badSyntax }
      left -= size
    }
    guard left == 0 else { throw .badSyntax }
  }

  /// The next bytes after the line, whose sizes `finish` has checked.
  mutating func body(_ count: Int) -> [UInt8] {
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  mutating func text(_ count: Int) throws(MessageError) -> String {
    let range = position..<position + count
    guard UTF8Validation.isValid(bytes, range) else { throw .badSyntax }
    position += count
    return String(decoding: bytes[range], as: UTF8.self)
  }

  mutating func json(_ count: Int) throws(MessageError) -> JSONValue {
    do {
      return try JSONParser.parse(body(count))
    } catch {
      throw .badSyntax
    }
  }

  /// The three fields of a body at the end of the line, and the body.
  mutating func messageBody() throws(MessageError) -> MessageBody {
    let isCompressed = try flag()
    let uncompressed = try byteCount()
    let compressed = try byteCount()
    // The compressed size of an uncompressed body means nothing.
    let count = isCompressed ? compressed : uncompressed
    try finish(count)
    return MessageBody(
      received: body(count), uncompressedByteCount: uncompressed, isCompressed: isCompressed)
  }
}
