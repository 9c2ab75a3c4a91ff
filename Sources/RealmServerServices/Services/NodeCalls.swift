// SPDX-License-Identifier: Apache-2.0

// Calls about documents on their way from a server to the owners of realms, which may be others.

#if Server
import RealmFormats
package import RealmServerEngine

/// Leads calls about documents to the servers that own realms.
package protocol NodeCalls: Sendable {
  /// Has a call about documents carried out by the owner of its realm.
  ///
  /// - Returns: `DocumentError.store` with `StoreError.owned` if that server is not the owner: then
  ///   nothing was changed. With `StoreError.unavailable`, the call may have been carried out.
  func answer(to call: NodeCall, on node: String) async -> Result<NodeAnswer, DocumentError>
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
#endif
