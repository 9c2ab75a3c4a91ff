// SPDX-License-Identifier: Apache-2.0

// SQLite through its C interface, with prepared statements and a mapped file.

import BenchmarkSupport
import CSQLite
import Foundation

/// SQLite 3: what the other columns are compared with.
final class SQLiteQueries: QueryEngine {
  static let name = "SQLite"
  /// The file, which GRDB reads as well.
  static let fileName = "queries.sqlite"

  private let database: OpaquePointer
  private var statements: [QueryWorkload: OpaquePointer] = [:]

  init(folder: URL, data: BenchmarkData) throws {
    let file = folder.appending(path: Self.fileName)
    file.removeDatabase()
    var handle: OpaquePointer?
    guard sqlite3_open(file.path, &handle) == SQLITE_OK, let handle else {
      throw BenchmarkError("cannot open \(file.path)")
    }
    database = handle
    try run(
      """
      PRAGMA journal_mode=WAL; PRAGMA cache_size=-262144; PRAGMA temp_store=MEMORY;
      PRAGMA mmap_size=1073741824; PRAGMA wal_autocheckpoint=0;
      CREATE TABLE todo(id INTEGER PRIMARY KEY, name TEXT NOT NULL, owner TEXT, status TEXT,
        priority INTEGER, score REAL, done INTEGER);
      CREATE TABLE indexed(id INTEGER PRIMARY KEY, name TEXT NOT NULL, owner TEXT,
        priority INTEGER);
      CREATE TABLE owner(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE item(id INTEGER PRIMARY KEY, owner INTEGER REFERENCES owner);
      BEGIN
      """)
    for row in data.rows {
      let score = String(row.score)
      try insert(
        "INSERT INTO todo VALUES (?,?,?,?,?,?,?)",
        [
          "\(row.id)", row.name, row.owner, row.status, "\(row.priority)", score,
          row.isDone ? "1" : "0",
        ])
      try insert(
        "INSERT INTO indexed VALUES (?,?,?,?)",
        ["\(row.id)", row.name, row.owner, "\(row.priority)"])
    }
    for number in 0..<100 {
      try insert(
        "INSERT INTO owner VALUES (?,?)", ["\(number)", "owner_\(number / 10)\(number % 10)"])
    }
    for (number, owner) in data.linkedOwners.enumerated() {
      try insert("INSERT INTO item VALUES (?,?)", ["\(number)", "\(owner)"])
    }
    try run(
      """
      CREATE INDEX by_name ON indexed(name); CREATE INDEX by_owner ON indexed(owner);
      CREATE INDEX by_priority ON indexed(priority);
      COMMIT; PRAGMA wal_checkpoint(TRUNCATE); ANALYZE
      """)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    for statement in inserts.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(database)
  }

  func prepare(_ workload: QueryWorkload) throws {
    if statements[workload] == nil { statements[workload] = try prepared(workload.sql) }
  }

  func answer(_ workload: QueryWorkload, _ data: BenchmarkData) throws -> Int {
    guard let statement = statements[workload] else { throw BenchmarkError("not prepared") }
    if workload == .indexedKeys { return try ends(statement) }
    guard workload == .indexedLookUps || workload == .preparedLookUps else {
      return try first(statement)
    }
    var sum = 0
    for row in data.randomRows.prefix(QueryWorkload.lookUpCount) {
      bind(data.rows[row].name, 1, to: statement)
      sum += try first(statement)
    }
    return sum
  }

  /// The first columns of the first and of the last row.
  private func ends(_ statement: OpaquePointer) throws -> Int {
    var (first, last): (Int?, Int) = (nil, 0)
    while sqlite3_step(statement) == SQLITE_ROW {
      last = Int(sqlite3_column_int64(statement, 0))
      first = first ?? last
    }
    sqlite3_reset(statement)
    return (first ?? 0) + last
  }

  /// The first column of the first row.
  private func first(_ statement: OpaquePointer) throws -> Int {
    guard sqlite3_step(statement) == SQLITE_ROW else { throw failure("no row") }
    defer { sqlite3_reset(statement) }
    return sqlite3_column_type(statement, 0) == SQLITE_FLOAT
      ? Int(sqlite3_column_double(statement, 0)) : Int(sqlite3_column_int64(statement, 0))
  }

  // MARK: - Filling

  private var inserts: [String: OpaquePointer] = [:]

  /// Columns convert texts to the numbers that they are declared as.
  private func insert(_ sql: String, _ values: [String]) throws {
    let statement = try inserts[sql] ?? prepared(sql)
    inserts[sql] = statement
    for (index, value) in values.enumerated() { bind(value, Int32(index + 1), to: statement) }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw failure(sql) }
    sqlite3_reset(statement)
  }

  private func bind(_ text: String, _ index: Int32, to statement: OpaquePointer) {
    // Nil would let SQLite keep the address; -1 makes it copy.
    let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), copies)
  }

  private func prepared(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(sql) }
    return statement
  }

  private func run(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  private func failure(_ what: String) -> BenchmarkError {
    BenchmarkError("SQLite: \(what): \(String(cString: sqlite3_errmsg(database)))")
  }
}
