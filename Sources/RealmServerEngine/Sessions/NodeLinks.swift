// SPDX-License-Identifier: Apache-2.0

// The way from a server to the owners of realms, which may be other servers.
//
// The server with the socket of a client is the edge of the session; the server that owns the realm
// carries the session's requests out.

package import RealmSyncProtocol

/// Leads to the servers that own realms.
package protocol NodeLinks: Sendable {
  /// The handler of a session whose realm another server owns.
  ///
  /// Its requests are refused with `SessionErrorCode.sessionClosed` while that server is not
  /// reached, or owns the realm no more.
  ///
  /// - Parameters:
  ///   - node: The name of the owner.
  ///   - events: Takes what the owner sends without a request, and the end of the way to it.
  func session(
    _ session: NodeSession, on node: String, events: ServerSessionLink
  ) -> any ServerRequestHandler
}

/// A session as its edge names it to the owner of the realm.
package struct NodeSession: Hashable, Sendable {
  package var app: String
  /// The identifier of the user, whom the edge has authenticated.
  package var user: String
  package var version: ProtocolVersion
  /// The number of the client's connection at the edge.
  package var connection: UInt64

  package init(app: String, user: String, version: ProtocolVersion, connection: UInt64) {
    self.app = app
    self.user = user
    self.version = version
    self.connection = connection
  }
}
