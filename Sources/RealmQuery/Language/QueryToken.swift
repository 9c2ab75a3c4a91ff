// SPDX-License-Identifier: Apache-2.0

// The words of the query language.

/// A piece of a query string, and where it begins.
struct QueryToken: Hashable {
  enum Kind: Hashable {
    /// A name or a keyword; the position decides which.
    case word(String)
    /// A name that is never a keyword, written with `#`.
    case escapedWord(String)
    /// `@count` and the like, without the sign.
    case function(String)
    case integer(Int64)
    case number(Double)
    /// A number with more digits than a `Double` keeps.
    case longNumber(String)
    case string(String)
    /// `%@`, `%d` and the like: the next argument.
    case argument
    /// `%K`: the next argument, which is a key path.
    case keyPathArgument
    /// `$0`: the argument of that number.
    case numberedArgument(Int)
    /// `$K0`: the argument of that number, which is a key path.
    case numberedKeyPath(Int)
    /// `$x`: the variable of a subquery.
    case variable(String)
    /// A time in seconds and nanoseconds.
    case time(Int64, Int32)
    /// An operator or a bracket.
    case symbol(String)
    case end
  }

  let kind: Kind
  /// The number of scalars in front of it.
  let offset: Int

  /// The token as messages show it.
  var text: String {
    switch kind {
    case .word(let word): "'\(word)'"
    case .escapedWord(let word): "'#\(word)'"
    case .function(let name): "'@\(name)'"
    case .integer(let number): "'\(number)'"
    case .longNumber(let text): "'\(text)'"
    case .number(let number): "'\(number)'"
    case .string(let text): "the string \"\(text)\""
    case .argument: "an argument"
    case .keyPathArgument: "'%K'"
    case .numberedArgument(let number): "'$\(number)'"
    case .numberedKeyPath(let number): "'$K\(number)'"
    case .variable(let name): "'$\(name)'"
    case .time: "a time"
    case .symbol(let text): "'\(text)'"
    case .end: "the end"
    }
  }
}
