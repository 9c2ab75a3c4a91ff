// SPDX-License-Identifier: Apache-2.0

// The value of a decimal as it is stored; how such values are ordered is in `DecimalBits+Order`.

/// The bits of an IEEE 754 decimal in 128-bit binary integer encoding (file format 4.6).
///
/// Equality here is equality of bits: 1.0 and 1.00 differ. `compare(to:)` compares the numbers.
@frozen @usableFromInline
package struct DecimalBits: Hashable, Sendable {
  /// The lower 64 bits of the coefficient.
  @usableFromInline package var low: UInt64
  /// Sign, exponent and the upper bits of the coefficient.
  @usableFromInline package var high: UInt64

  @inlinable
  package init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// +0 with the exponent 0, the value of a new object's property.
  @inlinable package static var zero: DecimalBits {
    DecimalBits(low: 0, high: 0x3040_0000_0000_0000)
  }
}
