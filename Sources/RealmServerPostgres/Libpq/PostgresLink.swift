// SPDX-License-Identifier: Apache-2.0

// A connection to PostgreSQL.
//
// Invariants:
// 1. One call at a time uses the connection: the pool gives it to one.
// 2. Nothing waits without a limit of time, except libpq's lookup of host names, which the system's
//    resolver limits: the socket is never read or written by a blocking call, and a database
//    without an answer in time is given up, and its connection with it.

#if Postgres
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A connection to PostgreSQL.
@safe
final class PostgresLink: DatabaseLink, @unchecked Sendable {
  // Sendable: one call at a time uses the connection (`PostgresLink` 1).

  private let library: Libpq
  private let answerMilliseconds: Int
  /// Nil once it is closed.
  private var connection: Libpq.Connection?
  private var prepared: Set<String> = []

  /// The states of `libpq-fe.h`.
  private enum Code {
    static let connected: Int32 = 0
    static let failed: Int32 = 1
    static let pollingFailed: Int32 = 0
    static let pollingReading: Int32 = 1
    static let pollingWriting: Int32 = 2
    static let pollingDone: Int32 = 3
    static let commandDone: Int32 = 1
    static let rows: Int32 = 2
    static let pipelineEnd: Int32 = 10
    static let givenUp: Int32 = 11
    static let fieldState = Int32(UInt8(ascii: "C"))
    static let fieldMessage = Int32(UInt8(ascii: "M"))
  }

  /// Opens a connection.
  init(
    _ library: Libpq, _ options: [(String, String)], answerMilliseconds: Int,
    connectionMilliseconds: Int
  ) throws(DatabaseError) {
    self.library = library
    self.answerMilliseconds = answerMilliseconds
    let names = CTexts(options.map(\.0))
    let values = CTexts(options.map(\.1))
    // The lists are used through their pointers.
    defer { withExtendedLifetime((names, values)) {} }
    // The string in "dbname" is a connection string.
    guard let opened = unsafe library.connectStart(names.pointer, values.pointer, 1) else {
      throw .unreachable("there is no memory for a connection")
    }
    unsafe connection = opened
    // Warnings of the database are not for the error output of the program.
    _ = unsafe library.setNoticeProcessor(opened, { _, _ in }, nil)
    let deadline = Deadline(milliseconds: connectionMilliseconds)
    // Polling begins as if libpq waited to write.
    var state = Code.pollingWriting
    while state != Code.pollingDone {
      guard state != Code.pollingFailed, unsafe library.status(opened) != Code.failed else {
        throw unreachable()
      }
      guard unsafe wait(opened, writes: state != Code.pollingReading, until: deadline) else {
        throw unreachable("it did not answer in time")
      }
      state = unsafe library.connectPoll(opened)
    }
    guard unsafe library.setNonblocking(opened, 1) == 0,
      unsafe library.enterPipelineMode(opened) == 1
    else { throw unreachable() }
  }

  deinit { close() }

  func close() {
    guard let open = unsafe connection else { return }
    unsafe connection = nil
    unsafe library.finish(open)
  }

  // MARK: Errors

  private var message: String {
    guard let connection = unsafe connection, let text = unsafe library.errorMessage(connection)
    else { return "it is closed" }
    let lines = unsafe String(cString: text).split(whereSeparator: \.isNewline)
    return lines.isEmpty ? "it is closed" : lines.joined(separator: " ")
  }

  private func unreachable(_ reason: String? = nil) -> DatabaseError {
    let error = DatabaseError.unreachable(reason ?? message)
    close()
    return error
  }

  private func lost(_ reason: String? = nil) -> DatabaseError {
    let error = DatabaseError.lost(reason ?? message)
    close()
    return error
  }

  // MARK: Statements

