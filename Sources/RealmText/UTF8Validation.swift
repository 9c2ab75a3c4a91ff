// SPDX-License-Identifier: Apache-2.0

// Whether bytes are UTF-8.

/// The check for well-formed UTF-8 (Unicode, table 3-7).
package enum UTF8Validation {
  /// Whether the bytes of a range are UTF-8.
  package static func isValid(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      let first = bytes[index]
      index += 1
      if first < 0x80 { continue }
      let (count, second) = sequence(first)
      guard count > 0, range.upperBound - index >= count, second.contains(bytes[index]) else {
        return false
      }
      for offset in 1..<max(count, 1) where bytes[index + offset] & 0xC0 != 0x80 { return false }
      index += count
    }
    return true
  }

  /// The number of bytes after a first byte, and the range of the next one. There are none after an
  /// impossible first byte.
  private static func sequence(_ first: UInt8) -> (count: Int, second: ClosedRange<UInt8>) {
    switch first {
    case 0xC2...0xDF: (1, 0x80...0xBF)
    case 0xE0: (2, 0xA0...0xBF)
    case 0xED: (2, 0x80...0x9F)
    case 0xE1...0xEF: (2, 0x80...0xBF)
    case 0xF0: (3, 0x90...0xBF)
    case 0xF1...0xF3: (3, 0x80...0xBF)
    case 0xF4: (3, 0x80...0x8F)
    default: (0, 0...0)
    }
  }
}
