// SPDX-License-Identifier: Apache-2.0

// Statements and their parameters.

#if Postgres
/// A statement. Each connection prepares it once under its name.
package struct DatabaseStatement: Hashable, Sendable {
  package let name: String
  package let sql: String

  package init(_ name: String, _ sql: String) {
    self.name = name
    self.sql = sql
  }

  /// The statement with values for its parameters.
  package func callAsFunction(_ values: DatabaseValue...) -> DatabaseCall {
    DatabaseCall(statement: self, values: values)
  }
}

/// A statement with values for its parameters.
package struct DatabaseCall: Hashable, Sendable {
  package let statement: DatabaseStatement
  package let values: [DatabaseValue]
}
#endif
