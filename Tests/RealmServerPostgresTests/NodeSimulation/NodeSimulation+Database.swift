// SPDX-License-Identifier: Apache-2.0

// Statements of the nodes on their way to the database, and what happens to them.

#if Postgres
import RealmSyncProtocol
import RealmTestSupport

@testable import RealmServerEngine
@testable import RealmServerServices
@testable import RealmServerPostgres

extension NodeSimulation {
  /// Whether a process reaches the database.
  func reachesDatabase(_ process: SimulatedProcess) -> Bool {
    !process.isKilled && !cutOff.contains(process.node)
  }

  /// Carries statements of a process out, or not.
  func run(
    _ calls: [DatabaseCall], on link: SimulatedNodeLink
  ) throws(DatabaseError) -> [DatabaseRows] {
    let process = link.process
    wait(process, percent: 4)
    try requireOpen(link)
    guard isTroubled, process.parts != nil, random.percent(3) else {
      let rows = try carryOut(calls, on: link)
      wait(process, percent: 3)
      // The answer does not arrive otherwise.
      try requireOpen(link)
      return rows
    }
    try lose(calls, on: link)
    link.abandon()
    throw .lost("the simulation broke it")
  }

  private func requireOpen(_ link: SimulatedNodeLink) throws(DatabaseError) {
    guard link.isOpen, reachesDatabase(link.process) else {
      link.abandon()
      throw .lost("it is closed")
    }
  }

  private func carryOut(
    _ calls: [DatabaseCall], on link: SimulatedNodeLink
  ) throws(DatabaseError) -> [DatabaseRows] {
    guard let base = link.base else { throw .lost("it is closed") }
    return try carryOut(calls, on: base, by: link.process.number)
  }

  /// Carries statements out, and checks the rules afterwards.
  func carryOut(
    _ calls: [DatabaseCall], on base: any DatabaseLink, by process: Int
  ) throws(DatabaseError) -> [DatabaseRows] {
    trace?("  \(process): \(calls.map(\.statement.name).joined(separator: " "))")
    let result: Result<[DatabaseRows], DatabaseError>
    do throws(DatabaseError) {
      result = .success(try base.run(calls))
    } catch {
      trace?("  \(process): \(error)")
      result = .failure(error)
    }
    if case .success(let rows) = result {
      if calls.contains(where: { $0.statement == Statements.setCheckpoint }) { count(.checkpoints) }
      for (call, rows) in zip(calls, rows) where call.statement == Statements.own {
        guard let row = rows.first.flatMap({ try? RealmRow($0) }) else { continue }
        trace?("  \(process) has epoch \(row.head.epoch)")
        rules.own(row.head.epoch, by: process)
      }
    }
    do { try rules.check(database, after: process) } catch { fail("\(error)") }
    return try result.get()
  }

  /// Loses statements or their answers.
  private func lose(
    _ calls: [DatabaseCall], on link: SimulatedNodeLink
  ) throws(DatabaseError) {
    switch random.number(below: 5) {
    case 0:
      count(.lostStatements)
      trace?("  \(link.process.number): nothing arrives")
    case 1:
      count(.someStatements)
      _ = try carryOut(Array(calls.prefix(1 + random.number(below: calls.count))), on: link)
    case 2:
      guard late.isEmpty, let base = link.takeBase() else { return }
      count(.lateStatements)
      trace?("  \(link.process.number): they arrive later")
      late.append(LateCalls(base: base, calls: calls, process: link.process.number))
    default:
      count(.lostAnswers)
      _ = try carryOut(calls, on: link)
    }
  }

  /// Lets statements arrive whose connection was lost before.
  func arriveLate() {
    guard !late.isEmpty else { return }
    let next = late.removeFirst()
    if random.percent(80) {
      _ = try? carryOut(next.calls, on: next.base, by: next.process)
    }
    next.base.close()
  }

  /// Lets other events happen while a process waits.
  private func wait(_ process: SimulatedProcess, percent: Int) {
    // One that starts is not disturbed: it is no process of its node yet.
    guard isTroubled, process.parts != nil, waiting.count < 2, random.percent(percent) else {
      return
    }
    waiting.append(process.number)
    defer { waiting.removeLast() }
    trace?("\(process.name) waits {")
    var eventCount = 1 + random.number(below: 12)
    if random.percent(25) {
      count(.longWaits)
      advance(by: Milliseconds(settings.leaseMilliseconds) + 1)
      eventCount += 40
    }
    for _ in 0..<eventCount { takeEvent() }
    trace?("} \(process.name) goes on")
  }

  /// Blocks the thread of a process for a time.
  func sleep(_ process: SimulatedProcess, _ time: Milliseconds) {
    wait(process, percent: 20)
    advance(by: time)
  }
}
#endif