  func run(_ calls: [DatabaseCall]) throws(DatabaseError) -> [DatabaseRows] {
    guard let connection = unsafe connection else { throw .lost("it is closed") }
    // The results are of statements, and of preparations before them.
    var areOfStatements: [Bool] = []
    for call in calls {
      if prepared.insert(call.statement.name).inserted {
        areOfStatements.append(false)
        guard
          unsafe library.sendPrepare(connection, call.statement.name, call.statement.sql, 0, nil)
            == 1
        else { throw lost() }
      }
      areOfStatements.append(true)
      guard unsafe send(call, on: connection) else { throw lost() }
    }
    guard unsafe library.pipelineSync(connection) == 1 else { throw lost() }
    return try unsafe results(areOfStatements, on: connection)
  }

  private func send(_ call: DatabaseCall, on connection: Libpq.Connection) -> Bool {
    var bytes: [UInt8] = []
    var offsets: [Int?] = []
    var lengths: [Int32] = []
    for value in call.values {
      let start = bytes.count
      switch value {
      case .null: break
      case .int(let number):
        for shift in stride(from: 56, through: 0, by: -8) {
          bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
        }
      case .text(let text): bytes += text.utf8
      case .bytes(let value): bytes += value
      }
      offsets.append(value == .null ? nil : start)
      lengths.append(Int32(bytes.count - start))
    }
    // The address of an empty array is none: a value without bytes would be null.
    bytes.append(0)
    let formats = [Int32](repeating: 1, count: call.values.count)
    return unsafe bytes.withUnsafeBufferPointer { buffer in
      let start = unsafe UnsafeRawPointer(buffer.baseAddress)
      let pointers = unsafe offsets.map { offset in
        unsafe offset.flatMap {
          unsafe (start?.advanced(by: $0))?.assumingMemoryBound(to: CChar.self)
        }
      }
      return unsafe library.sendQueryPrepared(
        connection, call.statement.name, Int32(call.values.count), pointers, lengths, formats, 1)
        == 1
    }
  }

  /// Sends the waiting commands, and takes the results of statements.
  private func results(
    _ areOfStatements: [Bool], on connection: Libpq.Connection
  ) throws(DatabaseError) -> [DatabaseRows] {
    let deadline = Deadline(milliseconds: answerMilliseconds)
    var found: [DatabaseRows] = []
    var refusal: DatabaseError?
    var number = 0
    // None after a result ends the results of its command.
    while true {
      try unsafe receive(on: connection, until: deadline)
      guard let result = unsafe library.getResult(connection) else {
        guard unsafe library.status(connection) == Code.connected else { throw lost() }
        guard !deadline.isOver else { throw lost("it did not answer in time") }
        continue
      }
      defer { unsafe library.clear(result) }
      switch unsafe library.resultStatus(result) {
      case Code.pipelineEnd:
        if let refusal { throw refusal }
        guard number == areOfStatements.count else { throw lost("it answered too little") }
        return found
      case Code.rows, Code.commandDone:
        let isOfStatement = areOfStatements.indices.contains(number) && areOfStatements[number]
        if isOfStatement { unsafe found.append(rows(of: result)) }
        number += 1
      case Code.givenUp:
        // It follows a refused one.
        number += 1
      default:
        let error = unsafe self.refusal(result)
        if case .lost = error { throw error }
        refusal = error
        number += 1
      }
    }
  }

  private func receive(
    on connection: Libpq.Connection, until deadline: Deadline
  ) throws(DatabaseError) {
    while true {
      let rest = unsafe library.flush(connection)
      guard rest >= 0 else { throw lost() }
      if rest == 0, unsafe library.isBusy(connection) == 0 { return }
      guard unsafe wait(connection, writes: rest == 1, reads: true, until: deadline) else {
        throw lost("it did not answer in time")
      }
      guard unsafe library.consumeInput(connection) == 1 else { throw lost() }
    }
  }

