// SPDX-License-Identifier: Apache-2.0

// Mistakes in queries. Where the query is part of the program, they trap; where it comes from
// outside, they are errors that the program can catch.

import RealmQuery
import RealmSession
import RealmStorage

/// Traps for a mistake in a query, or for a file that cannot be read.
func stop(_ error: QueryError) -> Never {
  switch error {
  case .invalid(let text, _): throwRealmException(text)
  case .storage(let error): stop(error)
  }
}

/// The result of `body`. Traps for a query that does not fit the schema.
///
/// - Parameter query: The query string that the program has written, for the message.
func trappingMistakes<R>(
  in query: String? = nil, _ body: @autoclosure () throws(QueryError) -> R
) throws(StorageError) -> R {
  do throws(QueryError) { return try body() } catch {
    if case .storage(let error) = error { throw error }
    guard let query else { stop(error) }
    throwRealmException(error.text(in: query))
  }
}

extension QueryParsingError {
  /// The result of `body`, which reads `query`.
  ///
  /// - Throws: `QueryParsingError` for a mistake.
  static func reporting<R>(
    in query: String, _ body: @autoclosure () throws(QueryError) -> R
  ) throws(QueryParsingError) -> R {
    do throws(QueryError) { return try body() } catch {
      guard case .invalid = error else { stop(error) }
      throw QueryParsingError(query: query, error)
    }
  }
}
