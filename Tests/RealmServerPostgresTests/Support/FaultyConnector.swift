// SPDX-License-Identifier: Apache-2.0

// Connections that break at a statement.

#if Postgres
import RealmServerEngine
import RealmServerServices
import Synchronization

@testable import RealmServerPostgres

/// Breaks connections to a database on demand.
final class FaultyConnector: DatabaseConnector {
  enum Point: CaseIterable, Sendable {
    /// The statement does not reach the database.
    case before
    /// It is carried out, and its answer is lost.
    case after
  }

  private struct State {
    var count = 0
    var fault: (number: Int, point: Point)?
    var statementFault: (statement: DatabaseStatement, point: Point)?
    var isUnreachable = false
    var hooks: [DatabaseStatement: @Sendable () -> Void] = [:]
    var connectionHook: (@Sendable () -> Void)?
  }

  private let database: any DatabaseConnector
  private let state = Mutex(State())

  init(_ database: any DatabaseConnector) { self.database = database }

  /// Counts from now on, and breaks the connection at a statement; nil for at none.
  func fail(at number: Int?, _ point: Point = .before) {
    state.withLock { $0 = State(fault: number.map { ($0, point) }) }
  }

  /// Breaks the connection at the next call of a statement. Others may be called meanwhile: servers
  /// look after what they own whenever it is time.
  func fail(at statement: DatabaseStatement, _ point: Point) {
    state.withLock { $0 = State(statementFault: (statement, point)) }
  }

  /// Lets no connection through, or all again.
  func setReachable(_ isReachable: Bool) { state.withLock { $0.isUnreachable = !isReachable } }

  /// Makes a call beside the next caller of a statement, before that one has its answer.
  func onAnswer(to statement: DatabaseStatement, _ call: (@Sendable () -> Void)?) {
    state.withLock { $0.hooks[statement] = call }
  }

  /// Makes a call before the next connection is there, after the fault if one is to come: servers
  /// connect for their notifications whenever there is time.
  func onConnection(_ call: @escaping @Sendable () -> Void) {
    state.withLock { $0.connectionHook = call }
  }

  private func takeConnectionHook() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard state.fault == nil, state.statementFault == nil else { return nil }
      defer { state.connectionHook = nil }
      return state.connectionHook
    }
  }

  fileprivate func takeHook(_ statement: DatabaseStatement) -> (@Sendable () -> Void)? {
    state.withLock { $0.hooks.removeValue(forKey: statement) }
  }

  /// The statements since then.
  var count: Int { state.withLock { $0.count } }

  func connect() throws(DatabaseError) -> any DatabaseLink {
    guard !state.withLock({ $0.isUnreachable }) else { throw .unreachable("a test") }
    if let hook = takeConnectionHook() { hook() }
    return FaultyLink(try database.connect(), self)
  }

  /// The number of statements to let through, and whether the connection breaks then.
  fileprivate func admit(_ calls: [DatabaseCall]) -> Int? {
    state.withLock { state in
      if state.isUnreachable { return 0 }
      let before = state.count
      state.count += calls.count
      if let (statement, point) = state.statementFault,
        let index = calls.firstIndex(where: { $0.statement == statement })
      {
        state.statementFault = nil
        return index + (point == .before ? 0 : 1)
      }
      guard let fault = state.fault, fault.number > before, fault.number <= state.count else {
        return nil
      }
      state.fault = nil
      return fault.number - before - (fault.point == .before ? 1 : 0)
    }
  }
}

private final class FaultyLink: DatabaseLink {
  private let link: any DatabaseLink
  private let connector: FaultyConnector
  /// The connection for notifications is used whenever there is time: its statements do not count.
  private let isListening = Atomic(false)

  init(_ link: any DatabaseLink, _ connector: FaultyConnector) {
    self.link = link
    self.connector = connector
  }

  func run(_ calls: [DatabaseCall]) throws(DatabaseError) -> [DatabaseRows] {
    if calls.contains(where: { $0.statement == Statements.listen }) {
      isListening.store(true, ordering: .relaxed)
    }
    guard !isListening.load(ordering: .relaxed) else { return try link.run(calls) }
    guard let count = connector.admit(calls) else {
      let rows = try link.run(calls)
      for call in calls {
        if let hook = connector.takeHook(call.statement) { hook() }
      }
      return rows
    }
    if count > 0 { _ = try link.run(Array(calls.prefix(count))) }
    link.close()
    throw .lost("a test broke the connection")
  }

  func messages(within milliseconds: Int) throws(DatabaseError) -> [String] {
    try link.messages(within: milliseconds)
  }

  func close() { link.close() }
}
#endif
