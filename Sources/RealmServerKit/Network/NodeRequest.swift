// SPDX-License-Identifier: Apache-2.0

// The request of another server for a connection.

#if Server
import NIOHTTP1
import RealmServerEngine
import RealmServerServices

/// A handshake for the connection of another server.
struct NodeRequest: Sendable {
  static let path = "/api/node/v1/link"
  /// The protocol, with its version.
  static let protocolName = "openrealm-node#1"

  let token: String

  /// Reads the head of a request; nil if it is no such handshake, or for another protocol.
  init?(_ head: HTTPRequestHead) {
    guard APIRequest("GET", target: head.uri).path == Self.path,
      head.headers["Sec-WebSocket-Protocol"].joined(separator: ",").split(separator: ",")
        .contains(where: { $0.filter { $0 != " " } == Self.protocolName }),
      let authorization = head.headers.first(name: "Authorization"),
      authorization.hasPrefix("Bearer ")
    else { return nil }
    token = String(authorization.dropFirst(7))
  }
}
#endif
