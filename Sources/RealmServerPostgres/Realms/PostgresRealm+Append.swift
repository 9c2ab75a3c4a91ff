// SPDX-License-Identifier: Apache-2.0

// Appending to a realm in a database.
//
// Invariants:
// 1. The row of the realm is locked from the comparison of head and epoch until the transaction
//    ends. So a transaction that locks it afterwards sees what became of this one, even if the
//    connection broke during COMMIT.
// 2. Each append has a token of its own; the row keeps it until the next one.
// 3. Where writers without a lease append, too, another of them may have replaced the token: the
//    salt of the version says whose entry it is.
// 4. The question for an outcome ends with a COMMIT, which waits for the synchronous standby, as
//    the lock of the row is written. A primary that was restarted shows what it has committed
//    before the standby has it, and what only the primary has is not acknowledged.

#if Postgres
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables

extension PostgresRealm {
  func append(
    expecting version: UInt64, epoch: UInt64,
    _ build: (WriteGroup) throws(StorageError) -> Batch?
  ) throws(StoreError) -> RealmHead? {
    try append(expecting: version, epoch: epoch, by: .leaseholder, build)
  }

  /// Appends, in the name of the owner or of any node.
  func append(
    expecting version: UInt64, epoch: UInt64, by author: RecordAuthor,
    _ build: (WriteGroup) throws(StorageError) -> Batch?
  ) throws(StoreError) -> RealmHead? {
    let head = try readyHead(expecting: version, epoch: epoch)
    let (state, group) = try StoreError.storing(replica.begin())
    var stored: (batch: Batch, head: RealmHead)?
    try group.orRollback { () throws(StoreError) in
      guard state.version == version else { throw .conflict(known) }
      guard let batch = try StoreError.storing(build(group)) else { return }
      if let refusal = batch.refusal(after: head) ?? Self.refusal(of: batch) { throw refusal }
      stored = (batch, try storeNoting(batch, after: head, by: author))
    }
    guard let stored else {
      group.rollback()
      return nil
    }
    recent.withLock { $0.append(stored.batch) }
    learn(stored.head)
    if author == .leaseholder { setOwnEpoch(epoch) }
    do throws(StorageError) {
      try replica.commit(group, version: stored.head.version, salt: stored.head.salt)
    } catch {
      // It is durable in the database, from where the replica gets it.
      replica.close()
      events.onProblem("\(id.rawValue): the replica does not take a version: \(error)")
    }
    if stored.batch.hasChanges { events.onHead(stored.head) }
    return stored.head
  }

  /// The head of the replica, before an append.
  private func readyHead(
    expecting version: UInt64, epoch: UInt64
  ) throws(StoreError) -> RealmHead {
    var head = try snapshot(atLeast: 0).head
    if head.epoch != epoch || head.version != version {
      // The database has the last word.
      head = try bringForward(atLeast: 0).head
    }
    guard head.epoch == epoch else { throw .fenced }
    guard head.version == version else { throw .conflict(head) }
    return head
  }

  /// Why the columns of the database cannot have a batch.
  private static func refusal(of batch: Batch) -> StoreError? {
    let texts = batch.files.map(\.user) + batch.files.map(\.filters)
    return texts.lazy.compactMap { Self.refusal(of: $0) }.first
  }

  static func refusal(of text: String) -> StoreError? {
    guard text.utf8.contains(0) else { return nil }
    return .limit("the database keeps no text with the character U+0000")
  }

  // MARK: The transaction

  /// An append under way.
  private struct Append {
    let batch: Batch
    let head: RealmHead
    /// The head afterwards.
    let newer: RealmHead
    let author: RecordAuthor
    let token: UInt64

    init(
      _ batch: Batch, after head: RealmHead, by author: RecordAuthor, token: UInt64
    ) {
      (self.batch, self.head, self.author, self.token) = (batch, head, author, token)
      newer = batch.head(after: head)
    }
  }

