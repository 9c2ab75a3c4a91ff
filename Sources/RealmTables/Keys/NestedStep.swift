// SPDX-License-Identifier: Apache-2.0

// How a collection inside a mixed value is named (file format 4.9.2).
//
// Invariants:
// 1. Positions move whenever something is inserted before them; the salt that an element carries
//    stays with it, and goes with it. A path of salts leads to the same collection permanently,
//    or to nothing.

/// One step from a collection, or from a mixed property, to the collection in one of its elements.
package struct NestedStep: Hashable, Sendable {
  /// The salt of the element; 0 where another writer left it out.
  package let salt: Int64
  /// Where the element was when the step was made, which is where it is looked for first.
  package let position: Int

  package init(salt: Int64, position: Int) {
    self.salt = salt
    self.position = position
  }

  package static func == (left: NestedStep, right: NestedStep) -> Bool {
    left.salt == right.salt && (left.salt != 0 || left.position == right.position)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(salt) }
}
