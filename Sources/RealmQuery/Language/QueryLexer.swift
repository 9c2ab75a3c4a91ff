// SPDX-License-Identifier: Apache-2.0

// Cuts query strings into tokens. Every input comes to an end: each step takes a character or
// fails.

/// Reads the tokens of one query string.
struct QueryLexer {
  private let query: String
  private let characters: [Character]
  private var position = 0

  init(_ query: String) {
    self.query = query
    characters = Array(query)
  }

  /// All tokens, the end included.
  static func tokens(of query: String) throws(QuerySyntaxError) -> [QueryToken] {
    var lexer = QueryLexer(query)
    var tokens: [QueryToken] = []
    while true {
      let token = try lexer.next()
      tokens.append(token)
      if token.kind == .end { return tokens }
    }
  }

  // MARK: Tokens

  private mutating func next() throws(QuerySyntaxError) -> QueryToken {
    skip(while: \.isWhitespace)
    let start = position
    guard let first = current else { return QueryToken(kind: .end, offset: start) }
    return QueryToken(kind: try kind(startingWith: first), offset: start)
  }

  private mutating func kind(
    startingWith first: Character
  ) throws(QuerySyntaxError) -> QueryToken.Kind {
    switch first {
    case "\"", "'": return .string(try string(until: first))
    case "%": return try substitution()
    case "$": return try dollar()
    case "@":
      position += 1
      return .function(try name("the name of a function"))
    case "#":
      position += 1
      return .escapedWord(try name("a name"))
    case _ where isDigit(first), "." where isDigit(peek(1)): return try number()
    case _ where isNameStart(first):
      if first == "T", isDigit(peek(1)) || peek(1) == "-", let time = secondsTime() { return time }
      return .word(take(while: isNamePart))
    default: return try symbol()
    }
  }

  private static let symbols = [
    "&&", "||", "==", "=<", "=>", "!=", "<=", ">=", "<>", "=", "<", ">", "!", "(", ")", "{", "}",
    "[", "]", ",", ".", "-", "+", "*", "/", ":",
  ]

  private mutating func symbol() throws(QuerySyntaxError) -> QueryToken.Kind {
    for symbol in QueryLexer.symbols where characters[position...].starts(with: symbol) {
      position += symbol.count
      return .symbol(symbol)
    }
    throw error(at: position, expected: "a name, a value or an operator")
  }

  /// `%@`, `%K`, and the formats of numbers with their lengths: all take the next argument.
  private mutating func substitution() throws(QuerySyntaxError) -> QueryToken.Kind {
    let start = position
    position += 1
    while let length = current, "lhqzjt".contains(length) { position += 1 }
    guard let conversion = current, "@Kdiuxfegasc".contains(conversion) else {
      throw error(at: start, expected: "a format such as %@ or %K")
    }
    position += 1
    return conversion == "K" ? .keyPathArgument : .argument
  }

  private mutating func dollar() throws(QuerySyntaxError) -> QueryToken.Kind {
    let start = position
    position += 1
    if isDigit(current) {
      guard let number = Int(take(while: { $0.isASCII && $0.isNumber })) else {
        throw error(at: start, expected: "the number of an argument")
      }
      return .numberedArgument(number)
    }
    let name = try name("the name of a variable or the number of an argument")
    if name.first == "K", let number = Int(name.dropFirst()) { return .numberedKeyPath(number) }
    return .variable(name)
  }

  // MARK: Strings

  private mutating func string(until quote: Character) throws(QuerySyntaxError) -> String {
    let start = position
    position += 1
    var text = ""
    while let character = current {
      position += 1
      if character == quote { return text }
      text.append(character == "\\" ? try escaped() : character)
    }
    throw error(at: start, expected: "a string that ends")
  }

  /// The character that an escape stands for; its backslash is taken already.
  private mutating func escaped() throws(QuerySyntaxError) -> Character {
    guard let character = current else {
      throw error(at: position, expected: "a character behind the backslash")
    }
    position += 1
    switch character {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "0": return "\0"
    case "u":
      let digits = String(characters[position..<min(position + 4, characters.count)])
      guard digits.count == 4, let code = UInt32(digits, radix: 16),
        let scalar = Unicode.Scalar(code)
      else { throw error(at: position, expected: "four hexadecimal digits of a character") }
      position += 4
      return Character(scalar)
    default: return character
    }
  }

