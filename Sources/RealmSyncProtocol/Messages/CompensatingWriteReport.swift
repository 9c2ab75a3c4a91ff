// SPDX-License-Identifier: Apache-2.0

// The writes that a server refused, and where it undid them.

/// The part of an error document that reports a compensating write.
package struct CompensatingWriteReport: Hashable, Sendable {
  /// The version whose changeset undoes the writes.
  package var serverVersion: UInt64
  package var rejectedClientVersion: UInt64
  package var updates: [RejectedUpdate]

  package init(serverVersion: UInt64, rejectedClientVersion: UInt64, updates: [RejectedUpdate]) {
    self.serverVersion = serverVersion
    self.rejectedClientVersion = rejectedClientVersion
    self.updates = updates
  }
}
