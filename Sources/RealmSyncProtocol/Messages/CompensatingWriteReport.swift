// SPDX-License-Identifier: Apache-2.0

// The refused writes of a client, and the versions of their compensation.

/// The part of an error document about a compensating write.
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
