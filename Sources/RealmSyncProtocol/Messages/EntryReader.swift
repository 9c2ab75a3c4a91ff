// SPDX-License-Identifier: Apache-2.0

// The fields of the entries in a body.

/// A position in the uncompressed body of a message.
struct EntryReader {
  private let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  /// A number and the space after it.
  mutating func number() throws(MessageError) -> UInt64 {
    let rest = bytes[position...]
    guard let count = rest.prefix(20).firstIndex(of: UInt8(ascii: " ")).map({ $0 - position }),
      let number = rest.prefix(count).decimal
    else { throw .badChangesetHeader }
    position += count + 1
    return number
  }

  /// A size, a space, and as many bytes.
  mutating func changeset() throws(MessageError) -> [UInt8] {
    let count = try number()
    guard count <= UInt64(bytes.count - position) else { throw .badChangesetHeader }
    defer { position += Int(count) }
    return Array(bytes[position..<position + Int(count)])
  }
}
