// SPDX-License-Identifier: Apache-2.0

// Where a connection goes.

/// The address and the headers of a socket.
package struct SyncEndpoint: Hashable, Sendable {
  /// The address, with scheme `ws` or `wss`, and the token in its query.
  package var url: String
  /// The offered protocols, the preferred one first.
  package var protocolNames: [String]
  package var headers: [HTTPHeader]

  package init(url: String, protocolNames: [String], headers: [HTTPHeader] = []) {
    self.url = url
    self.protocolNames = protocolNames
    self.headers = headers
  }
}