  /// Stores a batch, and notes what it does to clients and that it needs no report of the database.
  /// See `KnownClients` 1.
  private func storeNoting(
    _ batch: Batch, after head: RealmHead, by author: RecordAuthor
  ) throws(StoreError) -> RealmHead {
    try holdingNews { () throws(StoreError) in
      do throws(StoreError) {
        let newer = try store(batch, after: head, by: author)
        noteClients(of: batch, epoch: head.epoch)
        noteReported(newer)
        return newer
      } catch {
        noteClients(of: nil, epoch: head.epoch)
        throw error
      }
    }
  }

  /// Stores a batch, durable on return. Returns the new head.
  private func store(
    _ batch: Batch, after head: RealmHead, by author: RecordAuthor
  ) throws(StoreError) -> RealmHead {
    let append = Append(batch, after: head, by: author, token: salts.next())
    var mayBeThere = false
    let result: Result<RealmHead, StoreError>
    do throws(StoreError) {
      result = try database.repeating {
        () throws(DatabaseError) -> Result<RealmHead, StoreError> in
        if mayBeThere, let found = try outcome(of: append) { return found }
        mayBeThere = false
        return try attempt(append, &mayBeThere)
      }
    } catch {
      if mayBeThere { unsettle() }
      throw error
    }
    return try result.get()
  }

  /// Tries once. A refusal is a value.
  ///
  /// - Parameter mayBeThere: Set when an error leaves the outcome open.
  private func attempt(
    _ append: Append, _ mayBeThere: inout Bool
  ) throws(DatabaseError) -> Result<RealmHead, StoreError> {
    do throws(DatabaseError) {
      return try database.using {
        (link) throws(DatabaseError) -> Result<RealmHead, StoreError> in
        try attempt(append, on: link, &mayBeThere)
      }
    } catch {
      guard case .refused = error, mayBeThere else { throw error }
      // A refused transaction is rolled back. But the notification after it is refused alone.
      if let found = try outcome(of: append) { return found }
      mayBeThere = false
      throw error
    }
  }

  private func attempt(
    _ append: Append, on link: any DatabaseLink, _ mayBeThere: inout Bool
  ) throws(DatabaseError) -> Result<RealmHead, StoreError> {
    let (batch, head, newer) = (append.batch, append.head, append.newer)
    var clients = knownClients(of: append)
    let unknown = batch.files.map(\.ident).filter { clients[$0]?.file == nil }
    var calls = [Statements.begin(), claim(append)]
    calls += unknown.map { Statements.file(key, .bits($0.rawValue)) }
    let rows = try link.run(calls)
    guard let values = rows[1].first else {
      let current = try link.run([Statements.rollback(), Statements.realm(key)])[1]
      return .failure(Self.refusal(current, head))
    }
    let row: RealmRow
    var writes: [DatabaseCall]
    do throws(StoreError) {
      row = try StoreError.reading(RealmRow(values))
      for (ident, rows) in zip(unknown, rows.dropFirst(2)) {
        guard let values = rows.first else { throw .unknownFile(ident) }
        clients[ident, default: .init()].file = try StoreError.reading(ClientFile(values))
      }
      writes = try fileCalls(batch, clients)
    } catch {
      _ = try link.run([Statements.rollback()])
      return .failure(error)
    }
    writes += changeCalls(batch, row)
    writes.append(Statements.commit())
    if newer.version > head.version { writes.append(Statements.notify(.text("\(number)"))) }
    mayBeThere = true
    _ = try link.run(writes)
    noteSize(row, newer)
    return .success(row.head)
  }

  /// What is known of the clients of an append. That is true if the claim finds its epoch.
  private func knownClients(of append: Append) -> [FileIdentifier: KnownClients.Client] {
    withClients { clients in
      guard clients.epoch == append.head.epoch else { return [:] }
      var found: [FileIdentifier: KnownClients.Client] = [:]
      for file in append.batch.files { found[file.ident] = clients[file.ident] }
      return found
    } ?? [:]
  }

