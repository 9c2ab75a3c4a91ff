// SPDX-License-Identifier: Apache-2.0

// SQLite through its C interface, with prepared statements: the measure of the other columns.

import BenchmarkSupport
import CSQLite
import Foundation

/// SQLite 3 with prepared statements, write-ahead log, synchronous FULL.
final class SQLiteEngine: Engine {
  static let name = "SQLite"

  private let data: BenchmarkData
  private let freshFile: URL
  private let largeFile: URL
  private var fresh: SQLiteConnection?
  private var large: SQLiteConnection?
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
    fresh = try SQLiteConnection(path: freshFile.path)
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
    let connection = try SQLiteConnection(path: largeFile.path)
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

  var largeFileByteCount: Int { largeFile.databaseByteCount }

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

  private func opened(_ connection: SQLiteConnection?) throws -> SQLiteConnection {
    guard let connection else { throw BenchmarkError("SQLite is not open") }
    return connection
  }

  private func insertTodos(_ connection: SQLiteConnection, batch: Int, count: Int) throws -> Int {
    let insert = try connection.statement("INSERT INTO todo VALUES (?,?,?,?,?,?,?)")
    for start in stride(from: 0, to: count, by: batch) {
      try connection.transaction {
        for row in data.rows[start..<min(start + batch, count)] {
          try insert.run(binding: row)
        }
      }
    }
    return count
  }
}
