// SPDX-License-Identifier: Apache-2.0

// What a session is for.

/// The properties of a session that do not change.
package struct SessionSettings: Hashable, Sendable {
  /// The part of the session in a client reset.
  package enum Purpose: Hashable, Sendable {
    case sync
    /// Download a fresh copy for a client reset; nothing is uploaded.
    case freshCopy
    /// The real file after a client reset; uploads need not wait for a download.
    case afterReset
  }

  package var purpose: Purpose
  /// The text of the partition's value; nil in flexible mode.
  package var partition: String?
  package var schemaVersion: UInt64
  package var migratedPartition: String?
  package var timeouts: SyncTimeouts

  package init(
    purpose: Purpose = .sync, partition: String? = nil, schemaVersion: UInt64 = 0,
    migratedPartition: String? = nil, timeouts: SyncTimeouts = SyncTimeouts()
  ) {
    self.purpose = purpose
    self.partition = partition
    self.schemaVersion = schemaVersion
    self.migratedPartition = migratedPartition
    self.timeouts = timeouts
  }

  var target: ClientMessage.Bind.Target {
    if let partition { return .partition(partition) }
    return .flexible(
      ClientMessage.FlexibleTarget(
        schemaVersion: schemaVersion, isClientReset: purpose != .sync,
        migratedPartition: migratedPartition))
  }
}

/// The times of a client's connections and sessions, in milliseconds.
package struct SyncTimeouts: Hashable, Sendable {
  package var connect: Milliseconds = 120_000
  package var linger: Milliseconds = 30_000
  package var pingPeriod: Milliseconds = 60_000
  package var pong: Milliseconds = 120_000
  /// After a shorter loss of the connection uploads need not wait for a download first.
  package var fastReconnect: Milliseconds = 60_000
  /// The delay after a session error without one of its own.
  package var sessionClosed: Milliseconds = 1_000

  package init() {}
}
