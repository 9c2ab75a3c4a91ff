// SPDX-License-Identifier: Apache-2.0

// A realm with its truth in the database, and a replica on this node.
//
// Invariants:
// 1. The replica never has a version without the database having it: the database commits first.
// 2. After an append whose outcome is not known, nothing is read from the replica until the
//    database has reported it.
// 3. Listeners hear of a version by this node from its append alone, which knows whether they have
//    to: what the database reports meanwhile waits for the end of the append.

#if Postgres
import RealmServerEngine
import RealmStorage

/// An open realm of a database. Its calls block.
final class PostgresRealm: RealmStore {
  private struct State {
    /// The newest head known to this node.
    var head: RealmHead
    /// The version and the epoch that listeners of this node have heard of.
    var reported: (version: UInt64, epoch: UInt64)
    /// Whether this node is storing a batch.
    var isStoring = false
    /// The newest head that the database has reported while a batch was being stored.
    var heldNews: RealmHead?
    /// The appends whose outcome was open, and how many of them the database has reported.
    var unsettledCount = 0
    var settledCount = 0
    /// The epoch of this node as the owner; nil if it is not.
    var ownEpoch: UInt64?
    /// The first identifier of a client file given by this opening of the realm.
    var firstIdent: UInt64?
    var isMakingCheckpoint = false
    /// Of the present owner epoch, or an earlier one.
    var clients = KnownClients(epoch: 0)

    /// Nil if no outcome is open.
    var openCount: Int? { settledCount == unsettledCount ? nil : unsettledCount }

    /// Notes that listeners hear of a head. Returns whether it is news to them.
    mutating func noteReported(_ head: RealmHead) -> Bool {
      let (version, epoch) = reported
      guard head.version > version || head.epoch > epoch else { return false }
      reported = (version: max(version, head.version), epoch: max(epoch, head.epoch))
      return true
    }
  }

  let id: RealmID
  let name: RealmName
  let number: Int64
  let node: String
  let database: Database
  let replica: Replica
  let salts: SaltSource
  let events: Events
  let recent = Locked(RecentEntries())
  private let state: Locked<State>
  /// Held while the replica is brought forward.
  private let turn = Locked(())

  /// The reports of a realm to its store.
  struct Events: Sendable {
    var onHead: @Sendable (RealmHead) -> Void
    /// Takes a head by another server.
    var onNews: @Sendable (RealmHead) -> Void
    var onClose: @Sendable (PostgresRealm) -> Void
    /// Asks for a checkpoint.
    var onDue: @Sendable (PostgresRealm) -> Void
    /// Takes a sentence about unreadable rows.
    var onProblem: @Sendable (String) -> Void
  }

  init(
    _ row: RealmRow, _ content: Replica.Content = .objects, node: String, in database: Database,
    identity: String, folder: ReplicaFolder, salts: SaltSource, events: Events
  ) {
    id = row.head.realm
    name = row.name
    number = row.number
    self.node = node
    self.database = database
    self.salts = salts
    self.events = events
    replica = Replica(of: row.head.realm, content, in: folder, database: identity)
    state = Locked(
      State(head: row.head, reported: (version: row.head.version, epoch: row.head.epoch)))
  }

  /// The first parameter of most statements.
  var key: DatabaseValue { .int(number) }

  // MARK: Knowledge

  /// The newest head known to this node.
  var known: RealmHead { state.withLock { $0.head } }

  /// The epoch of this node as the owner; nil if it is not.
  var ownEpoch: UInt64? { state.withLock { $0.ownEpoch } }

  func head() -> RealmHead { known }

  /// Takes a head of the database. Returns whether it is news: a version, or another owner.
  @discardableResult
  func learn(_ head: RealmHead) -> Bool {
    state.withLock { state in
      if let own = state.ownEpoch, own < head.epoch { state.ownEpoch = nil }
      guard
        head.version > state.head.version || head.epoch > state.head.epoch
          || head.base > state.head.base
      else { return false }
      defer { state.head = head }
      return head.version > state.head.version || head.epoch > state.head.epoch
    }
  }

