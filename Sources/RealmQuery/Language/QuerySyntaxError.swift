// SPDX-License-Identifier: Apache-2.0

// Mistakes in the syntax of a query string.

/// A query string is not one.
package struct QuerySyntaxError: Error, Hashable, Sendable {
  package let query: String
  /// The character that cannot be read, counted from 1; one past the last at the end.
  package let column: Int
  /// The input that would have been right there.
  package let expected: String
  /// The token that is there.
  package let found: String

  /// The text of an error that is not the query's.
  private let message: String?

  /// - Parameters:
  ///   - offset: the number of scalars in front of the mistake.
  ///   - problem: what is wrong, if it is not the query that is.
  ///   - message: the whole text, if it names no column.
  init(
    query: String, offset: Int, expected: String, found: String, problem: String? = nil,
    message: String? = nil
  ) {
    self.query = query
    let column =
      String(String.UnicodeScalarView(query.unicodeScalars.prefix(offset))).count + 1
    self.column = column
    self.expected = expected
    self.found = found
    self.message =
      message ?? problem.map { "Invalid predicate: \($0), at column \(column), in: \(query)" }
  }
}

extension QuerySyntaxError: CustomStringConvertible {
  package var description: String {
    message
      ?? "Invalid predicate: expected \(expected) at column \(column), found \(found), in: \(query)"
  }
}

extension QueryError {
  package init(_ error: QuerySyntaxError) {
    self = .invalid(error.description, at: .column(error.column))
  }
}
