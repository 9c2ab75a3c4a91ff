// SPDX-License-Identifier: Apache-2.0

// Why a query string cannot be read, and where.

/// A query string is not one.
package struct QuerySyntaxError: Error, Hashable, Sendable {
  /// The query.
  package let query: String
  /// The character that cannot be read, counted from 1; one past the last at the end.
  package let column: Int
  /// What would have been right there.
  package let expected: String
  /// What stands there.
  package let found: String
}

extension QuerySyntaxError: CustomStringConvertible {
  package var description: String {
    "Invalid predicate: expected \(expected) at column \(column), found \(found), in: \(query)"
  }
}
