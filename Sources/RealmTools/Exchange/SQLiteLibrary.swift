// SPDX-License-Identifier: Apache-2.0

// SQLite, as the system has it.
//
// The library is loaded when it is needed (`SystemLibrary`). Where there is none, the commands that
// need it say so.
//
// Pointers are passed as integers: all platforms pass both alike, and their users make them at one
// place each.

#if Tools
import RealmStorage

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
  static let shared = try? SQLiteLibrary()

  private struct Missing: Error {}

  private init() throws(Missing) {
    let names = [
      "libsqlite3.so.0", "libsqlite3.so", "libsqlite3.dylib", "/usr/lib/libsqlite3.dylib",
    ]
    guard let library = SystemLibrary(names) else { throw Missing() }
    func function<F>(_ name: String) throws(Missing) -> F {
      guard let function: F = unsafe library.function("sqlite3_" + name) else { throw Missing() }
      return function
    }
    open = try function("open_v2")
    close = try function("close_v2")
    message = try function("errmsg")
    errorCode = try function("errcode")
    prepare = try function("prepare_v2")
    step = try function("step")
    reset = try function("reset")
    finalize = try function("finalize")
    columnCount = try function("column_count")
    columnType = try function("column_type")
    columnInteger = try function("column_int64")
    columnDouble = try function("column_double")
    columnBlob = try function("column_blob")
    columnByteCount = try function("column_bytes")
    bindInteger = try function("bind_int64")
    bindDouble = try function("bind_double")
    bindNull = try function("bind_null")
    bindText = try function("bind_text")
    bindBlob = try function("bind_blob")
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
#endif
