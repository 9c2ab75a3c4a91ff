// SPDX-License-Identifier: Apache-2.0

// The transaction of a client reset: the file becomes equal to its fresh copy (P3 D.2, P3 D.5,
// P5 7).
//
// 1. Everything that changes with a reset changes in one commit: objects, history, cursors,
//    identifier, subscriptions, a bootstrap that waits. A crash leaves the file before or after.
// 2. The record of the reset is on the disk before that commit.
// 3. A reset that fails leaves no record: it has changed nothing, and is no reason to refuse the
//    next one.

import RealmReplication
package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Makes a file equal to its fresh copy. Runs on the thread of the file's agent.
package struct ClientReset {
  let file: DatabaseFile
  let copy: DatabaseFile
  let cause: ResetCause
  let now: Timestamp
  private let schemas: SchemaCache
  private let limit: UploadLimit
  /// Whether the program is to hear of the reset when it is done.
  private let isToBeAnnounced: Bool

  /// What a reset has done.
  package struct Outcome: Sendable {
    /// The version before it.
    package let before: Snapshot
    /// Whether changes that were not uploaded were made again.
    package let hasRecovered: Bool
    /// What was not made again: lists whose objects are gone.
    package var droppedLists: [String] = []
  }

  /// - Parameter limit: That of a changeset to be uploaded.
  package init(
    of file: DatabaseFile, to copy: DatabaseFile, _ cause: ResetCause,
    schemas: SchemaCache = SchemaCache(), now: Timestamp, isToBeAnnounced: Bool = false,
    limit: UploadLimit = .standard
  ) {
    self.limit = limit
    self.isToBeAnnounced = isToBeAnnounced
    self.file = file
    self.copy = copy
    self.cause = cause
    self.schemas = schemas
    self.now = now
  }

  /// The mode of a reset of a file, in view of the resets before it.
  package static func mode(
    _ wanted: ResetMode, of file: DatabaseFile, _ cause: ResetCause
  ) throws(ResetError) -> ResetMode {
    let mode = try cause.mode(wanted)
    let record = try ResetError.storing(ResetRecord.stored(in: TableGroup(file.snapshot())))
    return try record?.next(mode, cause) ?? mode
  }

  /// Carries out the reset.
  ///
  /// - Parameter mode: The mode that `mode(_:of:_:)` gave.
  /// - Returns: Nil for a file that was never written, which goes on as a new one.
  package func run(_ mode: ResetMode) throws(ResetError) -> Outcome? {
    guard file.newestVersion > 1 else { return nil }
    try ResetError.storing(storeRecord(recovers: mode != .discard))
    do throws(ResetError) {
      guard mode != .discard else { return try discard() }
      do throws(ResetError) {
        return try recover()
      } catch {
        guard mode == .recoverOrDiscard, error.isOfRecovery else { throw error }
        return try discard()
      }
    } catch {
      try? Self.removeRecord(of: file)
      throw error
    }
  }

  private func storeRecord(recovers: Bool) throws(StorageError) {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    try group.commit { (group) throws(StorageError) in
      let last = try ResetRecord.stored(in: TableGroup(group.transaction.base))
      try ResetRecord(cause, recovers: recovers, at: now, after: last).store(in: group)
    }
  }

  /// Forgets the reset, as it has led to a complete synchronisation.
  package static func removeRecord(of file: DatabaseFile) throws(StorageError) {
    guard try ResetRecord.stored(in: TableGroup(file.snapshot())) != nil else { return }
    let group = try WriteGroup(file.beginWrite())
    try group.commit { (group) throws(StorageError) in try ResetRecord.remove(in: group) }
  }

  // MARK: The transaction

  private func discard() throws(ResetError) -> Outcome {
    let source = try ResetError.storing(CopiedState(copy))
    let tables = try ResetError.storing(TableGroup(source.snapshot))
    return try write { (group) throws(ResetError) in
      try transfer(from: tables, source, to: group)
      try ResetError.storing(dropHistory(in: group, source))
      return (Outcome(before: group.transaction.base, hasRecovered: false), nil)
    }
  }

  /// Makes the changes that are not uploaded again on the copy, in a transaction that is never
  /// committed, and then the file equal to the copy as it is with them.
  private func recover() throws(ResetError) -> Outcome {
    let source = try ResetError.storing(CopiedState(copy))
    let scratch = try ResetError.storing(WriteGroup(copy.beginWrite()))
    defer { scratch.rollback() }
    return try write { (group) throws(ResetError) in
      // Objects that were made before the file had an identifier get that of the copy.
      let changes = try ResetError.storing(
        OwnChanges(in: group.transaction, replacingOwnFileBy: source.ident))
      let old = try ResetError.storing(TableGroup(group.transaction.base, schemas: schemas))
      var replay = ChangeReplay(from: old, changes.file, onto: scratch, source.ident)
      var replayed: [UInt64: [UInt8]] = [:]
      var uploads = UploadVersions(limit: limit)
      for change in changes.entries {
        do throws(ApplyError) {
          let changeset = try replay.replay(change.changeset)
          replayed[change.version] = ChangesetEncoder.encode(changeset)
          uploads.append(changeset, origin: change.version, timestamp: change.timestamp)
        } catch { throw ResetError(error) }
      }
      try uploads.check()
      try transfer(from: scratch, source, to: group)
      let outcome = Outcome(
        before: group.transaction.base, hasRecovered: true, droppedLists: replay.droppedLists)
      guard uploads.areDivided else {
        try ResetError.storing(replaceHistory(in: group, source, by: replayed))
        return (outcome, nil)
      }
      try ResetError.storing(beginHistory(in: group, source, uploads))
      return (outcome, uploads)
    }
  }

  /// Runs a transaction, which is committed.
  ///
  /// - Parameter body: Gives the versions with which the history begins; nil if it goes on.
  private func write(
    _ body: (WriteGroup) throws(ResetError) -> (Outcome, UploadVersions?)
  ) throws(ResetError) -> Outcome {
    let group = try ResetError.storing(WriteGroup(file.beginWrite(), schemas: schemas))
    return try group.orRollback { () throws(ResetError) in
      assert(group.recorder == nil, "a reset is not recorded")
      try ResetError.storing(upgradeHistory(in: group.transaction))
      let (outcome, uploads) = try body(group)
      if isToBeAnnounced { try ResetError.storing(KeptReports.noteReset(in: group)) }
      guard let uploads else {
        _ = try ResetError.storing(group.commit())
        return outcome
      }
      let serverVersion = try ResetError.storing(
        group.transaction.syncProgress.download.serverVersion)
      try ResetError.storing(uploads.commit(group, serverVersion: serverVersion))
      return outcome
    }
  }

  private func upgradeHistory(in transaction: WriteTransaction) throws(StorageError) {
    if try transaction.syncHistory().isUpgraded { return }
    try transaction.upgradeSyncHistory { StoredChangesetFraming.encode($0) }
  }

  private func transfer(
    from tables: some TableReader, _ source: CopiedState, to group: WriteGroup
  ) throws(ResetError) {
    try check(tables, group)
    var transfer = StateTransfer(from: tables, source.ident, to: group, source.ident)
    do throws(ApplyError) { try transfer.run() } catch { throw ResetError(error) }
  }

  // MARK: History and subscriptions

  /// Takes over the identifier and the cursors of the copy, and drops all that was recorded.
  private func dropHistory(
    in group: WriteGroup, _ source: CopiedState
  ) throws(StorageError) {
    try group.transaction.trimSyncHistory(through: group.transaction.base.version)
    try adopt(source, in: group, keepsNewerSets: false)
  }

  /// Puts what was made again in the place of what was recorded, at the same versions: the order of
  /// changes and subscriptions stays.
  private func replaceHistory(
    in group: WriteGroup, _ source: CopiedState, by replayed: [UInt64: [UInt8]]
  ) throws(StorageError) {
    let transaction = group.transaction
    let first = replayed.keys.min() ?? transaction.base.version + 1
    try transaction.trimSyncHistory(through: first - 1)
    try adopt(source, in: group, keepsNewerSets: true)
    var byteCount = 0
    for version in first..<transaction.base.version + 1 {
      var entry = try transaction.syncHistory().entry(at: version)
      entry.reciprocal = nil
      entry.remoteVersion = source.progress.download.serverVersion
      if let changeset = replayed[version] {
        entry.changeset = StoredChangesetFraming.encode(changeset)
        byteCount += changeset.count
      }
      try transaction.replaceSyncEntry(at: version, with: entry)
    }
    let total = byteCount
    try transaction.updateSyncProgress { $0.uploadableByteCount = total }
  }

  /// Begins the history again, with more versions than there were: a change that was made again is
  /// larger than an upload, and is divided.
  private func beginHistory(
    in group: WriteGroup, _ source: CopiedState, _ uploads: UploadVersions
  ) throws(StorageError) {
    let base = group.transaction.base.version
    try group.transaction.trimSyncHistory(through: base)
    try adopt(source, in: group, keepsNewerSets: true)
    try SubscriptionStore(existingIn: group)?.moveSnapshots {
      uploads.version(through: $0, base: base)
    }
  }

  private func adopt(
    _ source: CopiedState, in group: WriteGroup, keepsNewerSets: Bool
  ) throws(StorageError) {
    let transaction = group.transaction
    try transaction.setFileIdentifier(Int(clamping: source.ident.rawValue), salt: source.salt)
    try transaction.updateSyncProgress { progress in progress = source.progress }
    try BootstrapStore(existingIn: group)?.removeAll()
    try SubscriptionStore(existingIn: group)?.completeReset(keepsNewer: keepsNewerSets)
  }

  // MARK: Schemas

  /// Checks that the copy has all classes and properties of the file (P3 D.3).
  private func check(
    _ source: some TableReader, _ group: WriteGroup
  ) throws(ResetError) {
    let known = try ResetError.storing(
      Dictionary(
        source.classSchemas().map { ($0.displayName, $0) }, uniquingKeysWith: { first, _ in first })
    )
    var (classes, properties): ([String], [String]) = ([], [])
    for schema in try ResetError.storing(group.classSchemas()) {
      let name = schema.displayName
      guard let other = known[name] else {
        classes.append(name)
        continue
      }
      properties += schema.columns.filter { other.column(named: $0.name) == nil }
        .map { "\(name).\($0.name)" }
    }
    guard classes.isEmpty else { throw .removedClasses(classes.sorted()) }
    guard properties.isEmpty else { throw .removedProperties(properties.sorted()) }
  }
}
