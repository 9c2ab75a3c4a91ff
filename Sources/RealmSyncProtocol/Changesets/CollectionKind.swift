// SPDX-License-Identifier: Apache-2.0

// The kinds of collections.

/// The kind of collection in a column or a mixed value, with its number on the wire.
package enum CollectionKind: UInt8, CaseIterable, Hashable, Sendable {
  case single = 0
  case list = 1
  case dictionary = 2
  case set = 3
}
