// SPDX-License-Identifier: Apache-2.0

// Identifies the state of the data behind a computed value, so a cached value can be compared with
// the present state.

/// A revision of the data that a session showed: a version, or a position within the log of a write
/// transaction.
package enum DataRevision: Equatable, Sendable {
  case version(UInt64)
  case writing(transaction: UInt64, position: Int)
}
