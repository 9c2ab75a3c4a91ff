// SPDX-License-Identifier: Apache-2.0

// Bootstraps: kept part by part as they arrive, unless one message has all, and shown as a whole
// (P3 C.2).
//
// 1. A bootstrap is integrated in batches, each a version with an entry of its own, while none
//    else can write. The versions become durable and visible together: a reader, a crash or an
//    error never finds some of them.
// 2. The cursors stay as they were until the last batch.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Stores and integrates bootstraps. Confined to the queue of its agent.
package struct BootstrapIntegration {
  let file: DatabaseFile
  let schemas: SchemaCache
  /// The bytes of changesets in one version.
  private let batchByteCount: Int
  private let cache: OwnEntryCache
  private let onLoss: @Sendable (UploadLoss) -> Void
  private var transformer = Transformer()

  package init(
    _ file: DatabaseFile, schemas: SchemaCache = SchemaCache(), batchByteCount: Int = 1 << 20,
    cache: OwnEntryCache = OwnEntryCache(),
    onLoss: @escaping @Sendable (UploadLoss) -> Void = { _ in }
  ) {
    self.onLoss = onLoss
    self.cache = cache
    self.file = file
    self.schemas = schemas
    self.batchByteCount = batchByteCount
  }

  // MARK: Storing

  /// Stores the entries of one message of a bootstrap.
  ///
  /// - Parameters:
  ///   - cursors: The cursors of the last message; nil if more are to come.
  ///   - reports: The writes that the bootstrap undoes, for the program.
  package func keep(
    _ entries: [DownloadEntry], ofQuery version: UInt64, cursors: SyncCursors?,
    reports: [ErrorDocument] = []
  ) throws(IntegrationError) {
    guard version <= UInt64(Int64.max), cursors?.isInRange ?? true else {
      throw .badProgress("a number is out of range")
    }
    for entry in entries {
      guard entry.changeset.count <= BootstrapStore.changesetByteCountMax else {
        throw .changesetTooLarge(byteCount: entry.changeset.count)
      }
    }
    // Unreadable changesets must not be stored: they would be found again at each start.
    _ = try IncomingChangeset.parse(entries)
    try IntegrationError.storing(store(entries, ofQuery: version, cursors, reports))
  }

  private func store(
    _ entries: [DownloadEntry], ofQuery version: UInt64, _ cursors: SyncCursors?,
    _ reports: [ErrorDocument]
  ) throws(StorageError) {
    try write { (group) throws(StorageError) in
      try KeptReports.store(reports, in: group)
      let store = try BootstrapStore.make(in: group)
      guard try store.add(entries, ofQuery: version, cursors: cursors),
        let sets = try SubscriptionStore(existingIn: group)
      else { return true }
      // A bootstrap of the active query, begun by the server, leaves it active: its objects are
      // here, and the server would not be asked for it again.
      switch try sets.state(of: version) {
      case .complete, .awaitingMark: break
      default: try sets.setState(.bootstrapping, of: version)
      }
      return true
    }
  }

  /// Drops an incomplete bootstrap; its subscription set is pending again.
  ///
  /// - Returns: Whether a complete one is stored.
  package func dropUnfinished() throws(StorageError) -> Bool {
    let tables = try TableGroup(file.snapshot(), schemas: schemas)
    guard try tables.key(ofTable: BootstrapStore.tableName) != nil else { return false }
    var isComplete = false
    try write { (group) throws(StorageError) in
      guard let store = try BootstrapStore(existingIn: group), let found = try store.pending()
      else { return false }
      isComplete = found.cursors != nil
      if isComplete { return false }
      try store.removeAll()
      let sets = try SubscriptionStore(existingIn: group)
      if try sets?.state(of: found.queryVersion) == .bootstrapping {
        try sets?.setState(.pending, of: found.queryVersion)
      }
      return true
    }
    return isComplete
  }

  /// Changes the state of the subscription set of a version, if there is one.
  func setState(
    _ state: SubscriptionState, ofQuery version: UInt64, message: String?
  ) throws(StorageError) {
    try write { (group) throws(StorageError) in
      guard let store = try SubscriptionStore(existingIn: group) else { return false }
      try store.setState(state, of: version, error: message)
      return true
    }
  }

  /// Runs `body` in a transaction, rolled back if it throws or returns false.
  private func write(
    _ body: (WriteGroup) throws(StorageError) -> Bool
  ) throws(StorageError) {
    let transaction = try file.beginWrite()
    try transaction.orRollback { () throws(StorageError) in
      let group = try WriteGroup(transaction, schemas: schemas)
      if try body(group) { _ = try group.commit() } else { group.rollback() }
    }
  }

  // MARK: Integrating

  /// Integrates the complete stored bootstrap.
  ///
  /// - Returns: Its query version; nil if there is none.
  package mutating func process() throws(IntegrationError) -> UInt64? {
    let byteCount = batchByteCount
    return try commit { (group) throws(IntegrationError) in
      guard let store = try IntegrationError.storing(BootstrapStore(existingIn: group)),
        let found = try IntegrationError.storing(store.pending()), let cursors = found.cursors
      else { return nil }
      let taken = try IntegrationError.storing(store.takeFirst(byteCount: byteCount))
      return Part(
        entries: try IncomingChangeset.parse(taken.entries), isLast: taken.isLast,
        queryVersion: found.queryVersion, cursors: cursors)
    }
  }

  /// Integrates a bootstrap, all of which is in one message. It is not stored before.
  ///
  /// - Parameter reports: The writes that it undoes, for the program.
  package mutating func integrate(
    _ entries: [DownloadEntry], ofQuery version: UInt64, cursors: SyncCursors,
    reports: [ErrorDocument] = []
  ) throws(IntegrationError) {
    var rest = try IncomingChangeset.parse(entries)[...]
    var reports = reports
    let byteCountMax = batchByteCount
    _ = try commit { (group) throws(IntegrationError) in
      try IntegrationError.storing(KeptReports.store(reports, in: group))
      reports = []
      var byteCount = 0
      let end = rest.firstIndex { entry in
        defer { byteCount += entry.byteCount }
        return byteCount >= byteCountMax
      }
      let first = rest[..<(end ?? rest.endIndex)]
      rest = rest[first.endIndex...]
      return Part(
        entries: Array(first), isLast: rest.isEmpty, queryVersion: version, cursors: cursors)
    }
  }

  /// What one version integrates of a bootstrap.
  private struct Part {
    let entries: [IncomingChangeset]
    let isLast: Bool
    /// Those of the whole bootstrap.
    let queryVersion: UInt64
    let cursors: SyncCursors
  }

  /// Commits parts, each a version, up to the last one.
  ///
  /// - Parameter next: Takes the next part in its transaction; nil if there is no bootstrap.
  /// - Returns: The query version of the bootstrap; nil if there is none.
  private mutating func commit(
    _ next: (WriteGroup) throws(IntegrationError) -> Part?
  ) throws(IntegrationError) -> UInt64? {
    var pending: PendingCommit?
    var losses: [UploadLoss] = []
    do throws(IntegrationError) {
      var queryVersion: UInt64?
      var isLast = false
      while !isLast {
        let transaction = try IntegrationError.storing(begin(after: pending))
        do throws(IntegrationError) {
          guard let batch = try integrate(next, in: transaction) else {
            transaction.rollback()
            break
          }
          pending = batch.pending
          queryVersion = batch.queryVersion
          isLast = batch.isLast
          if let loss = batch.loss { losses.append(loss) }
        } catch {
          transaction.rollback()
          throw error
        }
      }
      assert(isLast || pending == nil, "BootstrapIntegration 1")
      if let last = pending {
        pending = nil
        try IntegrationError.storing(last.makeDurable())
      }
      for loss in losses { onLoss(loss) }
      return queryVersion
    } catch {
      pending?.discard()
      cache.removeAll()
      throw error
    }
  }

  private func begin(
    after pending: PendingCommit?
  ) throws(StorageError) -> WriteTransaction {
    if let pending { return try pending.begin() }
    return try file.beginWrite()
  }

  private struct Batch {
    let pending: PendingCommit
    let queryVersion: UInt64
    let isLast: Bool
    let loss: UploadLoss?
  }

  private mutating func integrate(
    _ next: (WriteGroup) throws(IntegrationError) -> Part?, in transaction: WriteTransaction
  ) throws(IntegrationError) -> Batch? {
    var work = try IntegrationError.storing(
      IntegrationTransaction(transaction, schemas: schemas, own: cache.take()))
    guard let part = try next(work.group) else { return nil }
    try work.check(part.cursors)
    try work.check(part.entries, part.cursors)
    try apply(part.entries, &work)
    if part.isLast { try IntegrationError.storing(complete(part.queryVersion, work.group)) }
    try IntegrationError.storing(work.finish(part.isLast ? part.cursors : nil))
    let pending = try IntegrationError.storing(work.group.writeVersion())
    cache.keep(work.own)
    return Batch(
      pending: pending, queryVersion: part.queryVersion, isLast: part.isLast, loss: work.loss)
  }

  private func complete(_ queryVersion: UInt64, _ group: WriteGroup) throws(StorageError) {
    try BootstrapStore(existingIn: group)?.removeAll()
    try SubscriptionStore(existingIn: group)?.completeBootstrap(of: queryVersion)
  }

  private mutating func apply(
    _ entries: [IncomingChangeset], _ work: inout IntegrationTransaction
  ) throws(IntegrationError) {
    var rest = entries[...]
    while let first = rest.first {
      let base = first.changeset.origin.remoteVersion
      let group = rest.prefix { $0.changeset.origin.remoteVersion == base }
      var changesets = group.map(\.changeset)
      _ = try work.merge(&changesets, &transformer)
      for (entry, changeset) in zip(group, changesets) {
        try work.apply(changeset, originalByteCount: entry.originalByteCount)
      }
      rest = rest[group.endIndex...]
    }
  }
}
