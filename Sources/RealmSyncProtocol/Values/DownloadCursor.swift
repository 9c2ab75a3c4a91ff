// SPDX-License-Identifier: Apache-2.0

// How far a client has received the server's history.

/// The last server version that a client has received, and the last version of the client that
/// was integrated in it.
package struct DownloadCursor: Hashable, Sendable {
  package var serverVersion: UInt64
  package var clientVersion: UInt64

  package init(serverVersion: UInt64 = 0, clientVersion: UInt64 = 0) {
    self.serverVersion = serverVersion
    self.clientVersion = clientVersion
  }
}
