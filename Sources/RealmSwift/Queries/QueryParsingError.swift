// SPDX-License-Identifier: Apache-2.0

// The error of query strings that come from outside of the program.

public import Foundation

/// A query string cannot be read, does not fit the properties of the class, or lacks arguments.
///
/// ```swift
/// do {
///   found = try people.filter(parsing: input)
/// } catch let error as QueryParsingError {
///   show(error.localizedDescription, markedAt: error.column)
/// }
/// ```
public struct QueryParsingError: Error, Hashable, Sendable {
  /// The string.
  public let query: String
  /// The character in question, counted from 1; one past the last at the end of the string. Nil
  /// where the mistake is at no single place, as with a missing argument.
  public let column: Int?
  /// What is wrong, and what was expected.
  public let localizedDescription: String

  init(query: String, _ mistake: QueryMistake) {
    self.query = query
    localizedDescription = mistake.text
    column =
      mistake.column
      ?? mistake.keyPath.flatMap { query.range(of: $0) }.map {
        query.distance(from: query.startIndex, to: $0.lowerBound) + 1
      }
  }
}

extension QueryParsingError: LocalizedError, CustomStringConvertible {
  /// What is wrong, and what was expected.
  public var errorDescription: String? { localizedDescription }
  /// What is wrong, and what was expected.
  public var description: String { localizedDescription }
}
