// SPDX-License-Identifier: Apache-2.0

// The requests of a `ClientMachine` to a file, as an agent carries them out.

package import RealmSyncProtocol

extension SyncAgent {
  /// Carries out a request.
  package func perform(_ request: StoreRequest) -> StoreReply {
    do throws(StoreFailure) {
      let entries = try request.download?.entries() ?? []
      do throws(IntegrationError) {
        return try reply(to: request, entries)
      } catch {
        throw StoreFailure(error)
      }
    } catch {
      return .failed(error)
    }
  }

  private func reply(
    to request: StoreRequest, _ entries: [DownloadEntry]
  ) throws(IntegrationError) -> StoreReply {
    switch request {
    case .begin: _ = try activate()
    case .read: break
    case .adoptIdent(let ident, let salt): _ = try adoptIdent(ident, salt: salt)
    case .scanUploads(let version, let limit):
      return .uploads(try uploadContents(after: version, through: limit))
    case .integrate(let received):
      _ = try integrate(
        DownloadBatch(
          entries: entries, cursors: received.download.cursors,
          remaining: received.download.progress.remaining))
    case .keepBootstrapPart(let received, let version, let isLast):
      try keepBootstrapPart(
        entries, ofQuery: version, cursors: isLast ? received.download.cursors : nil)
    case .processBootstrap: _ = try processBootstrap()
    case .markComplete(let version): try setState(.complete, ofQuery: version)
    case .rejectQuery(let version, let message):
      try setState(.error, ofQuery: version, message: message)
    }
    return .done(try sessionFile())
  }
}

extension StoreRequest {
  /// The message whose entries the request is about.
  fileprivate var download: ReceivedDownload? {
    switch self {
    case .integrate(let received), .keepBootstrapPart(let received, _, _): received
    default: nil
    }
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
  fileprivate var remaining: Int {
    switch self {
    case .partition(let count), .flexible(_, _, .byteCountLeft(let count)): Int(clamping: count)
    case .flexible(_, _, .estimate(let share)):
      share >= 0 && share <= 1 ? Int(share * 10_000) : 0
    }
  }
}
