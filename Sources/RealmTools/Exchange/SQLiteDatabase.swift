// SPDX-License-Identifier: Apache-2.0

// A database of SQLite.

#if Tools
import Foundation
import RealmStorage

/// An open database, confined to one user at a time.
final class SQLiteDatabase {
  /// A value of a cell.
  enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    case blob([UInt8])
  }

  let path: String
  private let library: SQLiteLibrary
  private let handle: Int

  /// - Parameter creates: Whether the database is made, to be written; otherwise it is read only.
  init(path: String, creates: Bool) throws(ToolFailure) {
    library = try SQLiteLibrary.required()
    self.path = path
    if !creates, !FileManager.default.fileExists(atPath: path) {
      throw ToolFailure(.noInput, "There is no file '\(path)'. Check the path.")
    }
    var handle = 0
    // SQLITE_OPEN_READONLY; SQLITE_OPEN_READWRITE and SQLITE_OPEN_CREATE.
    let flags: Int32 = creates ? 2 | 4 : 1
    let library = library
    let code = unsafe withUnsafeMutablePointer(to: &handle) { handle in
      unsafe path.withCString {
        library.open(Int(bitPattern: $0), Int(bitPattern: handle), flags, 0)
      }
    }
    guard code == 0, handle != 0 else {
      _ = library.close(handle)
      throw ToolFailure(.inputOutput, "'\(path)' cannot be opened with SQLite (code \(code)).")
    }
    self.handle = handle
  }

  deinit { _ = library.close(handle) }

  fileprivate func failure() -> ToolFailure {
    let message = unsafe UnsafePointer<CChar>(bitPattern: library.message(handle))
    let text = unsafe message.map { unsafe String(cString: $0) } ?? "unknown"
    // SQLITE_IOERR and SQLITE_FULL, and their variants with more bits for the reason.
    let isDisk = [10, 13].contains(library.errorCode(handle) & 0xFF)
    return ToolFailure(isDisk ? .inputOutput : .badData, "SQLite refused '\(path)': \(text).")
  }

  /// A statement, to be run any number of times.
  func prepare(_ sql: String) throws(ToolFailure) -> Statement {
    var statement = 0
    let code = unsafe withUnsafeMutablePointer(to: &statement) { statement in
      unsafe sql.withCString {
        library.prepare(
          handle, Int(bitPattern: $0), -1, Int(bitPattern: statement), 0)
      }
    }
    guard code == 0, statement != 0 else { throw failure() }
    return Statement(self, library, statement)
  }

  /// Runs a statement, and calls `body` with each row until it says false.
  func run(
    _ sql: String, _ values: [Value] = [], _ body: ([Value]) throws -> Bool = { _ in true }
  ) throws {
    try prepare(sql).run(values, body)
  }

  func rows(_ sql: String, _ values: [Value] = []) throws -> [[Value]] {
    var rows: [[Value]] = []
    try run(sql, values) { row in
      rows.append(row)
      return true
    }
    return rows
  }

  /// A prepared statement.
  final class Statement {
    private let database: SQLiteDatabase
    private let library: SQLiteLibrary
    private let handle: Int

    fileprivate init(_ database: SQLiteDatabase, _ library: SQLiteLibrary, _ handle: Int) {
      self.database = database
      self.library = library
      self.handle = handle
    }

    deinit { _ = library.finalize(handle) }

    /// Runs the statement with values, and calls `body` with each row until it says false.
    func run(_ values: [Value] = [], _ body: ([Value]) throws -> Bool = { _ in true }) throws {
      _ = library.reset(handle)
      for (index, value) in values.enumerated() {
        guard bind(value, Int32(index + 1)) == 0 else { throw database.failure() }
      }
      while true {
        switch library.step(handle) {
        // SQLITE_ROW
        case 100:
          let row = (0..<library.columnCount(handle)).map(cell)
          guard try body(row) else {
            _ = library.reset(handle)
            return
          }
        // SQLITE_DONE
        case 101: return
        default: throw database.failure()
        }
      }
    }

    /// Runs a statement without rows, with the values that `bind` gave it.
    func runBound() throws(ToolFailure) {
      // SQLITE_DONE
      guard library.step(handle) == 101 else { throw database.failure() }
      _ = library.reset(handle)
    }

    /// Binds a value, which stays until another takes its place. Parameters are counted from 1.
    func bind(_ value: Value, at index: Int) throws(ToolFailure) {
      guard bind(value, Int32(index)) == 0 else { throw database.failure() }
    }

    /// Binds a text, whose bytes must live until the statement was run.
    func bind(text: ByteView, at index: Int) throws(ToolFailure) {
      guard let start = unsafe text.bytes.baseAddress else { return try bind(.text(""), at: index) }
      // SQLITE_STATIC: SQLite does not copy the bytes.
      let code = library.bindText(
        handle, Int32(index), Int(bitPattern: start), Int32(text.count), 0)
      guard code == 0 else { throw database.failure() }
    }

    private func bind(_ value: Value, _ index: Int32) -> Int32 {
      // SQLITE_TRANSIENT: SQLite copies the bytes before it returns.
      let transient = -1
      switch value {
      case .null: return library.bindNull(handle, index)
      case .integer(let number): return library.bindInteger(handle, index, number)
      case .double(let number): return library.bindDouble(handle, index, number)
      case .text(let text):
        // The zero behind the bytes gives an empty text an address; without one it would be null.
        return unsafe (Array(text.utf8) + [0]).withUnsafeBytes {
          library.bindText(
            handle, index, Int(bitPattern: $0.baseAddress), Int32($0.count - 1), transient)
        }
      case .blob(let bytes):
        return unsafe (bytes + [0]).withUnsafeBytes {
          library.bindBlob(
            handle, index, Int(bitPattern: $0.baseAddress), Int32(bytes.count), transient)
        }
      }
    }

    private func cell(_ index: Int32) -> Value {
      switch library.columnType(handle, index) {
      case 1: return .integer(library.columnInteger(handle, index))
      case 2: return .double(library.columnDouble(handle, index))
      case 3: return .text(String(decoding: bytes(index), as: UTF8.self))
      case 4: return .blob(bytes(index))
      default: return .null
      }
    }

    /// The bytes of a text or of data.
    private func bytes(_ index: Int32) -> [UInt8] {
      let address = library.columnBlob(handle, index)
      guard let start = unsafe UnsafeRawPointer(bitPattern: address) else { return [] }
      let count = Int(library.columnByteCount(handle, index))
      return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
  }
}
#endif
