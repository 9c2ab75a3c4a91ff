// SPDX-License-Identifier: Apache-2.0

// A prepared statement of SQLite.

import BenchmarkSupport
import CSQLite
import Foundation

/// A prepared statement.
final class SQLiteStatement {
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

  /// Inserts a row into the table `todo`.
  func run(binding row: BenchmarkRow) throws {
    bind(row.id, 1)
    bind(row.name, 2)
    bind(row.owner, 3)
    bind(row.status, 4)
    bind(row.priority, 5)
    bind(row.score, 6)
    bind(row.isDone ? 1 : 0, 7)
    _ = try run()
  }
}
