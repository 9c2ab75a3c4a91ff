// SPDX-License-Identifier: Apache-2.0

// Who carries out the requests of a session: this server, or another one.

package import RealmSyncProtocol

/// Carries out the requests of one session.
package protocol ServerRequestHandler: Sendable {
  /// Carries out a request. Only one is under way at a time.
  func perform(_ request: ServerStoreRequest) async -> ServerStoreReply
  /// The bytes of written messages without a request for them.
  var heldByteCount: Int { get }
  /// Whether another server carries the requests out.
  var isForwarded: Bool { get }
  /// Notes that the session has ended. The client may begin another one for the same file at once,
  /// before `close()` is called: that waits for the request that is under way.
  func end()
  /// Gives back everything of the session. No request is under way, and none follows.
  func close() async
}

extension ServerRequestHandler {
  package var isForwarded: Bool { false }
}
