// SPDX-License-Identifier: Apache-2.0

// A connection and the realm of its session, as each needs the other.

package import RealmSyncProtocol

/// One session of a connection, for senders of news. It keeps neither alive, and news after the
/// session's end are ignored.
package struct ServerSessionLink: Sendable {
  /// The name of the session, unique in its connection.
  package let session: UInt64
  private weak let connection: ServerConnection?

  init(session: UInt64, of connection: ServerConnection) {
    self.session = session
    self.connection = connection
  }

  /// The realm has a new version.
  package func headDidChange(_ head: SaltedVersion) { handle(.session(session, .head(head))) }

  /// A role change has altered the client's view.
  package func viewDidChange() { handle(.session(session, .viewChanged)) }

  /// Ends the session.
  package func refuse(_ refusal: SessionRefusal) { handle(.session(session, .refuse(refusal))) }

  /// Ends the connection: another one has the session's file (P4 A.3).
  package func evict() {
    handle(.fail(.connectionClosed, message: "The file is bound by a newer connection"))
  }

  private func handle(_ input: ServerConnectionInput) {
    guard let connection else { return }
    Task { await connection.handle(input) }
  }
}

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
