// SPDX-License-Identifier: Apache-2.0

// Why a query string makes no query. Where the string is part of the program, that ends it; where
// it comes from outside, it is an error.

import RealmQuery
import RealmSession
import RealmStorage

/// What is wrong with a query string, or with the arguments for it.
struct QueryMistake: Error {
  /// The documented text.
  let text: String
  /// The key path in question; nil if there is none.
  let keyPath: String?
  /// The character at which the string cannot be read, counted from 1.
  let column: Int?

  init(_ text: String, at keyPath: String? = nil) {
    self.text = text
    self.keyPath = keyPath
    column = nil
  }

  init(_ error: QuerySyntaxError) {
    text = "\(error)"
    keyPath = nil
    column = error.column
  }

  /// What `body` returns. Traps where it finds a mistake.
  static func trapping<Value>(_ body: () throws -> Value) -> Value {
    do { return try body() } catch let mistake as QueryMistake {
      throwRealmException(mistake.text)
    } catch QueryError.invalid(let text) {
      throwRealmException(text)
    } catch QueryError.storage(let error) {
      stop(error)
    } catch { throwRealmException("\(error)") }
  }

  /// What `body`, which reads `query`, returns.
  ///
  /// - Throws: `QueryParsingError` for a mistake.
  static func reporting<Value>(in query: String, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let mistake as QueryMistake {
      throw QueryParsingError(query: query, mistake)
    } catch QueryError.invalid(let text) {
      throw QueryParsingError(query: query, QueryMistake(text))
    } catch QueryError.storage(let error) { stop(error) }
  }
}
