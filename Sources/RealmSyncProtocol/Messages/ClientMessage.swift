// SPDX-License-Identifier: Apache-2.0

// What a client says.

/// A message from a client to a server. Sessions have numbers of the client's choice.
package enum ClientMessage: Hashable, Sendable {
  case bind(Bind)
  case ident(Ident)
  case query(Query)
  case upload(Upload)
  case mark(session: UInt64, request: UInt64)
  case unbind(session: UInt64)
  /// The time is that of the client's clock; the server sends it back.
  case ping(timestamp: UInt64, roundTrip: UInt64)
  case error(ClientError)
  case testCommand(TestCommand)

  /// Opens a session for a file.
  package struct Bind: Hashable, Sendable {
    /// The data that the session is of.
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

  /// The parts of a BIND that only flexible sessions have.
  package struct FlexibleTarget: Hashable, Sendable {
    package var schemaVersion: UInt64
    package var isClientReset: Bool
    /// The partition that the file had before it was migrated.
    package var migratedPartition: String?

    package init(
      schemaVersion: UInt64 = 0, isClientReset: Bool = false, migratedPartition: String? = nil
    ) {
      self.schemaVersion = schemaVersion
      self.isClientReset = isClientReset
      self.migratedPartition = migratedPartition
    }
  }

  /// Says which file the session has and how far it is.
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
    /// What the server has received with this message.
    package var progress: UploadCursor
    /// The oldest server version with which the client may still have to merge.
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

  /// Tells that a download could not be integrated.
  package struct ClientError: Hashable, Sendable {
    package var session: UInt64
    package var code: ErrorCode
    package var message: String

    package init(session: UInt64, code: ErrorCode, message: String) {
      self.session = session
      self.code = code
      self.message = message
    }
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
