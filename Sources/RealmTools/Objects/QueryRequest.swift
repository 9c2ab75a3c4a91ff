// SPDX-License-Identifier: Apache-2.0

// A query of the command line: a class, a condition, an order.

#if Tools
/// A query as it stands on the command line: `Dog WHERE age > 3 SORT(age DESC) LIMIT(20)`.
package struct QueryRequest: Hashable, Sendable {
  package let className: String
  /// The condition and the rest, in the language of `filter(_:)`.
  package let predicate: String
  /// How many characters of the whole text precede the predicate.
  package let offset: Int

  private static let modifiers = ["SORT", "DISTINCT", "LIMIT", "OFFSET"]

  /// Reads `Class`, `Class WHERE condition …` and `Class SORT(…) …`.
  ///
  /// - Parameter names: The classes, of which one with spaces in its name needs no quotes.
  package init(_ text: String, names: [String] = []) throws(ToolFailure) {
    let start = text.firstIndex { !$0.isWhitespace } ?? text.endIndex
    var rest = text[start...]
    if rest.first == "`" {
      rest = rest.dropFirst()
      guard let end = rest.firstIndex(of: "`") else {
        throw .usage("The name of the class has no second \"`\", in: \(text)")
      }
      className = String(rest[..<end])
      rest = rest[rest.index(after: end)...]
    } else if let name = Self.oddName(in: rest, names) {
      className = name
      rest = rest.dropFirst(name.count)
    } else {
      let name = rest.prefix { Self.isPlain($0) }
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
      let hint = Self.hint(for: String(rest)).map { "\n\($0)" } ?? ""
      throw .usage(
        "Expected WHERE, SORT, DISTINCT, LIMIT or OFFSET at column \(column), in: \(text)\n"
          + QueryRequest.marker(text, column: column) + hint)
    }
    try requireOrder(text)
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  /// The longest name of a class with other characters than names of types have, at the beginning
  /// of a text, before its end or a word of queries.
  private static func oddName(in text: Substring, _ names: [String]) -> String? {
    names.filter { name in
      guard name.contains(where: { !isPlain($0) }), text.hasPrefix(name) else { return false }
      let rest = text.dropFirst(name.count)
      guard rest.first.map({ $0.isWhitespace }) ?? true else { return false }
      let word = rest.drop { $0.isWhitespace }.prefix { $0.isLetter }.uppercased()
      return rest.allSatisfy { $0.isWhitespace } || word == "WHERE" || modifiers.contains(word)
    }.max { $0.count < $1.count }
  }

  /// Refuses SQL's order of LIMIT and OFFSET: each part applies to what those before it leave.
  private func requireOrder(_ text: String) throws(ToolFailure) {
    let upper = Self.withoutTexts(predicate).uppercased()
    guard let match = upper.firstMatch(of: #/\bLIMIT\s*\(.*\b(OFFSET)\s*\(/#) else { return }
    let place = upper.distance(from: upper.startIndex, to: match.1.startIndex)
    throw .usage(
      "OFFSET after LIMIT would leave out objects that LIMIT has chosen. The parts apply in their "
        + "order: write OFFSET(20) LIMIT(10) for ten objects after the first twenty, in: \(text)\n"
        + Self.marker(text, column: place + offset + 1))
  }

  /// The hint for a word of SQL that queries write in another way; nil if there is none.
  static func hint(for predicate: String) -> String? {
    let text = withoutTexts(predicate).uppercased()
    if text.contains(#/\b(LIMIT|OFFSET)\s+\d/#) {
      return "LIMIT and OFFSET have their number in parentheses: OFFSET(20) LIMIT(10)."
    }
    if text.contains(#/\bORDER\s+BY\b/#) { return "The order is written SORT(age DESC, name ASC)." }
    if text.contains(#/\bGROUP\s+BY\b/#) {
      return "'realm query' groups with --count-by, and aggregates with --sum, --avg, --min, --max."
    }
    return nil
  }

  /// A predicate with spaces in the place of its quoted texts.
  private static func withoutTexts(_ predicate: String) -> String {
    var quote: Character?
    var isEscaped = false
    return String(
      predicate.map { character in
        if let open = quote {
          if !isEscaped, character == open { quote = nil }
          isEscaped = !isEscaped && character == "\\"
          return " "
        }
        guard character == "'" || character == "\"" else { return character }
        quote = character
        return " "
      })
  }

  /// The text again with a mark below the character at `column`, counted from 1.
  static func marker(_ text: String, column: Int) -> String {
    "  \(text)\n  " + String(repeating: " ", count: max(column - 1, 0)) + "^"
  }
}
#endif
