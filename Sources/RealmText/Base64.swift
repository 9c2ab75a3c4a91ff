// SPDX-License-Identifier: Apache-2.0

// Bytes in text.

/// The encoding of RFC 4648 with its standard alphabet.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var group: UInt32 = 0
      for offset in 0..<3 {
        group = group << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0)
      }
      for place in 0..<4 {
        let digit = Int(group >> UInt32(18 - 6 * place) & 0x3F)
        text.append(place <= count ? alphabet[digit] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text, nil if it is none of this encoding. The URL alphabet is read as well,
  /// and padding may be missing.
  package static func decode(_ text: String) -> [UInt8]? {
    guard let (bytes, rest) = decodeWithRest(text), rest == 0 else { return nil }
    return bytes
  }

  /// The bytes of a text in the standard alphabet and with its padding, nil for others. Bits after
  /// the last byte do not count.
  package static func decodePadded(_ text: String) -> [UInt8]? {
    guard text.utf8.count % 4 == 0, !text.contains(where: { $0 == "-" || $0 == "_" }) else {
      return nil
    }
    return decodeWithRest(text)?.bytes
  }

  /// The bytes of a text, and the bits after the last of them.
  private static func decodeWithRest(_ text: String) -> (bytes: [UInt8], rest: UInt32)? {
    var digits = Array(text.utf8)
    for _ in 0..<2 where digits.count % 4 != 1 && digits.last == UInt8(ascii: "=") {
      digits.removeLast()
    }
    guard digits.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3 + 2)
    var (group, count): (UInt32, UInt32) = (0, 0)
    for digit in digits {
      guard let value = value(digit) else { return nil }
      group = group << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: group >> count))
      }
    }
    return (bytes, group & (1 << count - 1))
  }

  private static func value(_ digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
