// SPDX-License-Identifier: Apache-2.0

// SQLite through its C interface, with prepared statements: the measure of the other columns.

import BenchmarkSupport
import CSQLite
import Foundation

/// A prepared statement.
private final class Statement {
  let handle: OpaquePointer
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 128, alignment: 8)

  init(_ database: OpaquePointer, _ sql: String) throws {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(
      database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else {
      throw BenchmarkError("\(sql): \(String(cString: sqlite3_errmsg(database)))")
    }
    self.handle = handle
  }

  deinit {
    sqlite3_finalize(handle)
    scratch.deallocate()
  }

  /// Steps to the end (or to the first row), and resets.
  func run() throws -> Int {
    let code = sqlite3_step(handle)
    guard code == SQLITE_ROW || code == SQLITE_DONE else {
      throw BenchmarkError("step: \(code)")
    }
    let value = code == SQLITE_ROW ? Int(sqlite3_column_int64(handle, 0)) : 0
    sqlite3_reset(handle)
    return value
  }

  func bind(_ value: Int, _ index: Int32) {
    sqlite3_bind_int64(handle, index, Int64(value))
  }

  func bind(_ value: Double, _ index: Int32) {
    sqlite3_bind_double(handle, index, value)
  }

  /// Binds a text whose owner outlives the next step. SQLite makes no copy: small strings have no
  /// address of their own, so these go into a buffer of the statement.
  func bind(_ text: String, _ index: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var start = UnsafeRawPointer(bytes.baseAddress)
      if bytes.count <= Self.smallTextBytes {
        let slot = scratch.baseAddress.map { $0 + Int(index) * Self.smallTextBytes }
        if let start { slot?.copyMemory(from: start, byteCount: bytes.count) }
        start = slot.map { UnsafeRawPointer($0) }
      }
      sqlite3_bind_text(
        handle, index, start?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil)
    }
  }

  private static let smallTextBytes = 15
}

/// An open database and its statements.
private final class Connection {
  let handle: OpaquePointer
  private(set) var begin: Statement
  private(set) var commit: Statement

  init(path: String) throws {
    var handle: OpaquePointer?
    guard sqlite3_open(path, &handle) == SQLITE_OK, let handle else {
      throw BenchmarkError("cannot open \(path)")
    }
    self.handle = handle
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
    begin = try Statement(handle, "BEGIN IMMEDIATE")
    commit = try Statement(handle, "COMMIT")
  }

  deinit { sqlite3_close_v2(handle) }

  func statement(_ sql: String) throws -> Statement { try Statement(handle, sql) }

  func transaction<R>(_ body: () throws -> R) throws -> R {
    _ = try begin.run()
    let result = try body()
    _ = try commit.run()
    return result
  }
}

/// SQLite 3 with prepared statements, write-ahead log, synchronous FULL.
final class SQLiteEngine: Engine {
  static let name = "SQLite"

  private let data: BenchmarkData
  private let freshFile: URL
  private let largeFile: URL
  private var fresh: Connection?
  private var large: Connection?
  private var held: [Int] = []

  init(folder: URL, data: BenchmarkData) throws {
    self.data = data
    freshFile = folder.appending(path: "fresh.sqlite")
    largeFile = folder.appending(path: "large.sqlite")
    largeFile.removeDatabase()
  }

  func openFresh() throws {
    fresh = nil
    freshFile.removeDatabase()
    fresh = try Connection(path: freshFile.path)
  }

  func closeFresh() throws { fresh = nil }

  func insert(batch: Int) throws -> Int {
    let connection = try opened(fresh)
    return try insertTodos(connection, batch: batch, count: data.count)
  }

  func insertDurably(count: Int) throws -> Int {
    try insertTodos(try opened(fresh), batch: 1, count: count)
  }

  func openLarge() throws {
    guard large == nil else { return }
    let connection = try Connection(path: largeFile.path)
    _ = try insertTodos(connection, batch: data.count, count: data.count)
    let insert = try connection.statement("INSERT INTO todos VALUES (?,?)")
    try connection.transaction {
      for row in data.rows {
        insert.bind(row.name, 1)
        insert.bind(row.priority, 2)
        _ = try insert.run()
      }
    }
    large = connection
  }

