// SPDX-License-Identifier: Apache-2.0

// LMDB through its C interface: a sorted map of bytes in mapped memory, the floor of what a durable
// database on this machine costs.

import BenchmarkSupport
import CLMDB
import Foundation

/// The packed form of a row: 40 bytes.
///
/// | offset | bytes | what |
/// | --- | --- | --- |
/// | 0 | 16 | name |
/// | 16 | 8 | owner |
/// | 24 | 8 | score |
/// | 32 | 4 | priority |
/// | 36 | 1 | index of the status |
/// | 37 | 1 | done |
private enum Packed {
  static let byteCount = 40

  static func write(_ row: BenchmarkRow, to bytes: UnsafeMutableRawPointer) {
    copy(row.name, to: bytes, count: 16)
    copy(row.owner, to: bytes + 16, count: 8)
    bytes.storeBytes(of: row.score, toByteOffset: 24, as: Double.self)
    bytes.storeBytes(of: Int32(row.priority), toByteOffset: 32, as: Int32.self)
    bytes.storeBytes(of: UInt8(row.status.utf8.count), toByteOffset: 36, as: UInt8.self)
    bytes.storeBytes(of: row.isDone ? 1 : 0, toByteOffset: 37, as: UInt8.self)
  }

  static func priority(_ bytes: UnsafeRawPointer) -> Int {
    Int(bytes.loadUnaligned(fromByteOffset: 32, as: Int32.self))
  }

  static func score(_ bytes: UnsafeRawPointer) -> Double {
    bytes.loadUnaligned(fromByteOffset: 24, as: Double.self)
  }

  static func owner(_ bytes: UnsafeRawPointer) -> UInt64 {
    bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
  }

  static func owner(_ text: String) -> UInt64 {
    var word: UInt64 = 0
    withUnsafeMutableBytes(of: &word) {
      copy(text, to: $0.baseAddress ?? .init(bitPattern: 8)!, count: 8)
    }
    return word
  }

  private static func copy(_ text: String, to bytes: UnsafeMutableRawPointer, count: Int) {
    var text = text
    text.withUTF8 { source in
      if let start = source.baseAddress {
        bytes.copyMemory(from: start, byteCount: min(count, source.count))
      }
    }
  }
}

/// An open environment with its two maps.
private final class Environment {
  let handle: OpaquePointer
  private(set) var todos: MDB_dbi = 0
  private(set) var names: MDB_dbi = 0

  init(path: String) throws {
    var handle: OpaquePointer?
    try check(mdb_env_create(&handle))
    guard let handle else { throw BenchmarkError("LMDB made no environment") }
    self.handle = handle
    try check(mdb_env_set_mapsize(handle, 4 << 30))
    try check(mdb_env_set_maxdbs(handle, 2))
    try check(mdb_env_open(handle, path, UInt32(MDB_NOSUBDIR), 0o644))
    try transaction { transaction in
      try check(
        mdb_dbi_open(transaction, "todo", UInt32(MDB_CREATE) | UInt32(MDB_INTEGERKEY), &todos))
      try check(mdb_dbi_open(transaction, "todos", UInt32(MDB_CREATE), &names))
    }
  }

  deinit { mdb_env_close(handle) }

  func transaction<R>(
    flags: Int32 = 0, _ body: (OpaquePointer) throws -> R
  ) throws -> R {
    var transaction: OpaquePointer?
    try check(mdb_txn_begin(handle, nil, UInt32(flags), &transaction))
    guard let transaction else { throw BenchmarkError("LMDB began no transaction") }
    let result = try body(transaction)
    try check(mdb_txn_commit(transaction))
    return result
  }

  func read<R>(_ body: (OpaquePointer) throws -> R) throws -> R {
    try transaction(flags: MDB_RDONLY, body)
  }
}

private func check(_ code: Int32) throws {
  guard code == 0 else { throw BenchmarkError(String(cString: mdb_strerror(code))) }
}

/// LMDB: durable commits, no write map.
final class LMDBEngine: Engine {
  static let name = "LMDB"

  private let data: BenchmarkData
  private let freshFile: URL
  private let largeFile: URL
  private var fresh: Environment?
  private var large: Environment?
  private var held: [Int] = []

  init(folder: URL, data: BenchmarkData) throws {
    self.data = data
    freshFile = folder.appending(path: "fresh.lmdb")
    largeFile = folder.appending(path: "large.lmdb")
    largeFile.removeDatabase()
  }

  func openFresh() throws {
    fresh = nil
    freshFile.removeDatabase()
    fresh = try Environment(path: freshFile.path)
  }

  func closeFresh() throws { fresh = nil }

  func insert(batch: Int) throws -> Int {
    try insertTodos(try opened(fresh), batch: batch, count: data.count)
  }

  func insertDurably(count: Int) throws -> Int {
    try insertTodos(try opened(fresh), batch: 1, count: count)
  }

