// SPDX-License-Identifier: Apache-2.0

// Types of another module than that of the tests which make them storable: the compiler makes no
// `hash(into:)` for them there.

/// A value that can be compared, and no more.
package struct ForeignPoint: Equatable, Sendable {
  package var x: Double
  package var y: Double

  package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
}

/// A value that can be compared, and no more.
package struct ForeignAmount: Equatable, Sendable {
  package var cents: Int

  package init(cents: Int) { self.cents = cents }
}
