// SPDX-License-Identifier: Apache-2.0

// Bytes from the notation of the specification, and back.

/// The bytes of hexadecimal digits; spaces and line ends count nothing.
package func bytes(_ hex: String) -> [UInt8] {
  let digits = hex.compactMap(\.hexDigitValue).map(UInt8.init)
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// The hexadecimal digits of bytes.
package func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
