// SPDX-License-Identifier: Apache-2.0

// The connections of a user.

import RealmStorage
package import RealmSyncProtocol

/// Gives all sessions of one user and mode one connection.
///
/// Thread-safe. A connection that no session needs closes its socket after a while and stays.
package final class ConnectionPool: Sendable {
  private let make: @Sendable (SyncMode) -> ClientDriver
  private let connections = Locked<[SyncMode: ClientDriver]>([:])

  /// - Parameter make: Makes a connection of a mode; is called under a lock, so it does no more.
  package init(_ make: @escaping @Sendable (SyncMode) -> ClientDriver) { self.make = make }

  /// The connection of a mode, which is made if there is none.
  package func connection(_ mode: SyncMode) -> ClientDriver {
    connections.withLock { connections in
      if let connection = connections[mode] { return connection }
      let connection = make(mode)
      connections[mode] = connection
      return connection
    }
  }

  /// The connections that there are.
  package var all: [ClientDriver] { connections.withLock { Array($0.values) } }
}
