// SPDX-License-Identifier: Apache-2.0

// The escapes of addresses, of paths of files, and of the names of files in dumps.

/// Texts with escapes of bytes.
package enum PercentText {
  /// Letters, digits and `-._~` as they are, other bytes as `%` and two digits: a text that has no
  /// meaning of its own in a query, a form or a path, but for `.` and `..`.
  package static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { result, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default: result += "%" + HexadecimalText.text(UInt64(byte), digits: 2).uppercased()
      }
    }
  }

  /// A text without escapes; what is none stays as it is.
  package static func decoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
