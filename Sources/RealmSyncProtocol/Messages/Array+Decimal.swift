// SPDX-License-Identifier: Apache-2.0

// Numbers as messages write them.

extension ArraySlice<UInt8> {
  /// The number of the digits: without sign, leading zeros, and more than 63 bits.
  var decimal: UInt64? {
    guard let first, count <= 19, first != UInt8(ascii: "0") || count == 1 else { return nil }
    var value: UInt64 = 0
    for byte in self {
      let digit = byte ^ 0x30
      guard digit < 10 else { return nil }
      value = value * 10 + UInt64(digit)
    }
    return value <= UInt64(Int64.max) ? value : nil
  }
}

extension Array where Element == UInt8 {
  mutating func append(decimal number: UInt64) {
    assert(number <= UInt64(Int64.max), "messages have no such number")
    // A DOWNLOAD has six numbers for each changeset, so they are written without a string each.
    var (rest, digitCount) = (number / 10, 1)
    while rest > 0 {
      rest /= 10
      digitCount += 1
    }
    append(contentsOf: repeatElement(UInt8(ascii: "0"), count: digitCount))
    var position = count - 1
    rest = number
    while rest > 0 {
      self[position] += UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      position -= 1
    }
  }

  /// Adds numbers with a space after each.
  mutating func append(fields: [UInt64]) {
    for field in fields {
      append(decimal: field)
      append(UInt8(ascii: " "))
    }
  }
}
