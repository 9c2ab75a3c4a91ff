// SPDX-License-Identifier: Apache-2.0

// One step of a path below a property.

/// A step from a property, or from a value below it, to a value below that.
package enum PathElement: Hashable, Sendable {
  /// The element of a list.
  case index(UInt32)
  /// The value of a dictionary's key, or the property of an embedded object.
  case key(InternedString)
}
