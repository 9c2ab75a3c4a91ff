// SPDX-License-Identifier: Apache-2.0

// A query of the command line: a class, a condition, an order.

/// A query as it stands on the command line: `Dog WHERE age > 3 SORT(age DESC) LIMIT(20)`.
package struct QueryRequest: Hashable, Sendable {
  package let className: String
  /// The condition and the rest, in the language of `filter(_:)`.
  package let predicate: String
  /// How many characters of the whole text precede the predicate.
  package let offset: Int

  private static let modifiers = ["SORT", "DISTINCT", "LIMIT", "OFFSET"]

  /// Reads `Class`, `Class WHERE condition …` and `Class SORT(…) …`.
  package init(_ text: String) throws(ToolFailure) {
    let start = text.firstIndex { !$0.isWhitespace } ?? text.endIndex
    var rest = text[start...]
    if rest.first == "`" {
      rest = rest.dropFirst()
      guard let end = rest.firstIndex(of: "`") else {
        throw .usage("The name of the class has no second \"`\", in: \(text)")
      }
      className = String(rest[..<end])
      rest = rest[rest.index(after: end)...]
    } else {
      let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      className = String(name)
      rest = rest.dropFirst(name.count)
    }
    guard !className.isEmpty else {
      throw .usage(
        "A query begins with the name of a class: 'Dog WHERE age > 3 SORT(age DESC) LIMIT(20)'. "
          + "'realm schema FILE' lists the classes.")
    }
    rest = rest.drop { $0.isWhitespace }
    let word = rest.prefix { $0.isLetter }
    if word.uppercased() == "WHERE" {
      rest = rest.dropFirst(word.count).drop { $0.isWhitespace }
      guard !rest.isEmpty else { throw .usage("There is no condition after WHERE, in: \(text)") }
      predicate = String(rest)
      offset = text.distance(from: text.startIndex, to: rest.startIndex)
    } else if rest.isEmpty {
      predicate = "TRUEPREDICATE"
      offset = 0
    } else if Self.modifiers.contains(word.uppercased()) {
      predicate = "TRUEPREDICATE " + rest
      offset = text.distance(from: text.startIndex, to: rest.startIndex) - 14
    } else {
      let column = text.distance(from: text.startIndex, to: rest.startIndex) + 1
      throw .usage(
        "Expected WHERE, SORT, DISTINCT, LIMIT or OFFSET at column \(column), in: \(text)\n"
          + QueryRequest.marker(text, column: column))
    }
  }

  /// The text again with a mark below the character at `column`, counted from 1.
  static func marker(_ text: String, column: Int) -> String {
    "  \(text)\n  " + String(repeating: " ", count: max(column - 1, 0)) + "^"
  }
}
