// SPDX-License-Identifier: Apache-2.0

// GRDB as its documentation advises: a database pool, record types with hand-written row decoding,
// and cached statements.

import BenchmarkSupport
import Foundation
import GRDB

private struct Todo: FetchableRecord, PersistableRecord {
  static let databaseTableName = "todo"

  var row: BenchmarkRow

  init(_ row: BenchmarkRow) { self.row = row }

  init(row: GRDB.Row) {
    self.row = BenchmarkRow(
      id: row[0], name: row[1], owner: row[2], status: row[3], priority: row[4], score: row[5],
      isDone: row[6])
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = row.id
    container["name"] = row.name
    container["owner"] = row.owner
    container["status"] = row.status
    container["priority"] = row.priority
    container["score"] = row.score
    container["done"] = row.isDone
  }
}

private struct NamedTodo: PersistableRecord {
  static let databaseTableName = "todos"

  var name: String
  var priority: Int

  func encode(to container: inout PersistenceContainer) {
    container["name"] = name
    container["priority"] = priority
  }
}

/// GRDB over SQLite, with the same settings as the SQLite column.
final class GRDBEngine: Engine {
  static let name = "GRDB"

  private let data: BenchmarkData
  private let freshFile: URL
  private let largeFile: URL
  private var fresh: DatabasePool?
  private var large: DatabasePool?
  private var held: [Int] = []

  init(folder: URL, data: BenchmarkData) throws {
    self.data = data
    freshFile = folder.appending(path: "fresh.grdb")
    largeFile = folder.appending(path: "large.grdb")
    largeFile.removeDatabase()
  }

  func openFresh() throws {
    try fresh?.close()
    freshFile.removeDatabase()
    fresh = try Self.open(freshFile)
  }

  func closeFresh() throws {
    try fresh?.close()
    fresh = nil
  }

  func insert(batch: Int) throws -> Int {
    try insertTodos(try opened(fresh), batch: batch, count: data.count)
  }

  func insertDurably(count: Int) throws -> Int {
    try insertTodos(try opened(fresh), batch: 1, count: count)
  }

  func openLarge() throws {
    guard large == nil else { return }
    let pool = try Self.open(largeFile)
    _ = try insertTodos(pool, batch: data.count, count: data.count)
    let rows = data.rows
    try pool.write { database in
      for row in rows {
        try NamedTodo(name: row.name, priority: row.priority).insert(database)
      }
    }
    large = pool
  }

  var largeFileByteCount: Int { largeFile.databaseByteCount }

  func hold(_ rows: [Int]) { held = rows }

  func updateDurably(_ updates: [(row: Int, priority: Int)]) throws -> Int {
    let pool = try opened(large)
    for change in updates {
      try pool.write { database in
        let update = try database.cachedStatement(
          sql: "UPDATE todo SET priority = ? WHERE id = ?")
        try update.execute(arguments: [change.priority, change.row])
      }
    }
    return updates.count
  }

  func lookUpByNumber(_ rows: [Int]) throws -> Int {
    try opened(large).read { database in
      let find = try database.cachedStatement(sql: "SELECT priority FROM todo WHERE id = ?")
      var sum = 0
      for row in rows {
        sum &+= try Int.fetchOne(find, arguments: [row]) ?? 0
      }
      return sum
    }
  }

  func lookUpByName(_ rows: [Int]) throws -> Int {
    let names = data.rows
    return try opened(large).read { database in
      let find = try database.cachedStatement(sql: "SELECT priority FROM todos WHERE name = ?")
      var sum = 0
      for row in rows {
        sum &+= try Int.fetchOne(find, arguments: [names[row].name]) ?? 0
      }
      return sum
    }
  }

  /// The key of a row is all that one can hold.
  func readHeld() throws -> Int { try lookUpByNumber(held) }

  func countRange(_ range: Range<Int>) throws -> Int {
    try opened(large).read { database in
      try Todo.filter(
        Column("priority") >= range.lowerBound && Column("priority") < range.upperBound
      ).fetchCount(database)
    }
  }

  func countOwner(_ owner: String) throws -> Int {
    try opened(large).read { try Todo.filter(Column("owner") == owner).fetchCount($0) }
  }

  func sum() throws -> Int {
    try opened(large).read { database in
      try Todo.select(GRDB.sum(Column("priority")), as: Int.self).fetchOne(database) ?? 0
    }
  }

  func iterate() throws -> Int {
    try opened(large).read { database in
      let rows = try GRDB.Row.fetchCursor(
        database, sql: "SELECT priority, name, score FROM todo")
      var sum = 0
      while let row = try rows.next() {
        let name: String = row[1]
        sum = BenchmarkData.fold(sum, row[0], name.utf8.count, row[2])
      }
      return sum
    }
  }

  func iterateValues() throws -> Int {
    try opened(large).read { database in
      let rows = try GRDB.Row.fetchCursor(database, sql: "SELECT priority, score FROM todo")
      var sum = 0
      while let row = try rows.next() { sum = BenchmarkData.fold(sum, row[0], 0, row[1]) }
      return sum
    }
  }

  private func opened(_ pool: DatabasePool?) throws -> DatabasePool {
    guard let pool else { throw BenchmarkError("GRDB is not open") }
    return pool
  }

  /// Opens a database with empty tables, or one that is there.
  static func open(_ file: URL) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA cache_size=-262144; PRAGMA temp_store=MEMORY")
    }
    let pool = try DatabasePool(path: file.path, configuration: configuration)
    // A pool starts with NORMAL, where a commit may be lost with the machine's power.
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous=FULL") }
    try pool.write { database in
      try database.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS todo(id INTEGER PRIMARY KEY, name TEXT NOT NULL,
            owner TEXT, status TEXT, priority INTEGER, score REAL, done INTEGER);
          CREATE TABLE IF NOT EXISTS todos(name TEXT PRIMARY KEY, priority INTEGER) WITHOUT ROWID;
          """)
    }
    return pool
  }

  private func insertTodos(_ pool: DatabasePool, batch: Int, count: Int) throws -> Int {
    for start in stride(from: 0, to: count, by: batch) {
      try Self.insert(data.rows[start..<min(start + batch, count)], into: pool)
    }
    return count
  }

  /// Inserts rows in one transaction.
  static func insert(_ rows: some Sequence<BenchmarkRow>, into pool: DatabasePool) throws {
    try pool.write { database in
      for row in rows { try Todo(row).insert(database) }
    }
  }
}
