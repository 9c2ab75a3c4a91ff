// SPDX-License-Identifier: Apache-2.0

// Bytes in query strings: `B64"…"`.

/// The encoding of bytes by 64 characters of ASCII.
enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (24 - 8 * group.count)
      for index in 0..<4 {
        text.append(
          index <= group.count ? digits[Int(bits >> (18 - 6 * index)) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes that a text encodes; nil if it encodes none.
  static func bytes(of text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    let count = characters.lastIndex { $0 != UInt8(ascii: "=") }.map { $0 + 1 } ?? 0
    guard characters.count % 4 == 0, characters.count - count <= 2 else { return nil }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    for (index, character) in characters[..<count].enumerated() {
      guard let digit = digits.firstIndex(of: character) else { return nil }
      bits = bits << 6 | UInt32(digit)
      if index % 4 > 0 {
        bytes.append(UInt8(truncatingIfNeeded: bits >> (6 - 2 * UInt32(index % 4))))
      }
    }
    return bytes
  }
}
