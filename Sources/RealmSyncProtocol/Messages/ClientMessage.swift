// SPDX-License-Identifier: Apache-2.0

// The messages of a client.

/// A message from a client to a server. Sessions have numbers of the client's choice.
package enum ClientMessage: Hashable, Sendable {
  case bind(Bind)
  case ident(Ident)
  case query(Query)
  case upload(Upload)
  case mark(session: UInt64, request: UInt64)
  case unbind(session: UInt64)
  /// The time of the client's clock; the server sends it back.
  case ping(timestamp: UInt64, roundTrip: UInt64)
  case error(ClientError)
  case testCommand(TestCommand)

  /// Opens a session for a file.
  package struct Bind: Hashable, Sendable {
    /// The data of the session.
    package enum Target: Hashable, Sendable {
      /// The text of the partition's value.
      case partition(String)
      case flexible(FlexibleTarget)
    }

    package var session: UInt64
    package var target: Target
    package var token: String
    /// Whether the file has no identifier yet.
    package var needsIdent: Bool

    package init(session: UInt64, target: Target, token: String = "", needsIdent: Bool) {
      self.session = session
      self.target = target
      self.token = token
      self.needsIdent = needsIdent
    }
  }

  /// The parts of a BIND in flexible mode.
  package struct FlexibleTarget: Hashable, Sendable {
    package var schemaVersion: UInt64
    package var isClientReset: Bool
    /// The file's partition before its migration.
    package var migratedPartition: String?

    package init(
      schemaVersion: UInt64 = 0, isClientReset: Bool = false, migratedPartition: String? = nil
    ) {
      self.schemaVersion = schemaVersion
      self.isClientReset = isClientReset
      self.migratedPartition = migratedPartition
    }
  }

  /// Names the session's file and its cursors.
  package struct Ident: Hashable, Sendable {
    package var session: UInt64
    package var file: FileIdentifier
    package var salt: UInt64
    package var download: DownloadCursor
    package var latest: SaltedVersion
    /// The active subscription set of a flexible session.
    package var query: VersionedQuery?

    package init(
      session: UInt64, file: FileIdentifier, salt: UInt64, download: DownloadCursor,
      latest: SaltedVersion, query: VersionedQuery? = nil
    ) {
      self.session = session
      self.file = file
      self.salt = salt
      self.download = download
      self.latest = latest
      self.query = query
    }
  }

  /// Asks for the objects of another subscription set.
  package struct Query: Hashable, Sendable {
    package var session: UInt64
    package var query: VersionedQuery

    package init(session: UInt64, query: VersionedQuery) {
      self.session = session
      self.query = query
    }
  }

  /// Brings changes, or acknowledges a server version.
  package struct Upload: Hashable, Sendable {
    package var session: UInt64
    /// The progress of the server with this message.
    package var progress: UploadCursor
    /// The oldest server version for the client's future merges.
    package var lockedServerVersion: UInt64
    package var body: MessageBody

    package init(
      session: UInt64, progress: UploadCursor, lockedServerVersion: UInt64, body: MessageBody
    ) {
      self.session = session
      self.progress = progress
      self.lockedServerVersion = lockedServerVersion
      self.body = body
    }
  }

  /// Reports a failed integration of a download.
  package struct ClientError: Hashable, Sendable {
    package var session: UInt64
    package var code: ErrorCode
    package var message: String
  }

  /// The number of the session; nil for messages of the connection.
  package var session: UInt64? {
    switch self {
    case .bind(let bind): bind.session
    case .ident(let ident): ident.session
    case .query(let query): query.session
    case .upload(let upload): upload.session
    case .mark(let session, _), .unbind(let session): session
    case .ping: nil
    case .error(let error): error.session
    case .testCommand(let command): command.session
    }
  }
}

/// A command from a client, or the server's answer to it.
package struct TestCommand: Hashable, Sendable {
  package var session: UInt64
  package var request: UInt64
  /// A JSON document.
  package var body: String
}