  private func refusal(_ result: Libpq.Result) -> DatabaseError {
    func field(_ code: Int32) -> String {
      unsafe library.errorField(result, code).map { unsafe String(cString: $0) } ?? ""
    }
    let (state, text) = (field(Code.fieldState), field(Code.fieldMessage))
    // The database ends, lost its disk, or is a standby now; without a code libpq itself says so.
    if state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P") || state == "25006" {
      return .lost(text.isEmpty ? message : text)
    }
    return .refused(code: state, text)
  }

  // MARK: Rows

  private func rows(of result: Libpq.Result) -> DatabaseRows {
    let (rowCount, columnCount) =
      unsafe (library.rowCount(result), library.columnCount(result))
    var rows: DatabaseRows = []
    rows.reserveCapacity(Int(rowCount))
    for row in 0..<rowCount {
      var values: [DatabaseValue] = []
      for column in 0..<columnCount {
        values.append(unsafe value(of: result, row, column))
      }
      rows.append(values)
    }
    return rows
  }

  private func value(of result: Libpq.Result, _ row: Int32, _ column: Int32) -> DatabaseValue {
    guard unsafe library.isNull(result, row, column) == 0,
      let start = unsafe library.value(result, row, column)
    else { return .null }
    let bytes = unsafe UnsafeRawBufferPointer(
      start: start, count: Int(library.valueLength(result, row, column)))
    switch unsafe library.columnType(result, column) {
    case 20:
      return .int(unsafe bytes.reduce(0) { $0 << 8 | Int64($1) })
    case 17: return .bytes(unsafe Array(bytes))
    default: return .text(unsafe String(decoding: bytes, as: UTF8.self))
    }
  }

  // MARK: Messages

  func messages(within milliseconds: Int) throws(DatabaseError) -> [String] {
    guard let connection = unsafe connection else { throw .lost("it is closed") }
    var found = unsafe waitingMessages(connection)
    guard found.isEmpty else { return found }
    guard unsafe wait(connection, writes: false, until: Deadline(milliseconds: milliseconds))
    else { return [] }
    guard unsafe library.consumeInput(connection) == 1 else { throw lost() }
    found = unsafe waitingMessages(connection)
    return found
  }

  private func waitingMessages(_ connection: Libpq.Connection) -> [String] {
    var found: [String] = []
    while let notice = unsafe library.notifies(connection) {
      let text = unsafe notice.load(
        fromByteOffset: Libpq.textOffset, as: UnsafePointer<CChar>?.self)
      if let text = unsafe text { unsafe found.append(String(cString: text)) }
      unsafe library.freeMemory(notice)
    }
    return found
  }

  // MARK: Waiting

  /// Waits until the socket can be used. Returns false at the deadline.
  private func wait(
    _ connection: Libpq.Connection, writes: Bool, reads: Bool = false, until deadline: Deadline
  ) -> Bool {
    let events = (writes ? POLLOUT : POLLIN) | (reads ? POLLIN : 0)
    while true {
      var entry = pollfd(
        fd: unsafe library.socket(connection), events: Int16(events), revents: 0)
      guard entry.fd >= 0 else { return true }
      let count = unsafe poll(&entry, 1, Int32(clamping: deadline.millisecondsLeft))
      if count > 0 { return true }
      // A signal is no answer.
      guard count < 0, errno == EINTR, deadline.millisecondsLeft > 0 else { return false }
    }
  }
}

/// Strings for a function of C, as a list with null at its end.
@safe
private final class CTexts {
  private let texts: [UnsafeMutablePointer<CChar>?]
  private let list: UnsafeMutablePointer<UnsafePointer<CChar>?>

  init(_ texts: [String]) {
    unsafe self.texts = unsafe texts.map { unsafe strdup($0) }
    unsafe list = .allocate(capacity: texts.count + 1)
    for index in texts.indices {
      unsafe (list + index).initialize(to: unsafe UnsafePointer(self.texts[index]))
    }
    unsafe (list + texts.count).initialize(to: nil)
  }

  var pointer: UnsafePointer<UnsafePointer<CChar>?> { unsafe UnsafePointer(list) }

  deinit {
    for index in unsafe texts.indices { unsafe free(texts[index]) }
    unsafe list.deallocate()
  }
}
#endif
