// SPDX-License-Identifier: Apache-2.0

// What a session gets without having asked: from news of realms, from newer sessions, from rules.

package import RealmSyncProtocol

/// One session of a connection, for senders of news. It keeps neither alive, and news after the
/// session's end are ignored.
package struct ServerSessionLink: Sendable {
  private let deliver: @Sendable (ServerSessionEvent) -> Void

  /// - Parameter deliver: Takes the news.
  package init(_ deliver: @escaping @Sendable (ServerSessionEvent) -> Void) {
    self.deliver = deliver
  }

  /// - Parameter session: The name of the session, unique in its connection.
  init(session: UInt64, of connection: ServerDriver) {
    self.init { [weak connection] event in
      guard let connection else { return }
      Task { await connection.deliver(ServerConnectionInput(event, of: session)) }
    }
  }

  package func send(_ event: ServerSessionEvent) { deliver(event) }

  /// The realm has a new version.
  package func headDidChange(_ head: SaltedVersion) { deliver(.head(head)) }

  /// Ends the session.
  package func refuse(_ refusal: SessionRefusal) { deliver(.refused(refusal)) }

  /// Ends the connection: another one has the session's file (P4 A.3).
  package func evict() { deliver(.evicted) }
}

/// What a session gets of its realm without having asked.
package enum ServerSessionEvent: Hashable, Sendable {
  /// The realm has a new version.
  case head(SaltedVersion)
  /// The session is to end.
  case refused(SessionRefusal)
  /// Another session has the file, so the connection ends.
  case evicted
}

extension ServerConnectionInput {
  /// What an event of a session is to its connection.
  package init(_ event: ServerSessionEvent, of session: UInt64) {
    self =
      switch event {
      case .head(let head): .session(session, .head(head))
      case .refused(let refusal): .session(session, .refuse(refusal))
      case .evicted: .fail(.connectionClosed, message: "The file is bound by a newer connection")
      }
  }
}
