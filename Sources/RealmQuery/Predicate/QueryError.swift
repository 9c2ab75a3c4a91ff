// SPDX-License-Identifier: Apache-2.0

// The errors of this module.

package import RealmStorage

/// A query is a mistake or does not fit the schema, or the database could not be read.
package enum QueryError: ErrorAboveStorage, Hashable, Sendable {
  /// The query is at fault; the text says how.
  case invalid(String, at: Position? = nil)
  /// The file is at fault.
  case storage(StorageError)

  /// The part of a query string that is at fault.
  package enum Position: Hashable, Sendable {
    /// The character at which the string cannot be read, counted from 1.
    case column(Int)
    case keyPath(String)
  }
}

extension QueryError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .invalid(let text, _): text
    case .storage(let error): error.description
    }
  }
}

extension QueryError {
  static func unknownProperty(_ name: String, in path: ColumnPath, of type: String) -> QueryError {
    .invalid(
      "Invalid keypath '\(path.text)': Property '\(name)' not found in object of type '\(type)'")
  }

  static func notALink(_ name: String, of type: String, in path: ColumnPath) -> QueryError {
    .invalid(
      "Invalid keypath '\(path.fullText)': Property '\(type).\(name)' is not a link or collection "
        + "and can only appear at the end of a keypath.")
  }

  static func typeMismatch(
    _ value: String, of type: String, path: ColumnPath, _ columnType: String
  ) -> QueryError {
    .invalid(
      "Cannot compare value '\(value)' of type '\(type)' to property '\(path.fullText)' of type "
        + "'\(columnType)'")
  }
}
