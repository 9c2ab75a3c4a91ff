// SPDX-License-Identifier: Apache-2.0

// Bytes that are not UTF-8, in an imported file that is read as such.

#if Tools
import RealmText

/// Finds and names bytes that are not UTF-8.
enum InvalidText {
  /// The first byte of a range that is no part of a character; nil if all are.
  static func index(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
    if UTF8Validation.isValid(bytes, range) { return nil }
    var index = range.lowerBound
    while index < range.upperBound {
      let count =
        switch bytes[index] {
        case ..<0xC0: 1
        case ..<0xE0: 2
        case ..<0xF0: 3
        default: 4
        }
      guard index + count <= range.upperBound,
        UTF8Validation.isValid(bytes, index..<index + count)
      else { return index }
      index += count
    }
    return nil
  }

  /// What is wrong with such a byte, and the remedy.
  static func reason(_ byte: UInt8) -> String {
    "the byte 0x\(String(byte, radix: 16, uppercase: true)) is no UTF-8; name the encoding of the "
      + "file with --encoding: latin1, windows-1252 or utf-16"
  }
}
#endif
