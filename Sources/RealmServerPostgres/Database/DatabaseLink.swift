// SPDX-License-Identifier: Apache-2.0

// The seam between a store and its database: statements go down, rows come up. Tests replace what
// is below it by a database in memory, and break it at any statement.

#if Postgres
/// Opens connections to a database.
package protocol DatabaseConnector: Sendable {
  /// Opens a connection. Blocks the thread.
  func connect() throws(DatabaseError) -> any DatabaseLink
}

/// A connection to a database, used by one call at a time.
package protocol DatabaseLink: AnyObject, Sendable {
  /// Carries statements out in order, in one exchange with the database.
  ///
  /// - Returns: The rows of each.
  /// - Throws: After an error the connection is of no use any more. `DatabaseError.refused`: those
  ///   after the refused one were not carried out. `DatabaseError.lost`: nothing is known of any.
  func run(_ calls: [DatabaseCall]) throws(DatabaseError) -> [DatabaseRows]

  /// Waits for notifications by other connections, at most for a time.
  func messages(within milliseconds: Int) throws(DatabaseError) -> [String]

  /// Ends the connection; an open transaction is rolled back.
  func close()
}

/// The rows of a statement.
package typealias DatabaseRows = [[DatabaseValue]]

/// The failure of a database.
package enum DatabaseError: Error, Hashable, Sendable {
  /// There is no connection.
  case unreachable(String)
  /// The connection broke: whether the statements were carried out is not known.
  case lost(String)
  /// The database refused a statement, with the code of the SQL standard.
  case refused(code: String, String)
  /// The machine lacks the database's library.
  case unsupported(String)

  /// Whether the same may go well a little later.
  package var isTransient: Bool {
    switch self {
    case .unreachable, .lost: true
    case .unsupported: false
    case .refused(let code, _):
      // Serialisation, deadlocks; slow locks and statements; too many connections.
      code.hasPrefix("40") || code == "55P03" || code == "57014" || code == "53300"
    }
  }
}

extension DatabaseError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreachable(let reason): "No connection to the database: \(reason)"
    case .lost(let reason): "The connection to the database broke: \(reason)"
    case .refused(let code, let reason): "The database refuses (\(code)): \(reason)"
    case .unsupported(let reason): reason
    }
  }
}
#endif
