// SPDX-License-Identifier: Apache-2.0

// A database in memory that carries the statements of the store out.
//
// Invariants:
// 1. One transaction at a time changes the content; a connection that ends rolls its own back.
// 2. Outside of transactions is read what is committed, also while a transaction is open.

#if Postgres
import Foundation
import RealmServerEngine
import Synchronization

@testable import RealmServerPostgres

/// A database in memory.
final class SimulatedDatabase: DatabaseConnector {
  /// What a statement does that needs the end of another transaction.
  enum Contention: Sendable {
    /// It waits on its thread.
    case waits
    /// It is refused, as after the limit of time for locks: there is one thread.
    case refuses
  }

  fileprivate struct Tables: Sendable {
    var content: SimulatedContent
    /// The content before the transaction that is open; nil if none is.
    var committed: SimulatedContent?
  }

  fileprivate let tables: Mutex<Tables>
  /// One transaction at a time.
  private let turn = DispatchSemaphore(value: 1)
  fileprivate let notices = Notices()
  fileprivate let flaw: SimulationFlaw?
  fileprivate let contention: Contention
  /// Whether commits do not return: the standby is away. They can be seen, as after a restart.
  fileprivate let isAlone = Atomic(false)

  init(flaw: SimulationFlaw? = nil, contention: Contention = .waits) {
    self.flaw = flaw
    self.contention = contention
    tables = Mutex(Tables(content: SimulatedContent(flaw: flaw)))
  }

  /// Lets the standby be away, or there again.
  func setStandby(isThere: Bool) { isAlone.store(!isThere, ordering: .relaxed) }

  /// Moves the clock of the database.
  func advance(by milliseconds: Int64) {
    tables.withLock { tables in
      tables.content.clock += milliseconds
      tables.committed?.clock += milliseconds
    }
  }

  /// The rows of a statement that reads, as everybody sees them at present.
  func committed(_ call: DatabaseCall) throws(DatabaseError) -> DatabaseRows {
    let result = tables.withLock { tables -> Result<DatabaseRows, DatabaseError> in
      var content = tables.committed ?? tables.content
      do throws(DatabaseError) {
        return .success(try content.perform(call))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  func connect() throws(DatabaseError) -> any DatabaseLink { SimulatedLink(self) }

  /// Takes the turn of a transaction. Returns whether it was free in time.
  fileprivate func takeTurn() -> Bool {
    turn.wait(timeout: contention == .waits ? .now() + 20 : .now()) == .success
  }

  fileprivate func endTurn() { turn.signal() }
}

/// What was notified, in order.
private final class Notices: @unchecked Sendable {
  // Sendable: the texts are used by who has the lock of the condition.

  private let condition = NSCondition()
  private var texts: [String] = []

  var count: Int { condition.withLock { texts.count } }

  func add(_ added: [String]) {
    guard !added.isEmpty else { return }
    condition.withLock {
      texts += added
      condition.broadcast()
    }
  }

  /// Those after the first `count`, for which it waits on its thread.
  func after(_ count: Int, within milliseconds: Int) -> [String] {
    let limit = Date(timeIntervalSinceNow: Double(milliseconds) / 1_000)
    return condition.withLock {
      while texts.count == count, condition.wait(until: limit) {}
      return Array(texts[count...])
    }
  }
}

private final class SimulatedLink: DatabaseLink, @unchecked Sendable {
  // Sendable: one call at a time uses a connection, and `close` comes after the last one.

  private static let reads: Set<DatabaseStatement> = [
    Statements.identity, Statements.realmByID, Statements.realm, Statements.realmsOfApp,
    Statements.newHeads, Statements.leaseLeft, Statements.entries, Statements.saltOfEntry,
    Statements.file, Statements.files, Statements.idents, Statements.reciprocals,
    Statements.privates, Statements.part, Statements.sizeOfParts, Statements.nodeAddress,
    Statements.sharedFiles, Statements.markOfSharedFiles, Statements.time,
  ]

  private let database: SimulatedDatabase
  private var isInTransaction = false
  private var pending: [String] = []
  private var noticeCount = 0
  private var isClosed = false

  init(_ database: SimulatedDatabase) {
    self.database = database
    noticeCount = database.notices.count
  }

  deinit { close() }

  func close() {
    isClosed = true
    endTransaction(commits: false)
  }

  private func begin() throws(DatabaseError) {
    guard database.takeTurn() else {
      throw .refused(code: "55P03", "another transaction is open")
    }
    isInTransaction = true
    database.tables.withLock { $0.committed = $0.content }
  }

  private func endTransaction(commits: Bool) {
    guard isInTransaction else { return }
    database.tables.withLock { tables in
      if !commits, let committed = tables.committed { tables.content = committed }
      tables.committed = nil
    }
    isInTransaction = false
    database.endTurn()
    if commits { notify() }
  }

  private func notify() {
    database.notices.add(pending)
    pending = []
  }

  func run(_ calls: [DatabaseCall]) throws(DatabaseError) -> [DatabaseRows] {
    guard !isClosed else { throw .lost("it is closed") }
    var rows: [DatabaseRows] = []
    // Statements outside of a transaction are one together.
    for call in calls {
      switch call.statement {
      case Statements.begin:
        try begin()
        rows.append([])
      case Statements.commit, Statements.rollback:
        endTransaction(commits: call.statement == Statements.commit)
        if call.statement == Statements.commit, database.isAlone.load(ordering: .relaxed) {
          close()
          throw .lost("the standby is away")
        }
        rows.append([])
      case Statements.notify:
        guard database.flaw != .refusesNotifications else {
          throw .refused(code: "54000", "too many notifications are waiting")
        }
        if case .text(let text)? = call.values.first { pending.append(text) }
        if !isInTransaction { notify() }
        rows.append([])
      case Statements.listen: rows.append([])
      default: rows.append(try perform(call))
      }
    }
    return rows
  }

  private func perform(_ call: DatabaseCall) throws(DatabaseError) -> DatabaseRows {
    if isInTransaction { return try change(call) }
    if Self.reads.contains(call.statement) { return try database.committed(call) }
    guard database.takeTurn() else {
      // These pass over a row that is locked.
      if call.statement == Statements.renewLeases || call.statement == Statements.seeNode {
        return []
      }
      throw .refused(code: "55P03", "another transaction is open")
    }
    defer { database.endTurn() }
    return try change(call)
  }

  private func change(_ call: DatabaseCall) throws(DatabaseError) -> DatabaseRows {
    let result = database.tables.withLock { tables -> Result<DatabaseRows, DatabaseError> in
      do throws(DatabaseError) {
        return .success(try tables.content.perform(call))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  func messages(within milliseconds: Int) throws(DatabaseError) -> [String] {
    guard !isClosed else { throw .lost("it is closed") }
    let limit = database.contention == .refuses ? 0 : milliseconds
    let found = database.notices.after(noticeCount, within: limit)
    noticeCount += found.count
    return found
  }
}
#endif
