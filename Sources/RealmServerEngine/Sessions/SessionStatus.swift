// SPDX-License-Identifier: Apache-2.0

// Running sessions as an operator sees them: whose they are, and how far behind.

import RealmStorage
package import RealmSyncProtocol

/// A session at a point in time.
package struct SessionStatus: Hashable, Sendable {
  package let user: String
  package let realm: RealmID
  /// The text of the partition's value; nil in flexible mode.
  package let partition: String?
  package let file: FileIdentifier
  /// The number of its connection among those of the app.
  package let connection: UInt64
  /// The server's time of its beginning.
  package let begin: OriginTimestamp
  /// The newest version that it was sent.
  package let version: UInt64
  /// The newest version of the realm.
  package let head: UInt64

  /// The versions that it was not sent yet.
  package var behindCount: UInt64 { head - min(head, version) }
}

/// What a session notes for `SessionStatus`.
final class SessionProgress: Sendable {
  private struct State {
    var realm: ServerRealm
    var user: String
    var partition: String?
    var file: FileIdentifier
    var begin: OriginTimestamp
    var version: UInt64
  }

  private let connection: UInt64
  private let state = Locked<State?>(nil)

  init(connection: UInt64) { self.connection = connection }

  /// The session; nil before it claimed its file, and after its end.
  var status: SessionStatus? {
    guard let state = state.withLock({ $0 }) else { return nil }
    return SessionStatus(
      user: state.user, realm: state.realm.id, partition: state.partition, file: state.file,
      connection: connection, begin: state.begin, version: state.version,
      head: state.realm.newestVersion)
  }

  func begin(
    _ file: FileIdentifier, of user: String, in realm: ServerRealm, _ name: RealmName?,
    at version: UInt64, now: OriginTimestamp
  ) {
    state.withLock {
      $0 = State(
        realm: realm, user: user, partition: name?.partition, file: file, begin: now,
        version: version)
    }
  }

  /// Notes a message for the client.
  func add(_ download: ServerMessage.Download) {
    if case .flexible(_, .moreToCome, _) = download.progress { return }
    let version = download.cursors.download.serverVersion
    state.withLock { state in
      guard let known = state?.version else { return }
      state?.version = max(known, version)
    }
  }

  func end() { state.withLock { $0 = nil } }
}

/// What takes time in a session.
package enum SessionWork: String, CaseIterable, Hashable, Sendable {
  /// From an UPLOAD in its turn until it is on the disk.
  case upload
  /// The making of a DOWNLOAD.
  case download
}
