// SPDX-License-Identifier: Apache-2.0

// The error of query strings that come from outside of the program.

public import Foundation
import RealmQuery

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
  /// where the mistake has no single position, as with a missing argument.
  public let column: Int?
  /// The mistake, and the expected input.
  public let localizedDescription: String

  init(query: String, _ error: QueryError) {
    self.query = query
    localizedDescription = error.text(in: query)
    column = error.column(in: query)
  }
}

extension QueryParsingError: LocalizedError, CustomStringConvertible {
  /// The mistake, and the expected input.
  public var errorDescription: String? { localizedDescription }
  /// The mistake, and the expected input.
  public var description: String { localizedDescription }
}
