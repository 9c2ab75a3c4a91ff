// SPDX-License-Identifier: Apache-2.0

// A connection to a database of SQLite, durable and with a write-ahead log.

import BenchmarkSupport
import CSQLite
import Foundation

/// An open database and its statements.
final class SQLiteConnection {
  let handle: OpaquePointer
  private(set) var begin: SQLiteStatement
  private(set) var commit: SQLiteStatement

  /// - Parameter waits: Whether a transaction waits for those of other connections.
  init(path: String, waits: Bool = false) throws {
    var handle: OpaquePointer?
    guard sqlite3_open(path, &handle) == SQLITE_OK, let handle else {
      throw BenchmarkError("cannot open \(path)")
    }
    self.handle = handle
    if waits { sqlite3_busy_timeout(handle, 60_000) }
    for pragma in [
      "journal_mode=WAL", "synchronous=FULL", "cache_size=-262144", "temp_store=MEMORY",
    ] {
      sqlite3_exec(handle, "PRAGMA \(pragma)", nil, nil, nil)
    }
    let schema = """
      CREATE TABLE IF NOT EXISTS todo(id INTEGER PRIMARY KEY, name TEXT NOT NULL, owner TEXT,
        status TEXT, priority INTEGER, score REAL, done INTEGER);
      CREATE TABLE IF NOT EXISTS todos(name TEXT PRIMARY KEY, priority INTEGER) WITHOUT ROWID;
      """
    guard sqlite3_exec(handle, schema, nil, nil, nil) == SQLITE_OK else {
      throw BenchmarkError(String(cString: sqlite3_errmsg(handle)))
    }
    begin = try SQLiteStatement(handle, "BEGIN IMMEDIATE")
    commit = try SQLiteStatement(handle, "COMMIT")
  }

  deinit { sqlite3_close_v2(handle) }

  func statement(_ sql: String) throws -> SQLiteStatement { try SQLiteStatement(handle, sql) }

  func transaction<R>(_ body: () throws -> R) throws -> R {
    _ = try begin.run()
    let result = try body()
    _ = try commit.run()
    return result
  }
}
