// SPDX-License-Identifier: Apache-2.0

// The requests of a `ClientMachine` to a file, as an agent carries them out.

package import RealmSyncProtocol

extension SyncAgent {
  /// Carries out a request.
  package func perform(_ request: StoreRequest) -> StoreReply {
    do throws(StoreFailure) {
      return try reply(to: request)
    } catch {
      return .failed(error)
    }
  }

  private func reply(to request: StoreRequest) throws(StoreFailure) -> StoreReply {
    switch request {
    case .begin: try storing { () throws(IntegrationError) in _ = try activate() }
    case .read: break
    case .adoptIdent(let ident, let salt):
      try storing { () throws(IntegrationError) in _ = try adoptIdent(ident, salt: salt) }
    case .scanUploads(let version, let limit):
      return .uploads(
        UploadContents(
          try storing { () throws(IntegrationError) in
            try scanUploads(after: version, through: limit)
          }))
    case .integrate(let received):
      let download = Download(
        cursors: received.download.cursors,
        downloadableByteCount: received.download.progress.downloadableByteCount,
        entries: try received.entries())
      try storing { () throws(IntegrationError) in _ = try integrate(download) }
    case .keepBootstrapPart(let received, let version, let isLast):
      let entries = try received.entries()
      try storing { () throws(IntegrationError) in
        try keepBootstrapPart(
          entries, ofQuery: version, cursors: isLast ? received.download.cursors : nil)
      }
    case .processBootstrap:
      try storing { () throws(IntegrationError) in _ = try processBootstrap() }
    case .markComplete(let version):
      try storing { () throws(IntegrationError) in try setState(.complete, ofQuery: version) }
    case .rejectQuery(let version, let message):
      try storing { () throws(IntegrationError) in
        try setState(.error, ofQuery: version, message: message)
      }
    }
    return .done(try storing { () throws(IntegrationError) in try sessionFile() })
  }

  private func storing<R>(
    _ body: () throws(IntegrationError) -> R
  ) throws(StoreFailure) -> R {
    do throws(IntegrationError) { return try body() } catch { throw StoreFailure(error) }
  }
}

extension StoreFailure {
  /// The failure of a session for an error of its file.
  package init(_ error: IntegrationError) {
    self.init(code: error.reportedCode, message: error.description)
  }
}

extension ServerMessage.Progress {
  /// The stored form: bytes, or an estimate times 10,000.
  fileprivate var downloadableByteCount: Int {
    switch self {
    case .partition(let count), .flexible(_, _, .byteCountLeft(let count)): Int(clamping: count)
    case .flexible(_, _, .estimate(let share)):
      share >= 0 && share <= 1 ? Int(share * 10_000) : 0
    }
  }
}
