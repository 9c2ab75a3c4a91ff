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

  /// What is wrong, if it is not the query that is.
  private let problem: String?

  /// - Parameter offset: the number of scalars in front of the place.
  init(query: String, offset: Int, expected: String, found: String, problem: String? = nil) {
    self.query = query
    column = String(String.UnicodeScalarView(query.unicodeScalars.prefix(offset))).count + 1
    self.expected = expected
    self.found = found
    self.problem = problem
  }
}

extension QuerySyntaxError: CustomStringConvertible {
  package var description: String {
    problem.map { "Invalid predicate: \($0), at column \(column), in: \(query)" }
      ?? "Invalid predicate: expected \(expected) at column \(column), found \(found), in: \(query)"
  }
}
