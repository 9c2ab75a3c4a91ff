// SPDX-License-Identifier: Apache-2.0

// Cuts query strings into tokens. Every input comes to an end: each step takes a scalar or fails.
//
// Scalars, not characters: what a user sees as one character may be a quote with an accent on it.

/// Reads the tokens of one query string.
struct QueryLexer {
  private let query: String
  let scalars: [Unicode.Scalar]
  var position = 0

  init(_ query: String) {
    self.query = query
    scalars = Array(query.unicodeScalars)
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
    skip(while: \.properties.isWhitespace)
    let start = position
    guard let first = current else { return QueryToken(kind: .end, offset: start) }
    return QueryToken(kind: try kind(startingWith: first), offset: start)
  }

  private mutating func kind(
    startingWith first: Unicode.Scalar
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
    case "“", "”", "„", "‘", "’", "«", "»":
      throw error(at: position, expected: "a straight quote, \" or ', around a string")
    case _ where isNameStart(first):
      if first == "T", isDigit(peek(1)) || peek(1) == "-", let time = secondsTime() { return time }
      return .word(take(while: isNamePart))
    default: return try symbol()
    }
  }

  private static let symbols = [
    "&&", "||", "==", "=<", "=>", "!=", "<=", ">=", "<>", "=", "<", ">", "!", "(", ")", "{", "}",
    "[", "]", ",", ".", "-", "+", "*", "/", ":",
  ].map { (text: $0, scalars: Array($0.unicodeScalars)) }

  private mutating func symbol() throws(QuerySyntaxError) -> QueryToken.Kind {
    for symbol in QueryLexer.symbols where scalars[position...].starts(with: symbol.scalars) {
      position += symbol.scalars.count
      return .symbol(symbol.text)
    }
    throw error(at: position, expected: "a name, a value or an operator")
  }

  /// `%@`, `%K`, and the formats of numbers with their lengths: all take the next argument. `%%` is
  /// the operator of remainders.
  private mutating func substitution() throws(QuerySyntaxError) -> QueryToken.Kind {
    let start = position
    position += 1
    if take("%") { return .symbol("%") }
    while let length = current, "lhqzjt".unicodeScalars.contains(length) { position += 1 }
    guard let conversion = current, "@KdDiuUxXofFeEgGaAsSc".unicodeScalars.contains(conversion)
    else { throw error(at: start, expected: "a format such as %@ or %K, or %% for a remainder") }
    position += 1
    return conversion == "K" ? .keyPathArgument : .argument
  }

  private mutating func dollar() throws(QuerySyntaxError) -> QueryToken.Kind {
    let start = position
    position += 1
    if isDigit(current) {
      guard let number = Int(take(while: isDigit)) else {
        throw error(at: start, expected: "the number of an argument")
      }
      return .numberedArgument(number)
    }
    let name = try name("the name of a variable or the number of an argument")
    if name.first == "K", let number = Int(name.dropFirst()) { return .numberedKeyPath(number) }
    return .variable(name)
  }

  // MARK: Strings

  private mutating func string(until quote: Unicode.Scalar) throws(QuerySyntaxError) -> String {
    let start = position
    position += 1
    var text = String.UnicodeScalarView()
    while let scalar = current {
      position += 1
      if scalar == quote { return String(text) }
      text.append(scalar == "\\" ? try escaped() : scalar)
    }
    throw error(at: start, expected: "a string that ends")
  }

  /// The scalar that an escape represents; its backslash is taken already.
  private mutating func escaped() throws(QuerySyntaxError) -> Unicode.Scalar {
    guard let scalar = current else {
      throw error(at: position, expected: "a character behind the backslash")
    }
    position += 1
    switch scalar {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "0": return "\0"
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "u": return try escaped(digits: 4)
    case "U": return try escaped(digits: 8)
    default: return scalar
    }
  }

  /// The scalar of a hexadecimal number, which may be the first half of two of UTF-16.
  private mutating func escaped(digits: Int) throws(QuerySyntaxError) -> Unicode.Scalar {
    let start = position
    guard let code = hexadecimal(digits) else {
      throw error(at: start, expected: "\(digits) hexadecimal digits of a character")
    }
    if let scalar = Unicode.Scalar(code) { return scalar }
    guard (0xD800..<0xDC00).contains(code), take("\\"), take("u"), let low = hexadecimal(4),
      (0xDC00..<0xE000).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (code - 0xD800) << 10 + (low - 0xDC00))
    else { throw error(at: start, expected: "the number of a character") }
    return scalar
  }

  private mutating func hexadecimal(_ count: Int) -> UInt32? {
    guard position + count <= scalars.count,
      scalars[position..<position + count].allSatisfy(\.properties.isASCIIHexDigit)
    else { return nil }
    let digits = scalars[position..<position + count]
    position += count
    return UInt32(digits.reduce(into: "") { $0.unicodeScalars.append($1) }, radix: 16)
  }

  // MARK: Characters

  var current: Unicode.Scalar? { peek(0) }

  func peek(_ ahead: Int) -> Unicode.Scalar? {
    position + ahead < scalars.count ? scalars[position + ahead] : nil
  }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard current == scalar else { return false }
    position += 1
    return true
  }

  mutating func take(while isPart: (Unicode.Scalar) -> Bool) -> String {
    var text = String.UnicodeScalarView()
    while let scalar = current, isPart(scalar) {
      text.append(scalar)
      position += 1
    }
    return String(text)
  }

  private mutating func skip(while isPart: (Unicode.Scalar) -> Bool) {
    while let scalar = current, isPart(scalar) { position += 1 }
  }

  private mutating func name(_ expected: String) throws(QuerySyntaxError) -> String {
    guard let first = current, isNameStart(first) else {
      throw error(at: position, expected: expected)
    }
    return take(while: isNamePart)
  }

  func isDigit(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map { $0 >= "0" && $0 <= "9" } ?? false
  }

  func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar >= "0" && scalar <= "9" }

  func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      ? scalar == "_" || scalar.properties.isAlphabetic
      : !scalar.properties.isWhitespace && !scalar.properties.isQuotationMark
  }

  private func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
    isNameStart(scalar) || isDigit(scalar)
  }

  func error(at position: Int, expected: String) -> QuerySyntaxError {
    let found = position < scalars.count ? "'\(scalars[position])'" : "the end"
    return QuerySyntaxError(
      query: query, offset: position, expected: expected, found: found)
  }
}
