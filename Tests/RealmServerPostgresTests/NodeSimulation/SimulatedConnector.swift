// SPDX-License-Identifier: Apache-2.0

// The way of a process to the database.

#if Postgres
@testable import RealmServerPostgres

/// Connects a process to the simulated database.
struct SimulatedConnector: DatabaseConnector {
  // The simulation keeps its processes, and outlives what they have.
  private unowned let simulation: NodeSimulation
  private unowned let process: SimulatedProcess

  init(_ simulation: NodeSimulation, _ process: SimulatedProcess) {
    self.simulation = simulation
    self.process = process
  }

  func connect() throws(DatabaseError) -> any DatabaseLink {
    guard simulation.reachesDatabase(process) else { throw .unreachable("it is cut off") }
    let link = SimulatedNodeLink(try simulation.database.connect(), simulation, process)
    process.add(link)
    return link
  }
}
#endif
