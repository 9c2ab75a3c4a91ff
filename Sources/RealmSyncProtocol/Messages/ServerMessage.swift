// SPDX-License-Identifier: Apache-2.0

// The messages of a server.

/// A message from a server to a client.
package enum ServerMessage: Hashable, Sendable {
  case ident(session: UInt64, file: FileIdentifier, salt: UInt64)
  case download(session: UInt64, Download)
  case mark(session: UInt64, request: UInt64)
  case unbound(session: UInt64)
  case pong(timestamp: UInt64)
  /// The session is 0 for an error of the connection.
  case error(session: UInt64, code: ErrorCode, document: ErrorDocument)
  /// An error as servers before version 4 write it.
  case plainError(PlainError)
  case queryError(QueryError)
  case log(LogMessage)
  case testCommand(TestCommand)

  /// A `DownloadBatch` on its way: its entries are encoded, and decoded where they are integrated.
  package struct Download: Hashable, Sendable {
    package var cursors: SyncCursors
    package var progress: Progress
    package var body: MessageBody

    package init(cursors: SyncCursors, progress: Progress, body: MessageBody) {
      self.cursors = cursors
      self.progress = progress
      self.body = body
    }

    /// The place in a bootstrap; nil in partition mode.
    var batch: BatchState? {
      if case .flexible(_, let batch, _) = progress { batch } else { nil }
    }

    /// The query that it is of; nil in partition mode.
    var queryVersion: UInt64? {
      if case .flexible(let version, _, _) = progress { version } else { nil }
    }
  }

  /// The fields of a DOWNLOAD in one mode.
  package enum Progress: Hashable, Sendable {
    case partition(byteCountLeft: UInt64)
    case flexible(queryVersion: UInt64, batch: BatchState, done: Done)

    /// How much of a bootstrap is done.
    package enum Done: Hashable, Sendable {
      /// From 0 to 1.
      case estimate(Double)
      /// As versions before 12 have it.
      case byteCountLeft(UInt64)
    }
  }

  /// The place of a flexible DOWNLOAD in a bootstrap.
  package enum BatchState: UInt64, Hashable, Sendable {
    case moreToCome = 0
    /// Before version 14 also every message outside of a bootstrap.
    case last = 1
    case steady = 2
  }

  /// An error without a document.
  package struct PlainError: Hashable, Sendable {
    package var session: UInt64
    package var code: ErrorCode
    package var tryAgain: Bool
    package var message: String
  }

  /// Refuses a subscription set; the session goes on.
  package struct QueryError: Hashable, Sendable {
    package var session: UInt64
    package var code: ErrorCode
    package var queryVersion: UInt64
    package var message: String
  }

  /// A line for the client's log. The session is 0 for the connection.
  package struct LogMessage: Hashable, Sendable {
    package var session: UInt64
    package var level: String
    package var message: String
    /// The server's name of the connection.
    package var connection: String
  }

  /// The number of the session; 0 or nil for messages of the connection.
  package var session: UInt64? {
    switch self {
    case .ident(let session, _, _), .download(let session, _), .mark(let session, _),
      .unbound(let session), .error(let session, _, _):
      session
    case .pong: nil
    case .plainError(let error): error.session
    case .queryError(let error): error.session
    case .log(let log): log.session
    case .testCommand(let command): command.session
    }
  }
}
