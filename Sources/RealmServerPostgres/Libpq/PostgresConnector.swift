// SPDX-License-Identifier: Apache-2.0

// Opens connections to PostgreSQL by a connection string.

#if Postgres
package import RealmServerEngine

/// Opens connections to a PostgreSQL database.
package struct PostgresConnector: DatabaseConnector {
  private let library: Libpq
  /// A string in libpq's form: an address, or words with values.
  private let connection: String
  /// The time for an answer of the database.
  private let answerMilliseconds: Int
  /// The time for a connection to one of several hosts.
  private let hostMilliseconds: Int
  private let hosts: PostgresHosts

  /// The connection string may set each of them differently. Several hosts are
  /// tried in order, until one is the primary; one without an answer is left after five seconds.
  private static let defaults = [
    ("application_name", "realm-server"),
    ("target_session_attrs", "read-write"), ("tcp_user_timeout", "5000"),
    ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
  ]

  /// The settings of each connection.
  private static let settings = [
    "SET statement_timeout = 10000", "SET lock_timeout = 5000",
    "SET idle_in_transaction_session_timeout = 30000", "SET client_encoding = 'UTF8'",
    // Acknowledged changes are on the disk, and with the synchronous standbys.
    """
    SELECT set_config('synchronous_commit', 'on', false) \
    WHERE current_setting('synchronous_commit') IN ('off', 'local')
    """,
  ].enumerated().map { DatabaseStatement("set_\($0.offset)", $0.element) }

  /// - Throws: `StoreError.unavailable` if the machine has no libpq.
  package init(
    _ connection: String, answerMilliseconds: Int = 20_000, hostMilliseconds: Int = 5_000
  ) throws(StoreError) {
    do throws(DatabaseError) {
      library = try Libpq.found()
    } catch {
      throw .unavailable(error.description)
    }
    self.connection = connection
    self.answerMilliseconds = answerMilliseconds
    self.hostMilliseconds = min(hostMilliseconds, answerMilliseconds)
    hosts = PostgresHosts(of: connection, library)
  }

  package func connect() throws(DatabaseError) -> any DatabaseLink {
    guard !hosts.choices.isEmpty else { return try connect([], within: answerMilliseconds) }
    var reasons: [String] = []
    for choice in hosts.choices {
      do throws(DatabaseError) {
        return try connect(choice, within: hostMilliseconds)
      } catch .unreachable(let reason) {
        reasons.append(reason)
      } catch .lost(let reason) {
        reasons.append(reason)
      }
    }
    throw .unreachable(reasons.joined(separator: "; "))
  }

  /// Opens a connection to the host of some options.
  private func connect(
    _ choice: [(String, String)], within milliseconds: Int
  ) throws(DatabaseError) -> PostgresLink {
    // What follows the connection string counts more than what it says.
    let options = Self.defaults + [("dbname", connection)] + choice
    let link = try PostgresLink(
      library, options, answerMilliseconds: answerMilliseconds,
      connectionMilliseconds: milliseconds)
    _ = try link.run(Self.settings.map { $0() })
    return link
  }
}
#endif
