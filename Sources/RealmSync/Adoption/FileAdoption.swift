// SPDX-License-Identifier: Apache-2.0

// The adoption of a file that a former server has synchronised: the file becomes equal to its fresh
// copy with its own content, which the present server gets as changes of the file.
//
// 1. Everything that changes becomes durable and visible together: objects, history, cursors,
//    identifier, subscriptions, the record. A crash leaves the file before or after.
// 2. The history has a version for each changeset to be uploaded: first the classes, then the
//    objects that the server lacked, then the own changes in their order.
// 3. Seeds are older than every change: their time is a version of the former server, as
//    milliseconds. Of two devices that seed the same object at once, the one that had synchronised
//    last wins.

import RealmReplication
package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Makes a file of a former server one of the present server. Runs on the thread of the file's
/// agent.
package struct FileAdoption {
  /// What an adoption has done.
  package struct Outcome: Sendable {
    /// The version before it.
    package let before: Snapshot
    /// The number of objects that the server lacked.
    package let seededCount: Int
    /// What was not made again: lists whose objects are gone.
    package let droppedLists: [String]
  }

  /// The last time that a seed may have: a year after the beginning of times.
  private static let seedTimeMax: UInt64 = 365 * 86_400_000

  private let file: DatabaseFile
  private let copy: DatabaseFile
  private let schemas: SchemaCache
  private let limit: UploadLimit
  /// Whether the program is to hear of the adoption when it is done.
  private let isToBeAnnounced: Bool

  /// - Parameter limit: That of a changeset to be uploaded.
  package init(
    of file: DatabaseFile, to copy: DatabaseFile, schemas: SchemaCache = SchemaCache(),
    isToBeAnnounced: Bool = false, limit: UploadLimit = .standard
  ) {
    self.limit = limit
    self.isToBeAnnounced = isToBeAnnounced
    self.file = file
    self.copy = copy
    self.schemas = schemas
  }

  /// Carries out the adoption.
  package func run() throws(ResetError) -> Outcome {
    let source = try ResetError.storing(CopiedState(copy))
    let scratch = try ResetError.storing(WriteGroup(copy.beginWrite()))
    defer { scratch.rollback() }
    let group = try ResetError.storing(WriteGroup(file.beginWrite(), schemas: schemas))
    return try group.orRollback { () throws(ResetError) in
      if try ResetError.storing(!group.transaction.syncHistory().isUpgraded) {
        try ResetError.storing(
          group.transaction.upgradeSyncHistory { StoredChangesetFraming.encode($0) })
      }
      let old = try ResetError.storing(TableGroup(group.transaction.base, schemas: schemas))
      try checkKeys(old)
      let (uploads, content) = try uploads(of: group.transaction, old, onto: scratch, source)
      try transfer(from: scratch, source, to: group)
      try ResetError.storing(takeOver(source, in: group, uploads))
      let serverVersion = source.progress.download.serverVersion
      try ResetError.storing(uploads.commit(group, serverVersion: serverVersion))
      return Outcome(
        before: group.transaction.base, seededCount: content.seededCount,
        droppedLists: content.droppedLists)
    }
  }

  /// Objects without primary key are named by the former server's identifiers of files, which are
  /// those of other files at this one.
  private func checkKeys(_ old: TableGroup) throws(ResetError) {
    var names: [String] = []
    for schema in try ResetError.storing(old.classSchemas())
    where schema.kind == .topLevel && schema.primaryKey == nil {
      let table = try ResetError.storing(old.table(schema.key))
      if try ResetError.storing(table?.objectCount() ?? 0) > 0 { names.append(schema.displayName) }
    }
    if let name = names.min() { throw .withoutPrimaryKey(name) }
  }

  // MARK: The content

  /// Brings the content of the file onto the copy.
  ///
  /// - Returns: What is to be uploaded, and what was done.
  private func uploads(
    of transaction: WriteTransaction, _ old: TableGroup, onto scratch: WriteGroup,
    _ source: CopiedState
  ) throws(ResetError) -> (UploadVersions, ContentAdoption<TableGroup>) {
    let own = try ResetError.storing(OwnChanges(in: transaction))
    let formerVersion = try ResetError.storing(transaction.syncProgress.download.serverVersion)
    let seedTime = Int64(min(max(formerVersion, 1), Self.seedTimeMax))
    var content = ContentAdoption(
      of: old, own.file, own.entries.map(\.changeset), onto: scratch, source.ident)
    var uploads = UploadVersions(limit: limit)
    do throws(ApplyError) {
      uploads.append(try content.begin(), origin: 0, timestamp: seedTime)
      try content.seed { uploads.append($0, origin: 0, timestamp: seedTime) }
      for (number, entry) in own.entries.enumerated() {
        for changeset in try content.replay(number) {
          uploads.append(changeset, origin: entry.version, timestamp: entry.timestamp)
        }
      }
    } catch { throw ResetError(error) }
    try uploads.check()
    return (uploads, content)
  }

  private func transfer(
    from tables: WriteGroup, _ source: CopiedState, to group: WriteGroup
  ) throws(ResetError) {
    var transfer = StateTransfer(from: tables, source.ident, to: group, source.ident)
    do throws(ApplyError) { try transfer.run() } catch { throw ResetError(error) }
  }

  // MARK: Storing

  /// Takes over the identifier and the cursors of the copy. The history begins again.
  private func takeOver(
    _ source: CopiedState, in group: WriteGroup, _ uploads: UploadVersions
  ) throws(StorageError) {
    let transaction = group.transaction
    try transaction.trimSyncHistory(through: transaction.base.version)
    try transaction.setFileIdentifier(Int(clamping: source.ident.rawValue), salt: source.salt)
    try transaction.updateSyncProgress { progress in progress = source.progress }
    try BootstrapStore(existingIn: group)?.removeAll()
    if let sets = try SubscriptionStore(existingIn: group) {
      try sets.completeReset(keepsNewer: true)
      // What was written before a set was changed is still uploaded before that is sent.
      let base = transaction.base.version
      try sets.moveSnapshots { uploads.version(through: $0, base: base) }
    }
    let known = try AdoptionRecord.stored(in: TableGroup(transaction.base, schemas: schemas))
    try AdoptionRecord(origin: known?.origin ?? "", state: .complete).store(in: group)
    if isToBeAnnounced { try KeptReports.noteReset(in: group) }
  }
}

extension SyncAgent {
  /// Whether a former server has synchronised the file, and the present one has not seen it.
  package nonisolated func waitsForAdoption() throws(StorageError) -> Bool {
    try AdoptionRecord.stored(in: TableGroup(file.snapshot()))?.state == .waiting
  }

  /// Makes the file, which a former server has synchronised, one of the present server.
  ///
  /// - Parameter isToBeAnnounced: See `reset(to:_:_:isToBeAnnounced:)`.
  package func adopt(
    to copy: DatabaseFile, isToBeAnnounced: Bool = false
  ) throws(ResetError) -> FileAdoption.Outcome {
    forgetOwnEntries()
    return try FileAdoption(
      of: file, to: copy, schemas: schemas, isToBeAnnounced: isToBeAnnounced
    ).run()
  }
}
