// SPDX-License-Identifier: Apache-2.0

// The realm of a session as a connection needs it.

package import RealmSyncProtocol

/// Carries out the requests of one session.
package protocol ServerRequestHandler: Sendable {
  /// Carries out a request. Only one is under way at a time.
  func perform(_ request: ServerStoreRequest) async -> ServerStoreReply
  /// The bytes of messages that are written and were not asked for.
  var heldByteCount: Int { get }
  /// Notes that the session has ended. The client may begin another one for the same file at once,
  /// before `close()` is called: that waits for the request that is under way.
  func end()
  /// Gives back what the session has. No request is under way, and none follows.
  func close() async
}