  func hold(_ rows: [Int]) { held = rows }

  func updateDurably(_ updates: [(row: Int, priority: Int)]) throws -> Int {
    let connection = try opened(large)
    let update = try connection.statement("UPDATE todo SET priority = ? WHERE id = ?")
    for change in updates {
      try connection.transaction {
        update.bind(change.priority, 1)
        update.bind(change.row, 2)
        _ = try update.run()
      }
    }
    return updates.count
  }

  func lookUpByNumber(_ rows: [Int]) throws -> Int {
    let connection = try opened(large)
    let find = try connection.statement("SELECT priority FROM todo WHERE id = ?")
    return try connection.transaction {
      var sum = 0
      for row in rows {
        find.bind(row, 1)
        sum &+= try find.run()
      }
      return sum
    }
  }

  func lookUpByName(_ rows: [Int]) throws -> Int {
    let connection = try opened(large)
    let find = try connection.statement("SELECT priority FROM todos WHERE name = ?")
    return try connection.transaction {
      var sum = 0
      for row in rows {
        find.bind(data.rows[row].name, 1)
        sum &+= try find.run()
      }
      return sum
    }
  }

  /// The key of a row is all that one can hold.
  func readHeld() throws -> Int { try lookUpByNumber(held) }

  func countRange(_ range: Range<Int>) throws -> Int {
    let count = try opened(large).statement(
      "SELECT COUNT(*) FROM todo WHERE priority >= ? AND priority < ?")
    count.bind(range.lowerBound, 1)
    count.bind(range.upperBound, 2)
    return try count.run()
  }

  func countOwner(_ owner: String) throws -> Int {
    let count = try opened(large).statement("SELECT COUNT(*) FROM todo WHERE owner = ?")
    count.bind(owner, 1)
    return try count.run()
  }

  func sum() throws -> Int {
    try opened(large).statement("SELECT SUM(priority) FROM todo").run()
  }

  func iterate() throws -> Int {
    let all = try opened(large).statement("SELECT priority, name, score FROM todo")
    var sum = 0
    while sqlite3_step(all.handle) == SQLITE_ROW {
      let name = sqlite3_column_text(all.handle, 1)
      let length = Int(sqlite3_column_bytes(all.handle, 1))
      let string = String(
        decoding: UnsafeBufferPointer(start: name, count: length), as: UTF8.self)
      sum = BenchmarkData.fold(
        sum, Int(sqlite3_column_int64(all.handle, 0)), string.utf8.count,
        sqlite3_column_double(all.handle, 2))
    }
    return sum
  }

  func iterateValues() throws -> Int {
    let all = try opened(large).statement("SELECT priority, score FROM todo")
    var sum = 0
    while sqlite3_step(all.handle) == SQLITE_ROW {
      sum = BenchmarkData.fold(
        sum, Int(sqlite3_column_int64(all.handle, 0)), 0, sqlite3_column_double(all.handle, 1))
    }
    return sum
  }

  private func opened(_ connection: Connection?) throws -> Connection {
    guard let connection else { throw BenchmarkError("SQLite is not open") }
    return connection
  }

  private func insertTodos(_ connection: Connection, batch: Int, count: Int) throws -> Int {
    let insert = try connection.statement("INSERT INTO todo VALUES (?,?,?,?,?,?,?)")
    for start in stride(from: 0, to: count, by: batch) {
      try connection.transaction {
        for row in data.rows[start..<min(start + batch, count)] {
          insert.bind(row.id, 1)
          insert.bind(row.name, 2)
          insert.bind(row.owner, 3)
          insert.bind(row.status, 4)
          insert.bind(row.priority, 5)
          insert.bind(row.score, 6)
          insert.bind(row.isDone ? 1 : 0, 7)
          _ = try insert.run()
        }
      }
    }
    return count
  }
}
