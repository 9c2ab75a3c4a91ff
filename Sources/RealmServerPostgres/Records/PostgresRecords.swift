// SPDX-License-Identifier: Apache-2.0

// Records in a database that several servers share: a realm of its own whose entries are journals.
//
// Invariants:
// 1. A version is made from the one before it: the database compares the version in the transaction
//    that stores the journal. Where another server was first the body runs again on its version.
// 2. What a body says about an older version than the newest is not believed: it runs again.

#if Postgres
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Keeps records in a database. Its calls block.
final class PostgresRecords: RecordStore {
  /// The versions before the newest checkpoint whose entries stay: they say what became of appends
  /// with an open outcome.
  private static let keptCount: UInt64 = 1_000

  private struct Lease {
    var epoch: UInt64
    /// Until when no other server takes it, by the clock of this machine.
    var end: Deadline
  }

  private let realm: PostgresRealm
  private let changed: RecordNews
  private let held = Locked<Lease?>(nil)

  init(_ realm: PostgresRealm, _ news: RecordNews) {
    self.realm = realm
    changed = news
  }

  var isShared: Bool { true }
  var lease: (any RecordLease)? { self }

  func snapshot() throws(StoreError) -> TableGroup {
    try realm.bringForward(atLeast: 0).objects
  }

  func news() -> AsyncStream<Void> { changed.stream() }

  func takeChanges() throws(StoreError) -> (changes: RecordChanges, newest: TableGroup) {
    let newest = try snapshot()
    return (changed.take(), newest)
  }

  // MARK: Changes

  /// The outcome of a body.
  private enum Outcome {
    case stored
    /// It changed nothing, or threw.
    case nothing(StoreError?)
    /// Another server was first.
    case late
  }

  func change(by author: RecordAuthor, _ body: RecordChange) throws(StoreError) {
    let database = realm.database
    let deadline = Deadline(
      milliseconds: database.settings.patienceMilliseconds, by: database.clock)
    var backOff = BackOff(by: database.clock)
    var isHealed = false
    var head = try realm.snapshot(atLeast: 0).head
    var isNewest = false
    while true {
      switch try outcome(of: body, after: head, by: author) {
      case .stored: return
      case .nothing(.some(.storage(let cause))) where cause.isDamage && !isHealed:
        // The truth is in the database.
        isHealed = true
        try StoreError.storing(realm.replica.discard())
      case .nothing(let error):
        let former = head
        if !isNewest { head = try realm.bringForward(atLeast: 0).head }
        if isNewest || head.latest == former.latest {
          if let error { throw error }
          return
        }
        isNewest = true
        continue
      case .late:
        guard !deadline.isOver else {
          throw .unavailable(
            "other servers change \(realm.name.app) all the time")
        }
        backOff.pause(until: deadline)
      }
      head = try realm.bringForward(atLeast: 0).head
      isNewest = true
    }
  }

  private func outcome(
    of body: RecordChange, after head: RealmHead, by author: RecordAuthor
  ) throws(StoreError) -> Outcome {
    let epoch = author == .leaseholder ? try heldEpoch() : head.epoch
    var failure: StorageError?
    do throws(StoreError) {
      let stored = try realm.append(expecting: head.version, epoch: epoch, by: author) {
        (group) throws(StorageError) in
        do throws(StorageError) {
          return try body(group) ? try batch(of: group, after: head) : nil
        } catch {
          failure = error
          throw error
        }
      }
      return stored == nil ? .nothing(nil) : .stored
    } catch {
      if let failure { return .nothing(.storage(failure)) }
      switch error {
      case .conflict: return .late
      case .fenced where author == .anyServer: return .late
      case .fenced:
        lose()
        throw error
      default: throw error
      }
    }
  }

  /// The batch of the changes so far; nil if there are none.
  private func batch(
    of group: WriteGroup, after head: RealmHead
  ) throws(StorageError) -> Batch? {
    let journal = try RecordJournal(of: group, leavingOut: [Replica.meta.name])
    guard !journal.isEmpty else { return nil }
    let bytes = RecordJournalWriter.encode(journal)
    let version = head.version + 1
    let time = OriginTimestamp(milliseconds: 0)
    return Batch(
      entries: [
        StoredEntry(
          version: version, salt: realm.salts.next(), file: .server, clientVersion: 0,
          timestamp: time, committed: time, originalByteCount: bytes.count,
          totalByteCount: head.totalByteCount + bytes.count, changeset: bytes)
      ], skipsThrough: version > Self.keptCount ? version - Self.keptCount : nil)
  }
}

// MARK: The lease

extension PostgresRecords: RecordLease {
  var milliseconds: Int { realm.database.settings.leaseMilliseconds }

  private var leaseEnd: Deadline {
    Deadline(milliseconds: milliseconds, by: realm.database.clock)
  }

  var isHeld: Bool {
    guard let lease = held.withLock({ $0 }) else { return false }
    return !lease.end.isOver && realm.ownEpoch == lease.epoch
  }

  private func heldEpoch() throws(StoreError) -> UInt64 {
    guard let lease = held.withLock({ $0 }) else { throw .fenced }
    return lease.epoch
  }

  func take() throws(StoreError) -> Bool {
    // The lease begins later than this.
    let end = leaseEnd
    let rows = try realm.database.repeating([
      Statements.own(realm.key, .text(realm.node), .int(Int64(milliseconds)))
    ])[0]
    guard let values = rows.first else { return false }
    let head = try StoreError.reading(RealmRow(values)).head
    realm.learn(head)
    realm.setOwnEpoch(head.epoch)
    held.withLock { $0 = Lease(epoch: head.epoch, end: end) }
    return true
  }

  func renew() -> Bool {
    guard let lease = held.withLock({ $0 }) else { return false }
    let end = leaseEnd
    do throws(DatabaseError) {
      let rows = try realm.database.once([
        Statements.renewLeases(
          .text("{\(realm.number)}"), .text(realm.node), .int(Int64(milliseconds))),
        Statements.realm(realm.key),
      ])[1]
      if let values = rows.first, let row = try? RealmRow(values), row.head.epoch == lease.epoch {
        held.withLock { $0?.end = end }
      } else {
        lose()
      }
    } catch {
      // It may be there again before the lease ends.
    }
    if isHeld { return true }
    lose()
    return false
  }

  private func lose() {
    held.withLock { $0 = nil }
    realm.forgetOwnEpoch()
  }

  func giveUp() {
    guard let lease = held.withLock({ $0 }) else { return }
    lose()
    // If this fails the lease ends by itself.
    _ = try? realm.database.once([
      Statements.giveUpLease(realm.key, .text(realm.node), .bits(lease.epoch))
    ])
  }
}
#endif
