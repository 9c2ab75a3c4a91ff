// SPDX-License-Identifier: Apache-2.0

// How far a client has received the server's history.

/// The last server version at a client, and the last client version in it.
package struct DownloadCursor: Hashable, Sendable {
  package var serverVersion: UInt64
  package var clientVersion: UInt64

  package init(serverVersion: UInt64 = 0, clientVersion: UInt64 = 0) {
    self.serverVersion = serverVersion
    self.clientVersion = clientVersion
  }
}