  func openLarge() throws {
    guard large == nil else { return }
    let environment = try Environment(path: largeFile.path)
    _ = try insertTodos(environment, batch: data.count, count: data.count)
    try environment.transaction { transaction in
      for row in data.rows {
        try Self.withName(row.name) { key in
          var priority = row.priority
          try withUnsafeMutableBytes(of: &priority) { bytes in
            var value = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
            try check(mdb_put(transaction, environment.names, &key, &value, 0))
          }
        }
      }
    }
    large = environment
  }

  var largeFileByteCount: Int { largeFile.databaseByteCount }

  func hold(_ rows: [Int]) { held = rows }

  func updateDurably(_ updates: [(row: Int, priority: Int)]) throws -> Int {
    let environment = try opened(large)
    for change in updates {
      try environment.transaction { transaction in
        try Self.withNumber(change.row) { key in
          var value = MDB_val()
          try check(mdb_get(transaction, environment.todos, &key, &value))
          try withUnsafeTemporaryAllocation(byteCount: Packed.byteCount, alignment: 8) { copy in
            copy.copyMemory(
              from: UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
            copy.storeBytes(of: Int32(change.priority), toByteOffset: 32, as: Int32.self)
            var changed = MDB_val(mv_size: Packed.byteCount, mv_data: copy.baseAddress)
            try check(mdb_put(transaction, environment.todos, &key, &changed, 0))
          }
        }
      }
    }
    return updates.count
  }

  func lookUpByNumber(_ rows: [Int]) throws -> Int {
    let environment = try opened(large)
    return try environment.read { transaction in
      var sum = 0
      for row in rows {
        try Self.withNumber(row) { key in
          var value = MDB_val()
          try check(mdb_get(transaction, environment.todos, &key, &value))
          sum &+= Packed.priority(value.mv_data)
        }
      }
      return sum
    }
  }

  func lookUpByName(_ rows: [Int]) throws -> Int {
    let environment = try opened(large)
    return try environment.read { transaction in
      var sum = 0
      for row in rows {
        try Self.withName(data.rows[row].name) { key in
          var value = MDB_val()
          try check(mdb_get(transaction, environment.names, &key, &value))
          sum &+= value.mv_data.loadUnaligned(as: Int.self)
        }
      }
      return sum
    }
  }

  /// The key of a row is all that one can hold.
  func readHeld() throws -> Int { try lookUpByNumber(held) }

  func countRange(_ range: Range<Int>) throws -> Int {
    var count = 0
    try forEach { if range.contains(Packed.priority($0)) { count += 1 } }
    return count
  }

  func countOwner(_ owner: String) throws -> Int {
    let wanted = Packed.owner(owner)
    var count = 0
    try forEach { if Packed.owner($0) == wanted { count += 1 } }
    return count
  }

  func sum() throws -> Int {
    var sum = 0
    try forEach { sum &+= Packed.priority($0) }
    return sum
  }

  func iterate() throws -> Int {
    var sum = 0
    try forEach { bytes in
      let name = String(decoding: UnsafeRawBufferPointer(start: bytes, count: 16), as: UTF8.self)
      sum = BenchmarkData.fold(
        sum, Packed.priority(bytes), name.utf8.count, Packed.score(bytes))
    }
    return sum
  }

  func iterateValues() throws -> Int {
    var sum = 0
    try forEach { bytes in
      sum = BenchmarkData.fold(sum, Packed.priority(bytes), 0, Packed.score(bytes))
    }
    return sum
  }

  private func opened(_ environment: Environment?) throws -> Environment {
    guard let environment else { throw BenchmarkError("LMDB is not open") }
    return environment
  }

  @inline(__always)
  private func forEach(_ body: (UnsafeRawPointer) -> Void) throws {
    let environment = try opened(large)
    try environment.read { transaction in
      var cursor: OpaquePointer?
      try check(mdb_cursor_open(transaction, environment.todos, &cursor))
      var key = MDB_val()
      var value = MDB_val()
      while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
        body(value.mv_data)
      }
      mdb_cursor_close(cursor)
    }
  }

  private func insertTodos(_ environment: Environment, batch: Int, count: Int) throws -> Int {
    try withUnsafeTemporaryAllocation(byteCount: Packed.byteCount, alignment: 8) { bytes in
      guard let start = bytes.baseAddress else { return }
      for first in stride(from: 0, to: count, by: batch) {
        try environment.transaction { transaction in
          for row in data.rows[first..<min(first + batch, count)] {
            Packed.write(row, to: start)
            try Self.withNumber(row.id) { key in
              var value = MDB_val(mv_size: Packed.byteCount, mv_data: start)
              try check(
                mdb_put(transaction, environment.todos, &key, &value, UInt32(MDB_APPEND)))
            }
          }
        }
      }
    }
    return count
  }

  @inline(__always)
  private static func withNumber<R>(
    _ number: Int, _ body: (inout MDB_val) throws -> R
  ) rethrows -> R {
    var number = number
    return try withUnsafeMutableBytes(of: &number) { bytes in
      var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
      return try body(&key)
    }
  }

  @inline(__always)
  private static func withName<R>(_ name: String, _ body: (inout MDB_val) throws -> R) rethrows -> R
  {
    var name = name
    return try name.withUTF8 { bytes in
      var key = MDB_val(
        mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      return try body(&key)
    }
  }
}
