// SPDX-License-Identifier: Apache-2.0

// A generator of random numbers that a test can repeat.

/// A generator whose numbers depend on its seed only (splitmix64), so that a failing test can be
/// repeated with the seed it printed.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator, which returns the same numbers for the same seed on every platform.
  package init(seed: UInt64) { state = seed }

  /// The next 64 random bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits &>> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits &>> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits &>> 31
  }

  /// Returns true with the given probability.
  package mutating func chance(_ probability: Double) -> Bool {
    assert((0...1).contains(probability), "a probability, not a number of hundredths")
    return Double.random(in: 0..<1, using: &self) < probability
  }
}
