// SPDX-License-Identifier: Apache-2.0

// What a server runs on: programs choose little of it, tests all.

#if Server
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol

extension ServerProgram {
  /// What a server runs on, beside its options.
  struct Environment: Sendable {
    /// Makes the hashes of passwords.
    var hasher: any PasswordHasher = ScryptHasher()
    /// The sizes of the messages of sessions.
    var sessionLimits = SessionLimits()
    /// The time of connections.
    var timer = SyncClock.continuous
    /// The time of the server.
    var clock = ServerClock.machine
    /// The time limits of connections.
    var times = ConnectionTimes()
    /// The memory of clients; nil for that of the options.
    var budget: MemoryBudget?
    /// Makes spans.
    var tracing = ServerTracing()
    /// Has the addresses of the other servers of the database.
    var nodes: (any NodeDirectory)?
  }
}
#endif