  // MARK: Numbers and times

  private mutating func number() throws(QuerySyntaxError) -> QueryToken.Kind {
    let start = position
    if let date = date() { return date }
    position = start
    if current == "0", peek(1) == "x" || peek(1) == "X" {
      position += 2
      guard let value = Int64(take(while: \.isHexDigit), radix: 16) else {
        throw error(at: start, expected: "a hexadecimal number of at most 63 bits")
      }
      return .integer(value)
    }
    var text = take(while: isDigit)
    var isWhole = true
    if current == ".", isDigit(peek(1)) {
      isWhole = false
      position += 1
      text += "." + take(while: isDigit)
    }
    if current == "e" || current == "E" {
      let sign = peek(1) == "-" || peek(1) == "+" ? 1 : 0
      if isDigit(peek(1 + sign)) {
        isWhole = false
        text += "e" + (sign == 1 ? String(characters[position + 1]) : "")
        position += 1 + sign
        text += take(while: isDigit)
      }
    }
    if isWhole, let value = Int64(text) { return .integer(value) }
    guard let value = Double(text.hasPrefix(".") ? "0" + text : text) else {
      throw error(at: start, expected: "a number")
    }
    return .number(value)
  }

  /// `T1600000000:5`: seconds and nanoseconds since 1970.
  private mutating func secondsTime() -> QueryToken.Kind? {
    let start = position
    position += 1
    guard let seconds = signedInteger(), take(":"), let nanoseconds = signedInteger(),
      abs(nanoseconds) < 1_000_000_000
    else {
      position = start
      return nil
    }
    return .time(seconds, Int32(nanoseconds))
  }

  /// `2020-02-28@13:05:00:7`, also with `T` for `@`; the nanoseconds may be left out.
  private mutating func date() -> QueryToken.Kind? {
    guard let year = signedInteger(), take("-"), let month = signedInteger(), take("-"),
      let day = signedInteger(), take("@") || take("T"), let hour = signedInteger(), take(":"),
      let minute = signedInteger(), take(":"), let second = signedInteger(),
      (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    var nanoseconds: Int64 = 0
    if take(":") {
      guard let number = signedInteger(), (0..<1_000_000_000).contains(number) else { return nil }
      nanoseconds = number
    }
    let days = QueryLexer.days(year, month, day)
    return .time(((days * 24 + hour) * 60 + minute) * 60 + second, Int32(nanoseconds))
  }

  /// The days from 1970 to a date of the Gregorian calendar.
  static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    // Years begin in March, so that the leap day is the last.
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private mutating func signedInteger() -> Int64? {
    let isNegative = take("-")
    let digits = take(while: isDigit)
    return Int64((isNegative ? "-" : "") + digits)
  }

  // MARK: Characters

  private var current: Character? { peek(0) }

  private func peek(_ ahead: Int) -> Character? {
    position + ahead < characters.count ? characters[position + ahead] : nil
  }

  private mutating func take(_ character: Character) -> Bool {
    guard current == character else { return false }
    position += 1
    return true
  }

  private mutating func take(while isPart: (Character) -> Bool) -> String {
    let start = position
    skip(while: isPart)
    return String(characters[start..<position])
  }

  private mutating func skip(while isPart: (Character) -> Bool) {
    while let character = current, isPart(character) { position += 1 }
  }

  private mutating func name(_ expected: String) throws(QuerySyntaxError) -> String {
    guard let first = current, isNameStart(first) else {
      throw error(at: position, expected: expected)
    }
    return take(while: isNamePart)
  }

  private func isDigit(_ character: Character?) -> Bool {
    character.map { $0 >= "0" && $0 <= "9" } ?? false
  }

  private func isNameStart(_ character: Character) -> Bool {
    character.isLetter || character == "_" || !character.isASCII
  }

  private func isNamePart(_ character: Character) -> Bool {
    isNameStart(character) || isDigit(character)
  }

  private func error(at position: Int, expected: String) -> QuerySyntaxError {
    let found = position < characters.count ? "'\(characters[position])'" : "the end"
    return QuerySyntaxError(
      query: query, column: position + 1, expected: expected, found: found)
  }
}
