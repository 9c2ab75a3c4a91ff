// SPDX-License-Identifier: Apache-2.0

// How far the server has received a client's history.

/// The last client version at the server, and the last server version in it.
package struct UploadCursor: Hashable, Sendable {
  package var clientVersion: UInt64
  package var serverVersion: UInt64

  package init(clientVersion: UInt64 = 0, serverVersion: UInt64 = 0) {
    self.clientVersion = clientVersion
    self.serverVersion = serverVersion
  }
}
