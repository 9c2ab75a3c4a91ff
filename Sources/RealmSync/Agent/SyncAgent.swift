// SPDX-License-Identifier: Apache-2.0

// The agent of a synchronised file: all accesses of a session to the file.
//
// 1. A file has one agent over all processes, until the agent is closed.
// 2. Everything runs on the agent's thread, one request after the other and each to its end.
// 3. The right to write is held only while the agent works, never while a peer is waited for.

import RealmFormats
package import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// The agent of a synchronised file.
///
/// An actor on a thread of its own, as its requests wait for the right to write and for the disk.
/// Each request is one transaction or several. A failed one leaves the file as it was, or with its
/// earlier commits.
package actor SyncAgent {
  package nonisolated let file: DatabaseFile
  private nonisolated let queue: ThreadExecutor
  private let claim: SyncAgentClaim
  let schemas = SchemaCache()
  private let ownEntries = OwnEntryCache()
  private var downloads: DownloadIntegration
  private var bootstraps: BootstrapIntegration
  /// The subscription sets, as of the revisions of their tables.
  private var sets: (revisions: [TableRevision?], all: [QuerySet]) = ([], [])

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe queue.asUnownedSerialExecutor()
  }

  /// Makes the agent of a file, open for writing with the history of a synchronised client.
  ///
  /// - Parameter onLoss: Takes what merges with changes of the server drop of the file's own, once
  ///   for each commit. Runs on the agent's thread.
  /// - Throws: `StorageError.multipleAgents` if it has one, in this or another process, and
  ///   `.threadUnavailable`.
  package init(
    _ file: DatabaseFile, limits: TurnLimits = TurnLimits(),
    onLoss: @escaping @Sendable (UploadLoss) -> Void = { _ in }
  ) throws(StorageError) {
    precondition(file.options.history == .syncClient, "a local file was to be synchronised")
    self.file = file
    claim = try file.claimAgent()
    queue = try ThreadExecutor(
      named: "realm-sync", path: file.path, purpose: "which synchronises it")
    downloads = DownloadIntegration(
      file, schemas: schemas, limits: limits, cache: ownEntries, onLoss: onLoss)
    bootstraps = BootstrapIntegration(
      file, schemas: schemas, cache: ownEntries, onLoss: onLoss)
  }

  /// Forgets parsed changesets of the history, which is about to be replaced.
  func forgetOwnEntries() { ownEntries.removeAll() }

  /// Lets another agent synchronise the file. No request follows.
  package func close() { release() }

  /// Lets another agent synchronise the file, when no request is under way and none follows.
  package nonisolated func release() { claim.release() }

  // MARK: Requests

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
    case .scanUploads(let version, let query):
      return try IntegrationError.storing(uploads(after: version, pastQuery: query))
    case .integrate(let received):
      _ = try integrate(
        DownloadBatch(
          entries: entries, cursors: received.download.cursors,
          remaining: received.download.progress.remaining), reports: received.reports)
    case .integrateBootstrap(let received, let version):
      try bootstraps.integrate(
        entries, ofQuery: version, cursors: received.download.cursors, reports: received.reports)
    case .keepBootstrapPart(let received, let version, let isLast):
      try keepBootstrapPart(
        entries, ofQuery: version, cursors: isLast ? received.download.cursors : nil,
        reports: received.reports)
    case .processBootstrap: _ = try processBootstrap()
    case .markComplete(let version): try setState(.complete, ofQuery: version)
    case .rejectQuery(let version, let message):
      try setState(.error, ofQuery: version, message: message)
    }
    return .done(try IntegrationError.storing(sessionFile(tables())))
  }

  private func tables() throws(StorageError) -> TableGroup {
    try TableGroup(file.snapshot(), schemas: schemas)
  }

  /// The state of a version, with its subscription sets.
  private func sessionFile(_ tables: TableGroup) throws(StorageError) -> SessionFile {
    let state = try FileState(tables.snapshot)
    return SessionFile(
      version: state.version, ident: state.ident, salt: state.salt, cursors: state.cursors,
      sets: try querySets(tables))
  }

  /// The subscription sets, which are read and made a query again when their tables have changed.
  private func querySets(_ tables: TableGroup) throws(StorageError) -> [QuerySet] {
    var revisions: [TableRevision?] = []
    for name in SubscriptionStore.tableNames {
      revisions.append(try tables.revision(ofTable: name))
    }
    if revisions != sets.revisions { sets = (revisions, try QuerySet.all(in: tables)) }
    return sets.all
  }

  /// What is to be uploaded of the newest version, whose subscription sets say how far.
  private func uploads(
    after version: UInt64, pastQuery query: UInt64
  ) throws(StorageError) -> StoreReply {
    let tables = try tables()
    let state = try sessionFile(tables)
    let batch = try UploadScan().batch(
      in: tables.snapshot, after: version, through: state.nextSet(after: query)?.snapshotVersion)
    return .uploads(batch, state)
  }

  // MARK: Sessions

  /// Prepares the file for a session: a complete bootstrap is integrated, an unfinished one is
  /// dropped, and a history of an older form is upgraded.
  package func activate() throws(IntegrationError) -> FileState {
    ownEntries.removeAll()
    try IntegrationError.storing(upgradeHistory())
    if try IntegrationError.storing(bootstraps.dropUnfinished()) { _ = try bootstraps.process() }
    return try state()
  }

  /// The newest state.
  package func state() throws(IntegrationError) -> FileState {
    try IntegrationError.storing(FileState(file.snapshot()))
  }

  /// The version of the newest subscription set; 0 if there is none. Any thread may ask.
  package nonisolated func newestQueryVersion() throws(StorageError) -> UInt64 {
    let tables = try TableGroup(file.snapshot(), schemas: schemas)
    return try StoredSubscriptionSet.newest(in: tables)?.version ?? 0
  }

  /// Stores the file's identifier from the server.
  package func adoptIdent(
    _ ident: FileIdentifier, salt: UInt64
  ) throws(IntegrationError) -> FileState {
    // The entries are written again, with the identifier.
    ownEntries.removeAll()
    try IdentAdoption.adopt(ident, salt: salt, in: file)
    return try state()
  }

  // MARK: Downloading

  /// Integrates a message of the steady state.
  ///
  /// - Parameter reports: The writes that it undoes, for the program.
  package func integrate(
    _ download: DownloadBatch, reports: [ErrorDocument] = []
  ) throws(IntegrationError) -> FileState {
    try downloads.integrate(download, reports: reports)
    return try state()
  }

  /// Stores the entries of a message of a bootstrap.
  ///
  /// - Parameters:
  ///   - cursors: The cursors of the last message; nil if more are to come.
  ///   - reports: The writes that the bootstrap undoes, for the program.
  package func keepBootstrapPart(
    _ entries: [DownloadEntry], ofQuery version: UInt64, cursors: SyncCursors?,
    reports: [ErrorDocument] = []
  ) throws(IntegrationError) {
    try bootstraps.keep(entries, ofQuery: version, cursors: cursors, reports: reports)
  }

  /// Integrates the complete bootstrap as one change.
  ///
  /// - Returns: The state, and the query version of the bootstrap; nil if there was none.
  package func processBootstrap() throws(IntegrationError) -> (
    state: FileState, queryVersion: UInt64?
  ) {
    let queryVersion = try bootstraps.process()
    return (try state(), queryVersion)
  }

  // MARK: Subscriptions

  /// Changes the state of the subscription set of a version, if there is one.
  package func setState(
    _ state: SubscriptionState, ofQuery version: UInt64, message: String? = nil
  ) throws(IntegrationError) {
    try IntegrationError.storing(bootstraps.setState(state, ofQuery: version, message: message))
  }

  private func upgradeHistory() throws(StorageError) {
    guard let history = try file.snapshot().syncHistory(), !history.isUpgraded else { return }
    let transaction = try file.beginWrite()
    try transaction.orRollback { () throws(StorageError) in
      try transaction.upgradeSyncHistory { StoredChangesetFraming.encode($0) }
      _ = try transaction.commit(changeset: [])
    }
  }
}

