// SPDX-License-Identifier: Apache-2.0

// PostgreSQL's libpq, as the system has it.
//
// The library is loaded when a server with the option --store starts (`SystemLibrary`).

#if Postgres
import RealmStorage

/// The functions of libpq for a connection, with the types of its header `libpq-fe.h`.
///
/// They are the same since version 14, the first one with pipelines.
@safe
struct Libpq: Sendable {
  /// `PGconn *`.
  typealias Connection = OpaquePointer
  /// `PGresult *`.
  typealias Result = OpaquePointer
  typealias Text = UnsafePointer<CChar>
  typealias Texts = UnsafePointer<UnsafePointer<CChar>?>

  /// The offset of the text in a `PGnotify`, after a pointer and an `int`.
  static let textOffset = 2 * MemoryLayout<Int>.size

  // Opening.
  let connectStart: @convention(c) (Texts, Texts, Int32) -> Connection?
  let connectPoll: @convention(c) (Connection) -> Int32
  let status: @convention(c) (Connection) -> Int32
  let socket: @convention(c) (Connection) -> Int32
  let errorMessage: @convention(c) (Connection) -> Text?
  let finish: @convention(c) (Connection) -> Void
  let setNonblocking: @convention(c) (Connection, Int32) -> Int32
  /// Returns an array of `PQconninfoOption`, to be freed by `freeParsed`.
  let parse:
    @convention(c) (Text, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?)
      -> UnsafeMutableRawPointer?
  let freeParsed: @convention(c) (UnsafeMutableRawPointer?) -> Void
  let enterPipelineMode: @convention(c) (Connection) -> Int32
  let setNoticeProcessor:
    @convention(c) (
      Connection, @convention(c) (UnsafeMutableRawPointer?, Text?) -> Void,
      UnsafeMutableRawPointer?
    ) -> UnsafeRawPointer?

  // Statements.
  let sendPrepare: @convention(c) (Connection, Text, Text, Int32, UnsafePointer<UInt32>?) -> Int32
  let sendQueryPrepared:
    @convention(c) (
      Connection, Text, Int32, Texts?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
    ) -> Int32
  let pipelineSync: @convention(c) (Connection) -> Int32
  let flush: @convention(c) (Connection) -> Int32
  let consumeInput: @convention(c) (Connection) -> Int32
  let isBusy: @convention(c) (Connection) -> Int32
  let getResult: @convention(c) (Connection) -> Result?
  /// A `PGnotify *`, to be freed.
  let notifies: @convention(c) (Connection) -> UnsafeMutableRawPointer?
  let freeMemory: @convention(c) (UnsafeMutableRawPointer?) -> Void

  // Results.
  let resultStatus: @convention(c) (Result) -> Int32
  let errorField: @convention(c) (Result, Int32) -> Text?
  let clear: @convention(c) (Result) -> Void
  let rowCount: @convention(c) (Result) -> Int32
  let columnCount: @convention(c) (Result) -> Int32
  let columnType: @convention(c) (Result, Int32) -> UInt32
  let value: @convention(c) (Result, Int32, Int32) -> Text?
  let valueLength: @convention(c) (Result, Int32, Int32) -> Int32
  let isNull: @convention(c) (Result, Int32, Int32) -> Int32

  /// The library under its usual names, loaded at the first call; or why there is none.
  private static let usual = Swift.Result { () throws(DatabaseError) in
    try Libpq(
      names: [
        "libpq.so.5", "libpq.so", "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
        "/usr/local/opt/libpq/lib/libpq.5.dylib",
      ])
  }

  /// The library of the machine.
  static func found() throws(DatabaseError) -> Libpq { try usual.get() }

  /// Loads the library under the first known one of some names. It stays loaded.
  init(names: [String]) throws(DatabaseError) {
    guard let library = SystemLibrary(names) else {
      throw .unsupported(
        "The option --store needs PostgreSQL's client library, libpq, and this system has none. "
          + "Install it (Debian and Ubuntu: libpq5; Fedora: libpq; Alpine: libpq; macOS: "
          + "brew install libpq).")
    }
    func function<F>(_ name: String) throws(DatabaseError) -> F {
      guard let function: F = unsafe library.function("PQ" + name) else {
        throw .unsupported(
          "The libpq of this system has no function PQ\(name): it is older than version 14. "
            + "Install a newer one.")
      }
      return function
    }
    unsafe connectStart = try function("connectStartParams")
    unsafe connectPoll = try function("connectPoll")
    unsafe status = try function("status")
    unsafe socket = try function("socket")
    unsafe errorMessage = try function("errorMessage")
    unsafe finish = try function("finish")
    unsafe setNonblocking = try function("setnonblocking")
    unsafe parse = try function("conninfoParse")
    unsafe freeParsed = try function("conninfoFree")
    unsafe enterPipelineMode = try function("enterPipelineMode")
    unsafe setNoticeProcessor = try function("setNoticeProcessor")
    unsafe sendPrepare = try function("sendPrepare")
    unsafe sendQueryPrepared = try function("sendQueryPrepared")
    unsafe pipelineSync = try function("pipelineSync")
    unsafe flush = try function("flush")
    unsafe consumeInput = try function("consumeInput")
    unsafe isBusy = try function("isBusy")
    unsafe getResult = try function("getResult")
    unsafe notifies = try function("notifies")
    unsafe freeMemory = try function("freemem")
    unsafe resultStatus = try function("resultStatus")
    unsafe errorField = try function("resultErrorField")
    unsafe clear = try function("clear")
    unsafe rowCount = try function("ntuples")
    unsafe columnCount = try function("nfields")
    unsafe columnType = try function("ftype")
    unsafe value = try function("getvalue")
    unsafe valueLength = try function("getlength")
    unsafe isNull = try function("getisnull")
  }
}
#endif
