// SPDX-License-Identifier: Apache-2.0

// The agent of a synchronised file: all that a session does to the file.
//
// 1. A file has one agent over all processes, until that is closed.
// 2. Everything runs on the agent's thread, one request after the other and each to its end.
// 3. The right to write is held only while the agent works, never while a peer is waited for.

package import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// The one that synchronises a file.
///
/// An actor whose executor is a thread of its own, as its requests wait for the right to write and
/// for the disk. Each request is one transaction or several, and leaves the file as it was if it
/// fails, or with what its earlier commits have integrated.
package actor SyncAgent {
  package nonisolated let file: DatabaseFile
  private nonisolated let queue: AgentQueue
  private let claim: SyncAgentClaim
  private let schemas = SchemaCache()
  private let ownEntries = OwnEntryCache()
  private var downloads: DownloadIntegration
  private var bootstraps: BootstrapIntegration

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe queue.asUnownedSerialExecutor()
  }

  /// Makes the agent of a file that is open for writing with the history of a synchronised client.
  ///
  /// - Throws: `StorageError.multipleAgents` if it has one, in this or another process, and
  ///   `.threadUnavailable`.
  package init(_ file: DatabaseFile, limits: TurnLimits = TurnLimits()) throws(StorageError) {
    precondition(file.options.history == .syncClient, "a local file was to be synchronised")
    self.file = file
    claim = try file.claimAgent()
    queue = try AgentQueue(path: file.path)
    downloads = DownloadIntegration(
      file, schemas: schemas, limits: limits, cache: ownEntries)
    bootstraps = BootstrapIntegration(file, schemas: schemas, cache: ownEntries)
  }

  /// Lets another agent synchronise the file. No request follows.
  package func close() { release() }

  /// Lets another agent synchronise the file, when no request is under way and none follows.
  package nonisolated func release() { claim.release() }

  // MARK: Sessions

  /// Prepares the file for a session: a bootstrap that is complete is integrated, an unfinished one
  /// is dropped, and a history of an older form is upgraded.
  package func activate() throws(IntegrationError) -> FileState {
    ownEntries.removeAll()
    try upgradeHistory()
    if try bootstraps.dropUnfinished() { _ = try bootstraps.process() }
    return try state()
  }

  /// The newest state.
  package func state() throws(IntegrationError) -> FileState {
    try storing { () throws(StorageError) in try FileState(try file.snapshot()) }
  }

  /// The newest state, with the subscription sets, as a session has it.
  package func sessionFile() throws(IntegrationError) -> SessionFile {
    try storing { () throws(StorageError) in
      let tables = try TableGroup(file.snapshot(), schemas: schemas)
      let state = try FileState(tables.snapshot)
      return SessionFile(
        version: state.version, ident: state.ident, salt: state.salt, cursors: state.cursors,
        sets: try StoredQuerySets.all(in: tables))
    }
  }

  /// Stores the identifier that the server gives the file.
  package func adoptIdent(
    _ ident: FileIdentifier, salt: UInt64
  ) throws(IntegrationError) -> FileState {
    // The entries are written again, with the identifier.
    ownEntries.removeAll()
    try IdentAdoption.adopt(ident, salt: salt, in: file)
    return try state()
  }

  // MARK: Uploading

  /// The next changesets to upload, in the form in which they were recorded.
  ///
  /// - Parameters:
  ///   - version: The last version that the session has scanned; at first the upload cursor's.
  ///   - limit: The last version to be scanned; nil for the newest.
  package func scanUploads(
    after version: UInt64, through limit: UInt64? = nil
  ) throws(IntegrationError) -> UploadBatch {
    try storing { () throws(StorageError) in
      try UploadScan().batch(in: file.snapshot(), after: version, through: limit)
    }
  }

  // MARK: Downloading

  /// Integrates a message of the steady state.
  package func integrate(_ download: Download) throws(IntegrationError) -> FileState {
    try downloads.integrate(download)
    return try state()
  }

  /// Stores the entries of a message of a bootstrap.
  ///
  /// - Parameter cursors: The cursors of the last message; nil if more are to come.
  package func keepBootstrapPart(
    _ entries: [DownloadEntry], ofQuery version: UInt64, cursors: SyncCursors?
  ) throws(IntegrationError) {
    try bootstraps.keep(entries, ofQuery: version, cursors: cursors)
  }

  /// Integrates the bootstrap that is complete, as one change.
  ///
  /// - Returns: The state, and the query version of the bootstrap; nil if there was none.
  package func processBootstrap() throws(IntegrationError) -> (
    state: FileState, queryVersion: UInt64?
  ) {
    let queryVersion = try bootstraps.process()
    return (try state(), queryVersion)
  }

  // MARK: Subscriptions

  /// Changes the state of a subscription set, if there is one of that version.
  package func setState(
    _ state: SubscriptionState, ofQuery version: UInt64, message: String? = nil
  ) throws(IntegrationError) {
    try bootstraps.write { (group) throws(StorageError) in
      guard let store = try SubscriptionStore(existingIn: group) else { return false }
      try store.setState(state, of: version, error: message)
      return true
    }
  }

  private func upgradeHistory() throws(IntegrationError) {
    let history = try storing { () throws(StorageError) in try file.snapshot().syncHistory() }
    guard let history, !history.isUpgraded else { return }
    try storing { () throws(StorageError) in
      let transaction = try file.beginWrite()
      do throws(StorageError) {
        try transaction.upgradeSyncHistory { StoredChangeset.encode($0) }
        _ = try transaction.commit(changeset: [])
      } catch {
        transaction.rollback()
        throw error
      }
    }
  }
}
