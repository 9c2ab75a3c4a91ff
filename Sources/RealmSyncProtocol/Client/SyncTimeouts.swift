// SPDX-License-Identifier: Apache-2.0

// The times of a client's waits.

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
