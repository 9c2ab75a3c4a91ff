// SPDX-License-Identifier: Apache-2.0

// The database as the realms of a node share it: its connections, and patience.
//
// Invariants:
// 1. A connection is used by one call at a time, and by none after an error.

#if Postgres
import RealmServerEngine
import RealmStorage

/// The connections to a database.
final class Database: Sendable {
  private static let idleCountMax = 16

  private let connector: any DatabaseConnector
  private let idle = Locked<[any DatabaseLink]>([])
  let settings: PostgresSettings

  init(_ connector: any DatabaseConnector, _ settings: PostgresSettings) {
    self.connector = connector
    self.settings = settings
  }

  var deadline: Deadline { Deadline(milliseconds: settings.patienceMilliseconds) }

  /// A connection for the caller alone.
  func take() throws(DatabaseError) -> any DatabaseLink {
    if let link = idle.withLock({ $0.popLast() }) { return link }
    return try connector.connect()
  }

  /// A connection for the caller alone, never shared.
  func connect() throws(DatabaseError) -> any DatabaseLink { try connector.connect() }

  /// Keeps a connection for other calls. It has no open transaction.
  func giveBack(_ link: any DatabaseLink) {
    let isKept = idle.withLock { idle in
      guard idle.count < Self.idleCountMax else { return false }
      idle.append(link)
      return true
    }
    if !isKept { link.close() }
  }

  /// Ends a connection after an error, and all idle ones: their server may be gone.
  func discard(_ link: any DatabaseLink) {
    link.close()
    closeIdle()
  }

  func closeIdle() {
    let links = idle.withLock { idle in
      defer { idle = [] }
      return idle
    }
    for link in links { link.close() }
  }

  /// Carries out repeatable statements: again and again, until the database
  /// answers or patience ends.
  func repeating(_ calls: [DatabaseCall]) throws(StoreError) -> [DatabaseRows] {
    let deadline = deadline
    var backOff = BackOff()
    while true {
      do throws(DatabaseError) {
        return try once(calls)
      } catch {
        guard error.isTransient, !deadline.isOver else { throw StoreError(error) }
        backOff.pause(until: deadline)
      }
    }
  }

  /// Carries out statements without an open transaction afterwards.
  func once(_ calls: [DatabaseCall]) throws(DatabaseError) -> [DatabaseRows] {
    let link = try take()
    do throws(DatabaseError) {
      let rows = try link.run(calls)
      giveBack(link)
      return rows
    } catch {
      discard(link)
      throw error
    }
  }
}

extension StoreError {
  init(_ error: DatabaseError) { self = .unavailable(error.description) }

  /// Reads a stored row.
  static func reading<R>(
    _ call: @autoclosure () throws(StoredValueError) -> R
  ) throws(StoreError) -> R {
    do throws(StoredValueError) { return try call() } catch { throw .damaged(error.reason) }
  }
}
#endif
