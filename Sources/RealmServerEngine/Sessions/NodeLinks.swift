// SPDX-License-Identifier: Apache-2.0

// The way from a server to the owners of realms, which may be other servers.
//
// The server with the socket of a client is the edge of the session; the server that owns the realm
// carries the session's requests out.

import RealmFormats
import RealmStorage
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

  /// Has a call about documents carried out by the owner of its realm.
  ///
  /// - Returns: `DocumentError.store` with `StoreError.owned` if that server is not the owner: then
  ///   nothing was changed. With `StoreError.unavailable`, the call may have been carried out.
  func answer(to call: NodeCall, on node: String) async -> Result<NodeAnswer, DocumentError>
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

/// A call about documents on its way to the owner of the realm.
package struct NodeCall: Hashable, Sendable {
  package var app: String
  /// One of `DocumentCommand.names`.
  package var name: String
  /// An array, as extended JSON.
  package var arguments: [UInt8]
  /// The identifier of the user; nil for the servers' own program, which has all rights.
  package var user: String?
  /// The triggers on the way to the call.
  package var depth: Int

  package init(app: String, name: String, arguments: [UInt8], user: String?, depth: Int = 0) {
    self.app = app
    self.name = name
    self.arguments = arguments
    self.user = user
    self.depth = depth
  }

  init(app: String, name: String, _ arguments: [BSONValue], user: String?, depth: Int) {
    self.init(
      app: app, name: name,
      arguments: JSONWriter.bytes(ExtendedJSONWriter.json(.array(arguments))), user: user,
      depth: depth)
  }

  /// The arguments; nil if they are none.
  var values: [BSONValue]? {
    guard case .array(let values)? = try? ExtendedJSONReader.parse(arguments) else { return nil }
    return values
  }
}

/// The result of a call about documents.
package struct NodeAnswer: Hashable, Sendable {
  /// Extended JSON.
  package var value: [UInt8]
  package var realm: RealmID
  /// The versions that the call has made; nil if there are none.
  package var versions: ClosedRange<UInt64>?

  package init(value: [UInt8], realm: RealmID, versions: ClosedRange<UInt64>?) {
    self.value = value
    self.realm = realm
    self.versions = versions
  }
}

/// Finds the addresses of servers.
package protocol NodeDirectory: Sendable {
  /// The address where other servers reach a server, like `https://10.0.0.7:9090`; nil if it has
  /// none.
  func address(of node: String) async -> String?
}