  /// Takes a head of the database. Returns whether its version or its owner is news to listeners,
  /// also if a read has learned of them before. See invariant 3.
  func takeNews(_ head: RealmHead) -> Bool {
    learn(head)
    return state.withLock { state in
      guard state.isStoring else { return state.noteReported(head) }
      let held = state.heldNews
      if (head.epoch, head.version) > (held?.epoch ?? 0, held?.version ?? 0) {
        state.heldNews = head
      }
      return false
    }
  }

  /// Notes that listeners hear of a head, or do not have to.
  func noteReported(_ head: RealmHead) { state.withLock { _ = $0.noteReported(head) } }

  /// Holds news back while a batch is stored, then reports what is news still.
  func holdingNews<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
  {
    state.withLock { $0.isStoring = true }
    defer {
      let news = state.withLock { state in
        state.isStoring = false
        defer { state.heldNews = nil }
        return state.heldNews.flatMap { state.noteReported($0) ? $0 : nil }
      }
      if let news { events.onNews(news) }
    }
    return try body()
  }

  /// Notes that this node has the lease of the realm.
  func setOwnEpoch(_ epoch: UInt64) { state.withLock { $0.ownEpoch = epoch } }

  /// Forgets that this node has the lease of the realm.
  func forgetOwnEpoch() { state.withLock { $0.ownEpoch = nil } }

  /// Reads what this node knows of the clients, or notes an answer of the database. Nil if this
  /// node is not the owner, as others change them then, or if the outcome of an append is open.
  func withClients<R>(_ body: (inout KnownClients) -> R) -> R? {
    state.withLock { state in
      guard let epoch = state.ownEpoch, state.openCount == nil else { return nil }
      if state.clients.epoch != epoch { state.clients.begin(epoch: epoch) }
      return body(&state.clients)
    }
  }

  /// Notes an append by its batch; nil if the append failed. It counts also while this node does
  /// not know that it is the owner: it may know so again with the same epoch.
  func noteClients(of batch: Batch?, epoch: UInt64) {
    state.withLock { state in
      if let batch, state.clients.epoch == epoch {
        state.clients.note(batch)
      } else {
        state.clients.forget()
      }
    }
  }

  func firstIdent() -> UInt64? { state.withLock { $0.firstIdent } }

  func setFirstIdent(_ ident: UInt64) { state.withLock { $0.firstIdent = ident } }

  /// Notes that the outcome of the last append is open. See invariant 2.
  func unsettle() { state.withLock { $0.unsettledCount += 1 } }

  // MARK: The owner

  func own() throws(StoreError) -> RealmHead {
    let lease = DatabaseValue.int(Int64(database.settings.leaseMilliseconds))
    for _ in 0..<3 {
      let rows = try database.repeating([
        Statements.own(key, .text(node), lease), Statements.leaseLeft(key),
      ])
      if let values = rows[0].first {
        let head = try StoreError.reading(RealmRow(values)).head
        learn(head)
        setOwnEpoch(head.epoch)
        noteReported(head)
        return head
      }
      guard let values = rows[1].first else { throw .unknownRealm(id) }
      let row = DatabaseRowReader(values)
      if let owner = row.optionalText(1), row.optionalInteger(0) ?? 0 > 0 {
        throw .owned(by: owner)
      }
      // The lease has ended since the first statement.
    }
    throw .unavailable("the owner of the realm \(id.rawValue) changes")
  }

  func otherOwner() throws(StoreError) -> String? {
    guard let values = try database.repeating([Statements.leaseLeft(key)])[0].first else {
      throw .unknownRealm(id)
    }
    let row = DatabaseRowReader(values)
    guard let owner = row.optionalText(1), owner != node, row.optionalInteger(0) ?? 0 > 0
    else { return nil }
    return owner
  }

