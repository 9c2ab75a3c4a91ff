// SPDX-License-Identifier: Apache-2.0

// The elements of paths as devices send them (P2 A.5).

/// A step from a collection, or an embedded object, to what it holds.
package enum PathStep: Hashable, Sendable {
  /// The element of a list at a stored position.
  case index(Int)
  /// The value of a key of a dictionary, or a property of an embedded object.
  case key(String)
}
