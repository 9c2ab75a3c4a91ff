// SPDX-License-Identifier: Apache-2.0

// The file of a device in a crowd: positions and the subscription, no objects.

#if Server
import RealmSync
import RealmSyncProtocol

/// Answers the requests of a session as the agent of a file does that nobody writes to.
struct CrowdFile: Sendable {
  private var file = SessionFile(version: 2)
  /// The cursors of the bootstrap that is kept.
  private var bootstrap = SyncCursors()

  /// - Parameter query: The subscription; nil in partition mode.
  init(_ query: QueryDocument?) {
    guard let query else { return }
    file.sets = [QuerySet(version: 1, state: .pending, snapshotVersion: 1, text: query.text)]
  }

  /// The answer to a request.
  mutating func reply(to request: StoreRequest) -> StoreReply {
    switch request {
    case .begin, .read: return .done(file)
    case .adoptIdent(let ident, let salt): (file.ident, file.salt) = (ident, salt)
    case .scanUploads:
      let server = file.cursors.download.serverVersion
      let progress = UploadCursor(clientVersion: file.version, serverVersion: server)
      return .uploads(
        UploadBatch(.empty, progress: progress, lockedServerVersion: server), file)
    case .integrate(let received): file.cursors = received.download.cursors
    case .integrateBootstrap(let received, let version):
      file.cursors = received.download.cursors
      set(.awaitingMark, version)
    case .keepBootstrapPart(let received, let version, _):
      bootstrap = received.download.cursors
      set(.bootstrapping, version)
    case .processBootstrap(let version):
      file.cursors = bootstrap
      set(.awaitingMark, version)
    case .markComplete(let version): set(.complete, version)
    case .rejectQuery(let version, _): set(.error, version)
    }
    file.version += 1
    return .done(file)
  }

  private mutating func set(_ state: QuerySet.State, _ version: UInt64) {
    for index in file.sets.indices where file.sets[index].version == version {
      file.sets[index].state = state
    }
  }
}
#endif
