// SPDX-License-Identifier: Apache-2.0

// Why a query cannot be run.

package import RealmStorage

/// A query does not fit the schema, or the database could not be read.
package enum QueryError: Error, Hashable, Sendable {
  /// The query is at fault; the text says how.
  case invalid(String)
  /// The file is.
  case storage(StorageError)
}

extension QueryError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .invalid(let text): text
    case .storage(let error): error.description
    }
  }
}

extension QueryError {
  static func unknownProperty(
    _ name: String, in path: PropertyPath, of type: String
  ) -> QueryError {
    .invalid(
      "Invalid keypath '\(path.text)': Property '\(name)' not found in object of type '\(type)'")
  }

  static func notALink(_ name: String, of type: String, in path: PropertyPath) -> QueryError {
    .invalid(
      "Invalid keypath '\(path.fullText)': Property '\(type).\(name)' is not a link or collection "
        + "and can only appear at the end of a keypath.")
  }

  static func typeMismatch(
    _ value: String, of type: String, path: PropertyPath, _ columnType: String
  ) -> QueryError {
    .invalid(
      "Cannot compare value '\(value)' of type '\(type)' to property '\(path.fullText)' of type "
        + "'\(columnType)'")
  }

  /// Runs `body`, and reports what the storage engine throws as an error of the query.
  static func widen<R>(_ body: () throws(StorageError) -> R) throws(QueryError) -> R {
    do throws(StorageError) {
      return try body()
    } catch {
      throw .storage(error)
    }
  }
}
