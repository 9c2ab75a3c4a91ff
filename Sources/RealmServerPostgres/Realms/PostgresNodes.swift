// SPDX-License-Identifier: Apache-2.0

// The servers of a database, and where they are.

#if Postgres
package import RealmServerEngine

/// Tells the addresses of the servers of a database.
package struct PostgresNodes: Sendable {
  private let database: Database
  /// The name of this server.
  package let node: String

  init(_ database: Database, node: String) {
    self.database = database
    self.node = node
  }

  /// Notes where other servers reach this one. Blocks the thread.
  ///
  /// - Parameters:
  ///   - url: Nil if they do not.
  ///   - program: The version of the program, for operators.
  package func announce(_ url: String?, program: String) throws(StoreError) {
    let address = url.map { DatabaseValue.text($0) } ?? .null
    _ = try database.repeating([
      Statements.announce(.text(node), address, .text(program)), Statements.forgetNodes(),
    ])
  }

  /// The other servers that were there in the last half minute: their addresses, or their names
  /// where they have none. Blocks the thread.
  package func present() throws(StoreError) -> [String] {
    let rows = try database.repeating([Statements.presentNodes(.text(node))])[0]
    return rows.compactMap { values in
      let row = DatabaseRowReader(values)
      return row.optionalText(1) ?? row.optionalText(0)
    }
  }

  /// The address of a server; nil if it has none. Blocks the thread.
  package func address(of node: String) throws(StoreError) -> String? {
    let rows = try database.repeating([Statements.nodeAddress(.text(node))])[0]
    return rows.first.flatMap { DatabaseRowReader($0).optionalText(0) }
  }
}
#endif
