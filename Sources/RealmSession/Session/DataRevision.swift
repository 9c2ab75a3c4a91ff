// SPDX-License-Identifier: Apache-2.0

// The state of the data that a computed value belongs to.

/// A state of the data that a session showed: a version, or a position within a write transaction.
package enum DataRevision: Equatable, Sendable {
  case version(UInt64)
  case writing(transaction: UInt64, position: Int)
}