  nonisolated(nonsending) func close() async {
    if let epoch = ownEpoch {
      // If this fails the lease ends by itself.
      _ = try? database.once([Statements.giveUpLease(key, .text(node), .bits(epoch))])
    }
    state.withLock { $0.ownEpoch = nil }
    replica.close()
    events.onClose(self)
  }

  // MARK: Snapshots

  func snapshot(atLeast version: UInt64) throws(StoreError) -> RealmSnapshot {
    let (head, isSettled) = state.withLock { ($0.head, $0.openCount == nil) }
    if isSettled, head.version >= version, let found = replicaSnapshot(of: head) { return found }
    return try bringForward(atLeast: version)
  }

  func newest() throws(StoreError) -> RealmSnapshot {
    let head = try newestRow().head
    learn(head)
    return try snapshot(atLeast: head.version)
  }

  /// The objects of a head; nil if the replica has another version.
  private func replicaSnapshot(of head: RealmHead) -> RealmSnapshot? {
    do throws(StorageError) {
      let (state, objects) = try replica.read()
      guard state.version == head.version, state.salt == head.salt else { return nil }
      return RealmSnapshot(head: head, objects: objects)
    } catch {
      // It is opened again, or made again.
      replica.close()
      return nil
    }
  }

  /// Brings the replica to the newest version of the database.
  func bringForward(atLeast version: UInt64) throws(StoreError) -> RealmSnapshot {
    for _ in 0..<10 {
      let before = known
      let row = try newestRow()
      let isThere = try turn.withLock { (_) throws(StoreError) -> Bool in
        do throws(StoreError) {
          return try bring(to: row)
        } catch {
          guard case .storage(let cause) = error else { throw error }
          // The file is opened again by the next call. A damaged one is made again.
          replica.close()
          guard cause.isDamage else { throw error }
          try StoreError.storing(replica.discard())
          return false
        }
      }
      guard isThere, let found = replicaSnapshot(of: row.head) else { continue }
      state.withLock { state in
        if let own = state.ownEpoch, own < row.head.epoch { state.ownEpoch = nil }
        // Otherwise a newer one was learned meanwhile.
        if state.head == before { state.head = row.head }
      }
      guard row.head.version >= version else { throw .conflict(row.head) }
      return found
    }
    throw .unavailable("the realm \(id.rawValue) changes faster than this server can follow")
  }

  /// The row of the realm, once no append of an unknown outcome changes it any more.
  func newestRow() throws(StoreError) -> RealmRow {
    guard let openCount = state.withLock({ $0.openCount }) else {
      return try row(database.repeating([Statements.realm(key)])[0])
    }
    // `PostgresRealm+Append` 4
    let rows = try database.repeating([
      Statements.begin(), Statements.lockRealm(key), Statements.commit(),
    ])
    let found = try row(rows[1])
    learn(found.head)
    // The outcome of an append since then is open still.
    state.withLock { $0.settledCount = max($0.settledCount, openCount) }
    return found
  }

  private func row(_ rows: DatabaseRows) throws(StoreError) -> RealmRow {
    guard let values = rows.first else { throw .unknownRealm(id) }
    return try StoreError.reading(RealmRow(values))
  }

  /// Brings the replica to a row of the realm. Returns false if the database has moved on since.
  private func bring(to row: RealmRow) throws(StoreError) -> Bool {
    var found = try StoreError.storing(replica.read()).state
    if try !isPrefix(found, of: row) {
      // An append beside this may have committed a version since the row was read.
      if try newestRow() != row { return false }
      recent.withLock { $0 = RecentEntries() }
      guard try installCheckpoint(of: row) else { return false }
      found = try StoreError.storing(replica.read()).state
    }
    while found.version < row.head.version {
      let entries = try entries(
        from: found.version + 1, through: row.head.version,
        byteCount: database.settings.portionByteCount)
      if entries.first?.version != found.version + 1 {
        // The next entries are trimmed, as a checkpoint has them.
        guard found.version < row.checkpoint else {
          let newer = try newestRow()
          if newer != row { return false }
          throw .damaged("the entry of version \(found.version + 1) is missing")
        }
        guard try installCheckpoint(of: row) else { return false }
      } else {
        try replica.apply(entries)
      }
      found = try StoreError.storing(replica.read()).state
    }
    return found.version == row.head.version
  }

