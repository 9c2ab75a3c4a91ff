// SPDX-License-Identifier: Apache-2.0

// Comparisons of two values.

/// The operator of a comparison.
package enum ComparisonOperator: Hashable, Sendable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  /// Within two values, both included.
  case between
  /// Equal to one of several values.
  case `in`
  case beginsWith, endsWith, contains
  /// Matches a pattern: `?` represents one character, `*` any number of them, and a character after
  /// a backslash represents itself.
  case like
  /// Has certain words; needs a full-text index.
  case text
  /// Matches a regular expression, which strings may ask for and no type supports.
  case matches

  /// Whether the operator is about parts of a string.
  package var isTextual: Bool {
    switch self {
    case .beginsWith, .endsWith, .contains, .like: true
    default: false
    }
  }

  /// The operator with its sides exchanged; nil if it has none.
  package var mirrored: ComparisonOperator? {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .between, .in, .beginsWith, .endsWith, .contains, .like, .text, .matches: nil
    }
  }

  /// The operator as query strings spell it.
  package var text: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .between: "BETWEEN"
    case .in: "IN"
    case .beginsWith: "BEGINSWITH"
    case .endsWith: "ENDSWITH"
    case .contains: "CONTAINS"
    case .like: "LIKE"
    case .text: "TEXT"
    case .matches: "MATCHES"
    }
  }
}

/// Options of comparisons of strings.
package struct TextOptions: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The options of most comparisons. An empty literal is a call of generic code, which takes a
  /// third as long as a look-up in an index.
  package static var none: TextOptions { TextOptions(rawValue: 0) }
  /// Upper and lower case are the same, accented letters included.
  package static let caseInsensitive = TextOptions(rawValue: 1)
  /// Letters with and without marks are the same.
  package static let diacriticInsensitive = TextOptions(rawValue: 2)

  /// The options as query strings spell them after an operator.
  package var text: String {
    isEmpty
      ? ""
      : "[" + (contains(.caseInsensitive) ? "c" : "")
        + (contains(.diacriticInsensitive) ? "d" : "") + "]"
  }
}
