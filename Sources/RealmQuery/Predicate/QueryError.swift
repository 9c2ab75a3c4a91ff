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
  /// The character at which a query string is at fault, counted from 1; nil if there is none.
  package func column(in query: String) -> Int? {
    switch self {
    case .invalid(_, at: .column(let column)?): return column
    case .invalid(_, at: .keyPath(let path)?) where !path.isEmpty:
      guard let range = query.firstRange(of: path) else { return nil }
      return query.distance(from: query.startIndex, to: range.lowerBound) + 1
    case .invalid, .storage: return nil
    }
  }

  /// The message with the query string that is at fault, and the character.
  package func text(in query: String) -> String {
    guard case .invalid(let text, let position) = self else { return description }
    // Errors of syntax have both.
    if case .column? = position { return text }
    let isSentence = text.hasSuffix(".") || text.hasSuffix("?")
    let place = column(in: query).map { "at column \($0), in: \(query)" } ?? "in: \(query)"
    return isSentence
      ? "\(text) \(place.prefix(1).uppercased())\(place.dropFirst())" : "\(text), \(place)"
  }

  static func unknownProperty(
    _ name: String, in path: ColumnPath, of type: String, among names: [String]
  ) -> QueryError {
    .invalid(
      "Invalid keypath '\(path.text)': Property '\(name)' not found in object of type '\(type)'"
        + AlikeName.hint(for: name, among: names), at: .keyPath(path.text))
  }

  static func notALink(_ name: String, of type: String, in path: ColumnPath) -> QueryError {
    .invalid(
      "Invalid keypath '\(path.fullText)': Property '\(type).\(name)' is not a link or collection "
        + "and can only appear at the end of a keypath.", at: .keyPath(path.fullText))
  }

  static func typeMismatch(
    _ value: String, of type: String, path: ColumnPath, _ columnType: String
  ) -> QueryError {
    .invalid(
      "Cannot compare value '\(value)' of type '\(type)' to property '\(path.fullText)' of type "
        + "'\(columnType)'. \(LiteralHint.text(for: columnType))",
      at: .keyPath(path.fullText))
  }
}
