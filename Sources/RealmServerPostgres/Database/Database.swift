// SPDX-License-Identifier: Apache-2.0

// The database as the realms of a node share it: its connections, and repeated attempts.
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
  let clock: BlockingClock

  init(
    _ connector: any DatabaseConnector, _ settings: PostgresSettings,
    clock: BlockingClock = .system
  ) {
    self.connector = connector
    self.settings = settings
    self.clock = clock
  }

  /// A connection for the caller alone, never shared.
  func connect() throws(DatabaseError) -> any DatabaseLink { try connector.connect() }

  /// Uses a connection, alone. It has no open transaction when `call` returns.
  func using<R>(
    _ call: (any DatabaseLink) throws(DatabaseError) -> R
  ) throws(DatabaseError) -> R {
    let link: any DatabaseLink
    if let known = idle.withLock({ $0.popLast() }) { link = known } else { link = try connect() }
    do throws(DatabaseError) {
      let result = try call(link)
      keep(link)
      return result
    } catch {
      link.close()
      // A server that refuses is there. That of the idle connections may be gone otherwise.
      if case .refused = error { throw error }
      closeIdle()
      throw error
    }
  }

  /// Keeps a connection for other calls.
  private func keep(_ link: any DatabaseLink) {
    let isKept = idle.withLock { idle in
      guard idle.count < Self.idleCountMax else { return false }
      idle.append(link)
      return true
    }
    if !isKept { link.close() }
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
    try repeating { () throws(DatabaseError) -> [DatabaseRows] in try once(calls) }
  }

  /// Makes an attempt: again and again, until the database answers or patience ends.
  func repeating<R>(_ attempt: () throws(DatabaseError) -> R) throws(StoreError) -> R {
    let deadline = Deadline(milliseconds: settings.patienceMilliseconds, by: clock)
    var backOff = BackOff(by: clock)
    while true {
      do throws(DatabaseError) {
        return try attempt()
      } catch {
        guard error.isTransient, !deadline.isOver else { throw StoreError(error) }
        backOff.pause(until: deadline)
      }
    }
  }

  /// Carries out statements without an open transaction afterwards.
  func once(_ calls: [DatabaseCall]) throws(DatabaseError) -> [DatabaseRows] {
    try using { (link) throws(DatabaseError) -> [DatabaseRows] in try link.run(calls) }
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
