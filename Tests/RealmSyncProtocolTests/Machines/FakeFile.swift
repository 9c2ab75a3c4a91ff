// SPDX-License-Identifier: Apache-2.0

// A client's file in memory that knows only versions.

import RealmSyncProtocol

/// Carries out the requests of a client's session. Changesets are just bytes.
struct FakeFile {
  var version: UInt64 = 1
  private(set) var ident = FileIdentifier.own
  private var salt: UInt64 = 0
  private(set) var cursors = SyncCursors()
  private(set) var sets: [QuerySet] = []
  /// The own changes by version.
  private(set) var own: [UInt64: [UInt8]] = [:]
  /// The server version that each version knew.
  private var remote: [UInt64: UInt64] = [:]
  /// The changes of others.
  private(set) var received: [[UInt8]] = []
  private var partial: [DownloadEntry] = []
  private var partialCursors: SyncCursors?
  /// What should never happen.
  private(set) var problems: [String] = []

  init(_ mode: SyncMode) {
    guard mode == .flexible else { return }
    sets = [QuerySet(version: 0, state: .pending, snapshotVersion: 1, text: "{}")]
  }

  var state: SessionFile {
    SessionFile(version: version, ident: ident, salt: salt, cursors: cursors, sets: sets)
  }

  private mutating func commit() {
    version += 1
    remote[version] = cursors.download.serverVersion
  }

  mutating func write(_ bytes: [UInt8]) {
    commit()
    own[version] = bytes
  }

  mutating func subscribe() {
    let next = (sets.last?.version ?? 0) + 1
    sets.append(
      QuerySet(
        version: next, state: .pending, snapshotVersion: version, text: "{\"A\":\"\(next)\"}"))
    commit()
  }

  mutating func carryOut(_ request: StoreRequest) -> StoreReply {
    do throws(StoreFailure) {
      switch request {
      case .scanUploads(let after, let query):
        return .uploads(scan(after, state.nextSet(after: query)?.snapshotVersion), state)
      case .read: break
      case .begin: begin()
      case .adoptIdent(let ident, let salt):
        (self.ident, self.salt) = (ident, salt)
        commit()
      case .integrate(let download):
        let entries = try download.entries()
        move(to: download.download.cursors)
        received += entries.map(\.changeset).filter { !$0.isEmpty }
        commit()
      case .integrateBootstrap(let download, let queryVersion):
        partial = try download.entries()
        partialCursors = download.download.cursors
        process(queryVersion)
      case .keepBootstrapPart(let download, let queryVersion, let isLast):
        let entries = try download.entries()
        partial += entries
        if isLast { partialCursors = download.download.cursors }
        set(queryVersion, .bootstrapping)
        commit()
      case .processBootstrap(let queryVersion): process(queryVersion)
      case .markComplete(let queryVersion):
        set(queryVersion, .complete)
        commit()
      case .rejectQuery(let queryVersion, _): set(queryVersion, .error)
      }
      return .done(state)
    } catch {
      problems.append("\(request): \(error.message)")
      return .failed(error)
    }
  }

  private mutating func begin() {
    if partialCursors != nil, let set = sets.first(where: { $0.state == .bootstrapping }) {
      process(set.version)
    }
    partial = []
    for set in sets where set.state == .bootstrapping { self.set(set.version, .pending) }
  }

  private mutating func process(_ queryVersion: UInt64) {
    guard let cursors = partialCursors else {
      problems.append("an unfinished bootstrap")
      return
    }
    move(to: cursors)
    received += partial.map(\.changeset).filter { !$0.isEmpty }
    partial = []
    partialCursors = nil
    set(queryVersion, .awaitingMark)
    sets.removeAll { $0.version < queryVersion }
    commit()
  }

  /// SY6
  private mutating func move(to new: SyncCursors) {
    if new.goesBack(from: cursors) { problems.append("\(cursors) became \(new)") }
    cursors = new
  }

  private mutating func set(_ version: UInt64, _ state: QuerySet.State) {
    guard let index = sets.firstIndex(where: { $0.version == version }) else {
      problems.append("no set \(version)")
      return
    }
    sets[index].state = state
  }

  /// At most two changes a batch.
  private func scan(_ after: UInt64, _ limit: UInt64?) -> UploadBatch {
    var progress = UploadCursor(clientVersion: after, serverVersion: cursors.upload.serverVersion)
    var entries: [UploadEntry] = []
    var isComplete = true
    for version in stride(from: after + 1, through: min(limit ?? version, version), by: 1) {
      if let bytes = own[version] {
        if entries.count == 2 {
          isComplete = false
          break
        }
        entries.append(
          UploadEntry(
            clientVersion: version, serverVersion: remote[version] ?? 0,
            timestamp: OriginTimestamp(milliseconds: version), changeset: bytes))
      }
      progress = UploadCursor(clientVersion: version, serverVersion: remote[version] ?? 0)
    }
    return UploadBatch(
      entries, progress: progress, lockedServerVersion: cursors.download.serverVersion,
      isComplete: isComplete)
  }
}

extension UploadBatch {
  init(
    _ entries: [UploadEntry], progress: UploadCursor, lockedServerVersion: UInt64 = 0,
    isComplete: Bool = true
  ) {
    self.init(
      MessageBody(uploads: entries), lastVersion: entries.last?.clientVersion, progress: progress,
      lockedServerVersion: lockedServerVersion, isComplete: isComplete)
  }
}