extension StoreRequest {
  /// The message whose entries the request is about.
  fileprivate var download: ReceivedDownload? {
    switch self {
    case .integrate(let received), .integrateBootstrap(let received, _),
      .keepBootstrapPart(let received, _, _):
      received
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

/// The state of a synchronised file in one version.
package struct FileState: Hashable, Sendable {
  /// The newest version. A file without any commit has version 1, and nothing to upload.
  package var version: UInt64
  /// The file's identifier from the server; `FileIdentifier.own` if it has none.
  package var ident: FileIdentifier
  package var salt: UInt64
  package var cursors: SyncCursors
  package var downloadedByteCount: Int
  package var downloadableByteCount: Int
  package var uploadedByteCount: Int
  package var uploadableByteCount: Int

  package init(_ snapshot: Snapshot) throws(StorageError) {
    version = snapshot.version
    let history = try snapshot.syncHistory()
    ident = FileIdentifier(history == nil ? 0 : UInt64(try snapshot.top().fileIdentifier))
    salt = UInt64(clamping: history?.fileSalt ?? 0)
    let progress = history?.progress ?? SyncProgress()
    cursors = progress.cursors
    downloadedByteCount = progress.downloadedByteCount
    downloadableByteCount = progress.downloadableByteCount
    uploadedByteCount = progress.uploadedByteCount
    uploadableByteCount = progress.uploadableByteCount
  }
}

// MARK: - Uploads (P1 C.2, P5 4)

/// Scans the history of a file for changesets to upload.
package struct UploadScan: Hashable, Sendable {
  /// A scan ends when it has found so many bytes.
  package var byteCountGoal = 128 << 10
  /// No message becomes larger.
  package var byteCountMax = MessageBody.uploadByteCountMax

  package init() {}

  /// The changesets of the versions after `version`, as a message has them. Nothing that can stay
  /// compressed is decompressed.
  ///
  /// - Parameter limit: The last version to scan; nil for the newest.
  package func batch(
    in snapshot: Snapshot, after version: UInt64, through limit: UInt64? = nil
  ) throws(StorageError) -> UploadBatch {
    guard let history = try snapshot.syncHistory() else {
      return UploadBatch(progress: UploadCursor(clientVersion: version))
    }
    let stored = history.progress
    var progress = UploadCursor(clientVersion: version, serverVersion: stored.upload.serverVersion)
    var entries: [UploadEntry] = []
    var isComplete = false
    var excess: String?
    var byteCount = 0
    var cursor = history.heads(after: version)
    while byteCount < byteCountGoal {
      guard let head = try cursor.next(), head.version <= limit ?? .max else {
        isComplete = true
        break
      }
      if head.isUploadable {
        var bytes = try history.changeset(at: head.version)
        if !history.isUpgraded { bytes = StoredChangesetFraming.encode(bytes) }
        let entry = UploadEntry(
          clientVersion: head.version, serverVersion: head.remoteVersion,
          timestamp: OriginTimestamp(milliseconds: UInt64(max(0, head.originTimestamp))),
          changeset: bytes)
        let plain = try StoredChangeset.byteCount(of: bytes)
        let size = entry.byteCount(withChangesetOf: plain)
        if byteCount + size > byteCountMax {
          // One that no message can have was committed by another version of the library.
          if size > byteCountMax { excess = Self.excess(plain, of: head.version) }
          break
        }
        byteCount += size
        entries.append(entry)
      }
      progress = UploadCursor(clientVersion: head.version, serverVersion: head.remoteVersion)
    }
    return UploadBatch(
      try body(entries), lastVersion: entries.last?.clientVersion, progress: progress,
      lockedServerVersion: stored.download.serverVersion, isComplete: isComplete, excess: excess)
  }

  private static func excess(_ byteCount: Int, of version: UInt64) -> String {
    "The changes of version \(version) have \(byteCount) bytes, and no server takes more than "
      + "\(UploadLimit.standard.byteCount) in one transaction"
  }

  private func body(_ entries: [UploadEntry]) throws(StorageError) -> MessageBody {
    do throws(CompressionError) {
      return try MessageBody(stored: entries)
    } catch {
      throw .corrupted("a stored changeset cannot be decompressed: \(error)")
    }
  }
}
