// SPDX-License-Identifier: Apache-2.0

// The connections of a node to the database, in which the simulation stops and breaks them.

#if Postgres
@testable import RealmServerPostgres

/// A connection of a process.
final class SimulatedNodeLink: DatabaseLink, @unchecked Sendable {
  // Sendable: the thread of the simulation alone uses it (`GlobalExecutorHook`).

  private unowned let simulation: NodeSimulation
  unowned let process: SimulatedProcess
  /// Nil once it is closed.
  private(set) var base: (any DatabaseLink)?

  init(
    _ base: any DatabaseLink, _ simulation: NodeSimulation, _ process: SimulatedProcess
  ) {
    self.base = base
    self.simulation = simulation
    self.process = process
  }

  var isOpen: Bool { base != nil }

  func run(_ calls: [DatabaseCall]) throws(DatabaseError) -> [DatabaseRows] {
    try simulation.run(calls, on: self)
  }

  func messages(within milliseconds: Int) throws(DatabaseError) -> [String] {
    guard let base, simulation.reachesDatabase(process) else { throw .lost("it is cut off") }
    return try base.messages(within: 0)
  }

  func close() { abandon() }

  /// Ends the connection, whose transaction is rolled back.
  func abandon() {
    base?.close()
    base = nil
  }

  /// Takes the connection away from the process, with its open transaction.
  func takeBase() -> (any DatabaseLink)? { base.take() }
}
#endif
