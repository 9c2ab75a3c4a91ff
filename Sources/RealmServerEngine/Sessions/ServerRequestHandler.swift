// SPDX-License-Identifier: Apache-2.0

// The realm of a session as a connection needs it.

package import RealmSyncProtocol

/// Carries out the requests of one session.
package protocol ServerRequestHandler: Sendable {
  /// Carries out a request. Only one is under way at a time.
  func perform(_ request: ServerStoreRequest) async -> ServerStoreReply
  /// Notes the end of the session. The client may begin another one for the same file at once,
  /// before `close()` is called: `close()` waits for the running request.
  func end()
  /// Gives back the session's holdings. No request is under way, and none follows.
  func close() async
}