  /// Whether the replica has an earlier version of the row's realm, or the same.
  private func isPrefix(_ found: Replica.State, of row: RealmRow) throws(StoreError) -> Bool {
    if found.version == 0 { return true }
    if found.version == row.head.version { return found.salt == row.head.salt }
    if found.version == row.checkpoint { return found.salt == row.checkpointSalt }
    guard found.version < row.head.version else { return false }
    let rows = try database.repeating([Statements.saltOfEntry(key, .bits(found.version))])
    guard let values = rows[0].first else { return false }
    return try StoreError.reading(DatabaseRowReader(values).bits(0)) == found.salt
  }

  private func installCheckpoint(of row: RealmRow) throws(StoreError) -> Bool {
    guard row.checkpoint > 0 else {
      try StoreError.storing(replica.discard())
      return true
    }
    return try replica.install(byteCount: row.checkpointByteCount) {
      (number) throws(StoreError) -> [UInt8]? in
      let rows = try database.repeating([
        Statements.part(key, .int(row.checkpointID), .int(number))
      ])[0]
      guard let values = rows.first else { return nil }
      return try StoreError.reading(DatabaseRowReader(values).bytes(0))
    }
  }

  // MARK: Checkpoints

  /// Notes that a checkpoint is being made. Returns false if one is.
  func beginCheckpoint() -> Bool {
    state.withLock { state in
      defer { state.isMakingCheckpoint = true }
      return !state.isMakingCheckpoint
    }
  }

  func endCheckpoint() { state.withLock { $0.isMakingCheckpoint = false } }

  /// Stores the objects of the newest version as the checkpoint of the realm, and removes the
  /// entries before it.
  ///
  /// - Returns: False if the realm got a newer one meanwhile, or another server has removed parts
  ///   of this one.
  @discardableResult
  func makeCheckpoint() throws(StoreError) -> Bool {
    let snapshot = try bringForward(atLeast: 0)
    let id = DatabaseValue.int(Int64(bitPattern: salts.next()))
    let byteCount = try replica.copy(snapshot.objects) { (number, bytes) throws(StoreError) in
      do throws(DatabaseError) {
        _ = try database.once([Statements.addPart(key, id, .int(number), .bytes(bytes))])
      } catch {
        throw StoreError(error)
      }
    }
    do throws(DatabaseError) {
      return try publish(snapshot.head, id, byteCount)
    } catch {
      throw StoreError(error)
    }
  }

  /// Makes the parts the checkpoint of the realm, if all of them are there. Returns whether it is.
  private func publish(
    _ head: RealmHead, _ id: DatabaseValue, _ byteCount: Int
  ) throws(DatabaseError) -> Bool {
    try database.using { (link) throws(DatabaseError) -> Bool in
      let size = DatabaseValue.int(Int64(byteCount))
      let rows = try link.run([
        Statements.begin(),
        Statements.setCheckpoint(key, .bits(head.version), .bits(head.salt), id, size),
        Statements.sizeOfParts(key, id),
      ])
      guard let values = rows[1].first, rows[2].first == [size],
        let row = try? RealmRow(values)
      else {
        // There is a newer one, or another node has removed parts of this one.
        _ = try link.run([Statements.rollback(), Statements.removeCheckpoint(key, id)])
        return false
      }
      _ = try link.run([
        Statements.removeOtherCheckpoints(key, id),
        Statements.trimHistory(key, .bits(min(row.head.base, row.checkpoint))),
        Statements.commit(),
      ])
      return true
    }
  }
}
#endif
