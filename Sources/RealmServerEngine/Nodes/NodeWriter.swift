// SPDX-License-Identifier: Apache-2.0

// The bytes of messages between servers: numbers of seven bits a byte, lengths before what they are
// of. Messages are not compressed, but for the bodies of downloads, which clients get as they are.

/// Writes a message.
struct NodeWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(0x80 | UInt8(truncatingIfNeeded: rest))
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func write(_ number: Int) { write(UInt64(max(number, 0))) }

  mutating func write(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  mutating func write(_ content: [UInt8]) {
    write(content.count)
    bytes += content
  }

  mutating func write(_ text: String) {
    write(text.utf8.count)
    bytes += text.utf8
  }

  mutating func write(_ number: UInt64?) {
    write(number != nil)
    if let number { write(number) }
  }

  mutating func write(_ text: String?) {
    write(text != nil)
    if let text { write(text) }
  }

  /// What has a form of its own, as it is.
  mutating func append(_ content: [UInt8]) { bytes += content }
}
