// SPDX-License-Identifier: Apache-2.0

// What happens to a session otherwise than by its client.

package import RealmSyncProtocol

/// One session of a connection, for those who have news for it. It keeps neither alive, and news
/// for a session that has ended are ignored.
package struct ServerSessionLink: Sendable {
  /// The name of the session, which no other of the connection has.
  package let session: UInt64
  private weak let connection: ServerConnection?

  init(session: UInt64, of connection: ServerConnection) {
    self.session = session
    self.connection = connection
  }

  /// The realm has a new version.
  package func headDidChange(_ head: SaltedVersion) { handle(.session(session, .head(head))) }

  /// A role change has altered what the client sees.
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