  private func claim(_ append: Append) -> DatabaseCall {
    let (head, newer) = (append.head, append.newer)
    guard append.author == .leaseholder else {
      return Statements.claimShared(
        key, .bits(head.version), .bits(head.epoch), .bits(newer.version), .bits(newer.salt),
        .int(Int64(newer.totalByteCount)), .bits(newer.base), .bits(append.token))
    }
    return Statements.claim(
      key, .bits(head.version), .bits(head.epoch), .bits(newer.version), .bits(newer.salt),
      .int(Int64(newer.totalByteCount)), .bits(newer.base), .bits(append.token),
      .int(Int64(database.settings.leaseMilliseconds)), .text(node))
  }

  /// Why a head is not the expected one.
  private static func refusal(_ rows: DatabaseRows, _ expected: RealmHead) -> StoreError {
    guard let values = rows.first else { return .unknownRealm(expected.realm) }
    do throws(StoreError) {
      let head = try StoreError.reading(RealmRow(values)).head
      return head.epoch == expected.epoch ? .conflict(head) : .fenced
    } catch {
      return error
    }
  }

  /// The outcome of an append after an error; nil if it did not come to be.
  ///
  /// An append before which the epoch was raised did not come to be, one after which it was may be
  /// there: both are fenced.
  private func outcome(
    of append: Append
  ) throws(DatabaseError) -> Result<RealmHead, StoreError>? {
    let head = append.head
    // Invariant 4
    let rows = try database.once([
      Statements.begin(), Statements.lockRealm(key),
      Statements.saltOfEntry(key, .bits(head.version + 1)), Statements.commit(),
    ])
    guard let values = rows[1].first else { return .failure(.unknownRealm(id)) }
    do throws(StoreError) {
      let row = try StoreError.reading(RealmRow(values))
      let isOfAnyServer = append.author == .anyServer
      let hasSameEpoch = row.head.epoch == head.epoch
      guard isOfAnyServer || hasSameEpoch else { return .failure(.fenced) }
      if row.token == append.token { return .success(row.head) }
      let other = Result<RealmHead, StoreError>.failure(.conflict(row.head))
      if row.head.version == head.version { return hasSameEpoch ? nil : other }
      guard let entry = append.batch.entries.first else { return other }
      guard let salt = rows[2].first else {
        if !isOfAnyServer { return other }
        throw .unavailable("the version after \(head.version) is trimmed already")
      }
      return try StoreError.reading(DatabaseRowReader(salt).bits(0)) == entry.salt
        ? .success(append.newer) : other
    } catch {
      return .failure(error)
    }
  }

  // MARK: Statements

  /// The new states of files, if they follow the stored ones.
  private func fileCalls(
    _ batch: Batch, _ stored: [FileIdentifier: KnownClients.Client]
  ) throws(StoreError) -> [DatabaseCall] {
    var calls: [DatabaseCall] = []
    for file in batch.files {
      guard let client = stored[file.ident], let old = client.file else {
        throw .unknownFile(file.ident)
      }
      guard file.follows(old) else {
        throw .outOfOrder("a cursor of file \(file.ident.rawValue) goes back")
      }
      calls.append(file.call(Statements.setFile, number))
      let last = file.isExpired ? ServerTables.versionLimit - 1 : file.reciprocalBase
      guard old.reciprocalBase < last else { continue }
      // What is up to the old one is gone already.
      for (trim, none) in [
        (Statements.trimReciprocals, client.noReciprocalsAfter),
        (Statements.trimPrivates, client.noPrivatesAfter),
      ] where none ?? .max > old.reciprocalBase {
        calls.append(trim(key, .bits(file.ident.rawValue), .bits(last)))
      }
    }
    for ident in batch.forgotten {
      calls.append(Statements.forgetFile(key, .bits(ident.rawValue)))
    }
    return calls
  }

