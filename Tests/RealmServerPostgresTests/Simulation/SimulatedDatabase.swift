// SPDX-License-Identifier: Apache-2.0

// A database in memory that carries the statements of the store out.
//
// Invariants:
// 1. One transaction at a time has the content; a connection that ends rolls its own back.

#if Postgres
import Foundation
import RealmServerEngine
import Synchronization

@testable import RealmServerPostgres

/// A database in memory.
final class SimulatedDatabase: DatabaseConnector {
  fileprivate let content: Mutex<SimulatedContent>
  /// One transaction at a time.
  fileprivate let turn = DispatchSemaphore(value: 1)
  /// What was notified, in order.
  fileprivate let notices = Mutex<[String]>([])
  fileprivate let flaw: SimulationFlaw?
  /// Whether commits do not return: the standby is away. They can be seen, as after a restart.
  fileprivate let isAlone = Atomic(false)

  init(flaw: SimulationFlaw? = nil) {
    self.flaw = flaw
    content = Mutex(SimulatedContent(flaw: flaw))
  }

  /// Lets the standby be away, or there again.
  func setStandby(isThere: Bool) { isAlone.store(!isThere, ordering: .relaxed) }

  /// Moves the clock of the database.
  func advance(by milliseconds: Int64) { content.withLock { $0.clock += milliseconds } }

  func connect() throws(DatabaseError) -> any DatabaseLink { SimulatedLink(self) }
}

private final class SimulatedLink: DatabaseLink, @unchecked Sendable {
  // Sendable: one call at a time uses a connection, and `close` comes after the last one.

  private let database: SimulatedDatabase
  /// The content before the transaction that is open; nil if none is.
  private var before: SimulatedContent?
  private var pending: [String] = []
  private var noticeCount = 0
  private var isClosed = false

  init(_ database: SimulatedDatabase) {
    self.database = database
    noticeCount = database.notices.withLock { $0.count }
  }

  deinit { close() }

  func close() {
    isClosed = true
    endTransaction(commits: false)
  }

  private func endTransaction(commits: Bool) {
    guard let before else { return }
    if !commits { database.content.withLock { $0 = before } }
    self.before = nil
    database.turn.signal()
    if commits { notify() }
  }

  private func notify() {
    database.notices.withLock { $0 += pending }
    pending = []
  }

  func run(_ calls: [DatabaseCall]) throws(DatabaseError) -> [DatabaseRows] {
    guard !isClosed else { throw .lost("it is closed") }
    var rows: [DatabaseRows] = []
    // Statements outside of a transaction are one together.
    for call in calls {
      switch call.statement {
      case Statements.begin:
        guard database.turn.wait(timeout: .now() + 20) == .success else {
          throw .refused(code: "55P03", "another transaction is open")
        }
        before = database.content.withLock { $0 }
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
        if before == nil { notify() }
        rows.append([])
      case Statements.listen: rows.append([])
      default: rows.append(try perform(call))
      }
    }
    return rows
  }

  private func perform(_ call: DatabaseCall) throws(DatabaseError) -> DatabaseRows {
    let isAlone = before == nil
    if isAlone {
      guard database.turn.wait(timeout: .now() + 20) == .success else {
        throw .refused(code: "55P03", "another transaction is open")
      }
    }
    defer { if isAlone { database.turn.signal() } }
    let result = database.content.withLock { content -> Result<DatabaseRows, DatabaseError> in
      do throws(DatabaseError) {
        return .success(try content.perform(call))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  func messages(within milliseconds: Int) throws(DatabaseError) -> [String] {
    let deadline = Deadline(milliseconds: milliseconds)
    while !isClosed {
      let found = database.notices.withLock { Array($0.dropFirst(noticeCount)) }
      noticeCount += found.count
      if !found.isEmpty || deadline.isOver { return found }
      usleep(1_000)
    }
    throw .lost("it is closed")
  }
}
#endif
