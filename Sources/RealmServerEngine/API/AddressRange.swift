// SPDX-License-Identifier: Apache-2.0

// Networks of addresses.

/// The addresses with the same first bits (RFC 4632).
package struct AddressRange: Hashable, Sendable {
  private let address: ClientAddress
  private let bitCount: Int

  /// The range of a text like `10.0.0.0/8` or `2001:db8::/32`, or of one address; nil if it is
  /// none.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = ClientAddress(String(parts[0])) else { return nil }
    self.address = address
    let width = address.bytes.count * 8
    guard parts.count == 2 else {
      bitCount = width
      return
    }
    guard var count = Int(parts[1]) else { return nil }
    // For an address of version 4, written as one of version 6.
    if width == 32, parts[0].contains(":") { count -= 96 }
    guard (0...width).contains(count) else { return nil }
    bitCount = count
  }

  /// Whether an address is one of the range.
  package func contains(_ other: ClientAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    let whole = bitCount / 8
    guard other.bytes[..<whole] == address.bytes[..<whole] else { return false }
    let rest = bitCount % 8
    return rest == 0 || (other.bytes[whole] ^ address.bytes[whole]) >> (8 - rest) == 0
  }
}