  private func changeCalls(_ batch: Batch, _ row: RealmRow) -> [DatabaseCall] {
    var calls = batch.entries.map { $0.call(number) }
    for change in batch.reciprocals {
      calls.append(
        Statements.setReciprocal(
          key, .bits(change.file.rawValue), .bits(change.version), .bytes(change.changeset)))
    }
    calls += batch.privates.map { $0.call(number) }
    // Entries after the checkpoint make the replicas of other nodes.
    if let through = batch.trimsThrough, row.checkpoint > 0 {
      calls.append(Statements.trimHistory(key, .bits(min(through, row.checkpoint))))
    }
    return calls
  }

  /// Asks for a checkpoint when there is much after the last one.
  private func noteSize(_ row: RealmRow, _ newer: RealmHead) {
    let count = newer.version - row.checkpoint
    if count >= database.settings.checkpointVersions { events.onDue(self) }
  }

  // MARK: Client files

  func allocateFile(
    for user: String, now: OriginTimestamp
  ) throws(StoreError) -> ClientFile {
    if let refusal = Self.refusal(of: user) { throw refusal }
    let salt = salts.next()
    var drawn: ClientFile?
    let result = try database.repeating {
      () throws(DatabaseError) -> Result<ClientFile, StoreError> in
      if let known = drawn, try isThere(known) { return .success(known) }
      drawn = nil
      return try database.using {
        (link) throws(DatabaseError) -> Result<ClientFile, StoreError> in
        try allocate(user, salt, now, on: link, &drawn)
      }
    }
    return try result.get()
  }

  /// Whether a client file was made, once no transaction changes the realm any more.
  private func isThere(_ file: ClientFile) throws(DatabaseError) -> Bool {
    // Invariant 4
    let rows = try database.once([
      Statements.begin(), Statements.lockRealm(key),
      Statements.file(key, .bits(file.ident.rawValue)), Statements.commit(),
    ])
    guard let values = rows[2].first, let found = try? ClientFile(values) else { return false }
    return found.salt == file.salt
  }

  /// Tries once.
  ///
  /// - Parameter drawn: Set to the file, when an error may leave it there.
  private func allocate(
    _ user: String, _ salt: UInt64, _ now: OriginTimestamp, on link: any DatabaseLink,
    _ drawn: inout ClientFile?
  ) throws(DatabaseError) -> Result<ClientFile, StoreError> {
    let rows = try link.run([
      Statements.begin(), Statements.lockRealm(key), Statements.idents(key),
    ])
    let next: (first: UInt64, ident: UInt64)
    do throws(StoreError) {
      guard !rows[1].isEmpty else { throw .unknownRealm(id) }
      next = try nextIdent(rows[2])
    } catch {
      _ = try link.run([Statements.rollback()])
      return .failure(error)
    }
    let file = ClientFile(
      ident: FileIdentifier(next.ident), salt: salt, user: user, lastSeen: now)
    drawn = file
    _ = try link.run([
      Statements.setIdents(key, .bits(next.first), .bits(next.ident)),
      file.call(Statements.addFile, number), Statements.commit(),
    ])
    setFirstIdent(next.first)
    return .success(file)
  }

  /// The next identifier and the first one of its range, as `GivenIdents` gives them.
  private func nextIdent(
    _ rows: DatabaseRows
  ) throws(StoreError) -> (first: UInt64, ident: UInt64) {
    var given = [0...FileIdentifier.server.rawValue]
    for values in rows {
      let row = DatabaseRowReader(values)
      let first = try StoreError.reading(row.bits(0))
      let last = try StoreError.reading(row.bits(1))
      guard first > given[given.count - 1].upperBound, last >= first,
        last < ServerTables.identLimit
      else { throw .damaged("the identifiers from \(first) through \(last) are out of order") }
      given.append(first...last)
    }
    if let first = firstIdent(), let range = given.first(where: { $0.lowerBound == first }) {
      let next = range.upperBound + 1
      if next < ServerTables.identLimit, !given.contains(where: { $0.contains(next) }) {
        return (first, next)
      }
    }
    guard let drawn = GivenIdents.draw(outside: given, salts) else {
      throw .limit("a realm has no files left")
    }
    return (drawn, drawn)
  }
}
#endif
