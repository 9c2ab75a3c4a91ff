// SPDX-License-Identifier: Apache-2.0

// What a simulation has to meet.

#if Postgres
/// The kinds of troubles, and of what follows from them.
enum SimulationTrouble: String, CaseIterable {
  /// Statements do not arrive.
  case lostStatements
  /// The first ones of several statements arrive.
  case someStatements
  /// Statements arrive after their connection was lost.
  case lateStatements
  /// Statements are carried out, and their answers are lost.
  case lostAnswers
  /// A process waits at a statement for longer than a lease.
  case longWaits
  /// A client loses its connection.
  case lostClients
  /// Two nodes lose their connection.
  case cutNodes
  /// A node is cut off from the database.
  case cutDatabase
  /// All connections to the database break.
  case failovers
  /// A process is killed.
  case kills
  /// A process stands still.
  case pauses
  /// The clock of the database jumps.
  case databaseClocks
  /// The clocks of a node jump.
  case nodeClocks
  /// A node closes its realms.
  case closedRealms
  /// A node ends its sessions, as it is to stop.
  case stops
  /// Versions are trimmed.
  case trims
  /// A checkpoint is made.
  case checkpoints
  /// An append finds that another node is the owner.
  case fences
  /// A node connects to the owner of the realm.
  case forwarded
  /// A node confirms a document.
  case documents
  /// A client erases an object.
  case erasures
  /// A client erases an object that another one has erased.
  case repeatedErasures
  /// A client moves an object that another one has erased.
  case lateMoves
}
#endif
