// SPDX-License-Identifier: Apache-2.0

// SQLite, as the system has it.
//
// The library is loaded when it is needed. So the package needs no header of SQLite to be built, an
// app links nothing, and where there is no SQLite one command says so.
//
// Pointers are passed as integers: all platforms pass both alike, and their users make them at one
// place each.

import Foundation

/// The functions of SQLite for the tools, with the types of sqlite3.h.
struct SQLiteLibrary: Sendable {
  let open: @convention(c) (Int, Int, Int32, Int) -> Int32
  let close: @convention(c) (Int) -> Int32
  let message: @convention(c) (Int) -> Int
  let errorCode: @convention(c) (Int) -> Int32
  let prepare: @convention(c) (Int, Int, Int32, Int, Int) -> Int32
  let step: @convention(c) (Int) -> Int32
  let reset: @convention(c) (Int) -> Int32
  let finalize: @convention(c) (Int) -> Int32
  let columnCount: @convention(c) (Int) -> Int32
  let columnType: @convention(c) (Int, Int32) -> Int32
  let columnInteger: @convention(c) (Int, Int32) -> Int64
  let columnDouble: @convention(c) (Int, Int32) -> Double
  let columnBlob: @convention(c) (Int, Int32) -> Int
  let columnByteCount: @convention(c) (Int, Int32) -> Int32
  let bindInteger: @convention(c) (Int, Int32, Int64) -> Int32
  let bindDouble: @convention(c) (Int, Int32, Double) -> Int32
  let bindNull: @convention(c) (Int, Int32) -> Int32
  let bindText: @convention(c) (Int, Int32, Int, Int32, Int) -> Int32
  let bindBlob: @convention(c) (Int, Int32, Int, Int32, Int) -> Int32

  /// The library; nil if this machine has none.
  static let shared = SQLiteLibrary()

  private init?() {
    let names = [
      "libsqlite3.so.0", "libsqlite3.so", "libsqlite3.dylib", "/usr/lib/libsqlite3.dylib",
    ]
    guard let library = unsafe names.lazy.compactMap({ unsafe dlopen($0, RTLD_NOW) }).first else {
      return nil
    }
    func function<F>(_ name: String, _ type: F.Type) -> F? {
      guard let symbol = unsafe dlsym(library, "sqlite3_" + name) else { return nil }
      // A symbol is the address of a C function; its type is the one of sqlite3.h, as stated above.
      return unsafe unsafeBitCast(symbol, to: F.self)
    }
    guard
      let open = function("open_v2", (@convention(c) (Int, Int, Int32, Int) -> Int32).self),
      let close = function("close_v2", (@convention(c) (Int) -> Int32).self),
      let message = function("errmsg", (@convention(c) (Int) -> Int).self),
      let errorCode = function("errcode", (@convention(c) (Int) -> Int32).self),
      let prepare = function(
        "prepare_v2", (@convention(c) (Int, Int, Int32, Int, Int) -> Int32).self),
      let step = function("step", (@convention(c) (Int) -> Int32).self),
      let reset = function("reset", (@convention(c) (Int) -> Int32).self),
      let finalize = function("finalize", (@convention(c) (Int) -> Int32).self),
      let columnCount = function("column_count", (@convention(c) (Int) -> Int32).self),
      let columnType = function("column_type", (@convention(c) (Int, Int32) -> Int32).self),
      let columnInteger = function("column_int64", (@convention(c) (Int, Int32) -> Int64).self),
      let columnDouble = function("column_double", (@convention(c) (Int, Int32) -> Double).self),
      let columnBlob = function("column_blob", (@convention(c) (Int, Int32) -> Int).self),
      let columnByteCount = function("column_bytes", (@convention(c) (Int, Int32) -> Int32).self),
      let bindInteger = function("bind_int64", (@convention(c) (Int, Int32, Int64) -> Int32).self),
      let bindDouble = function("bind_double", (@convention(c) (Int, Int32, Double) -> Int32).self),
      let bindNull = function("bind_null", (@convention(c) (Int, Int32) -> Int32).self),
      let bindText = function(
        "bind_text", (@convention(c) (Int, Int32, Int, Int32, Int) -> Int32).self),
      let bindBlob = function(
        "bind_blob", (@convention(c) (Int, Int32, Int, Int32, Int) -> Int32).self)
    else { return nil }
    self.open = open
    self.close = close
    self.message = message
    self.errorCode = errorCode
    self.prepare = prepare
    self.step = step
    self.reset = reset
    self.finalize = finalize
    self.columnCount = columnCount
    self.columnType = columnType
    self.columnInteger = columnInteger
    self.columnDouble = columnDouble
    self.columnBlob = columnBlob
    self.columnByteCount = columnByteCount
    self.bindInteger = bindInteger
    self.bindDouble = bindDouble
    self.bindNull = bindNull
    self.bindText = bindText
    self.bindBlob = bindBlob
  }

  /// The library.
  ///
  /// - Throws: `ToolFailure` with the way to install it.
  static func required() throws(ToolFailure) -> SQLiteLibrary {
    guard let shared else {
      throw ToolFailure(
        .unavailable,
        "This needs SQLite, and libsqlite3 is not installed. On Debian and Ubuntu: "
          + "apt-get install libsqlite3-0.")
    }
    return shared
  }
}
