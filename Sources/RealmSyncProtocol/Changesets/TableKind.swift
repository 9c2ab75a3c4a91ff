// SPDX-License-Identifier: Apache-2.0

// The kinds of classes.

/// The kind of a class, with its number on the wire.
package enum TableKind: UInt8, CaseIterable, Hashable, Sendable {
  case topLevel = 0
  case embedded = 1
  /// Top level; its objects are sent to the server and then removed.
  case asymmetric = 2
}
