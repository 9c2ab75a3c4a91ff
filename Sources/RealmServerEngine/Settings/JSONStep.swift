// SPDX-License-Identifier: Apache-2.0

// Positions inside of a JSON value.

/// A step from a JSON value to one inside of it.
package enum JSONStep: Hashable, Sendable {
  case key(String)
  case index(Int)
}
