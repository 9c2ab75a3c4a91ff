// SPDX-License-Identifier: Apache-2.0

// What a session has only while it has a number on an open connection.

/// A number of a session, and what belongs to it.
struct ClientBinding: Hashable, Sendable {
  /// How far the session is on its number.
  enum Step: Hashable, Sendable {
    /// The file is prepared before BIND is sent.
    case preparing
    /// BIND is sent, and IDENT is awaited from the server, or its storing.
    case identifying
    /// IDENT is sent.
    case running(Exchange)
    /// An error was reported to the server, and its answer is awaited.
    case reportedError
  }

  struct WaitingMessage: Hashable, Sendable {
    var message: ServerMessage
    var byteCount: Int
    var jitter: UInt32
  }

  struct PartialBootstrap: Hashable, Sendable {
    var cursors: SyncCursors
    var queryVersion: UInt64
  }

  struct HeldReport: Hashable, Sendable {
    var report: CompensatingWriteReport
    var document: ErrorDocument
  }

  /// What exists from IDENT on.
  struct Exchange: Hashable, Sendable {
    /// The cursors of the last DOWNLOAD that was accepted.
    var received: SyncCursors
    /// The bootstrap that is not integrated yet.
    var bootstrap: PartialBootstrap?
    let firstMark: UInt64
    var markSent: UInt64
    var markReceived: UInt64
    /// The highest version of a subscription set that IDENT or QUERY has named.
    var lastQuerySent: UInt64
    /// What has been uploaded or passed.
    var scanned: UploadCursor
    /// The client version up to which scans have found everything.
    var scannedThrough: UInt64
    var lastEntrySent: UInt64 = 0
    /// Errors of compensating writes whose changes have not come yet.
    var heldReports: [HeldReport] = []

    /// - Parameter mark: The number of the first MARK.
    init(_ file: SessionFile, queryVersion: UInt64, mark: UInt64) {
      received = file.cursors
      scanned = file.cursors.upload
      scannedThrough = scanned.clientVersion
      lastQuerySent = queryVersion
      firstMark = mark
      markSent = mark - 1
      markReceived = mark - 1
    }

    /// Leaves out of later scans what an earlier binding has uploaded.
    mutating func skip(_ uploaded: UploadCursor) {
      guard uploaded.clientVersion > scanned.clientVersion else { return }
      scanned = uploaded
      scannedThrough = max(scannedThrough, uploaded.clientVersion)
    }
  }

  let number: UInt64
  let version: ProtocolVersion
  /// Whether uploads need not wait for the first download.
  let skipsFirstMark: Bool
  var step = Step.preparing
  var inbox: [WaitingMessage] = []
  var waitingByteCount = 0

  init(number: UInt64, version: ProtocolVersion, skipsFirstMark: Bool) {
    self.number = number
    self.version = version
    self.skipsFirstMark = skipsFirstMark
  }
}
