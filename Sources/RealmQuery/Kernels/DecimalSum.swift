// SPDX-License-Identifier: Apache-2.0

// Adding decimals one after the other, and dividing their sum.

package import RealmStorage

/// A running sum of decimals, rounded half to even where 34 digits do not hold it.
package struct DecimalSum {
  private var total: DecimalBits?

  package init() {}

  /// The sum; 0 of nothing.
  package var bits: DecimalBits { total ?? .zero }

  /// Adds a number.
  package mutating func add(_ number: DecimalBits) {
    total = total.map { $0 + number } ?? number
  }

  /// The sum divided by a positive number.
  package func divided(by count: Int) -> DecimalBits {
    bits / DecimalBits(integer: Int64(count))
  }
}
