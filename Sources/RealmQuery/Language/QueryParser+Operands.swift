// SPDX-License-Identifier: Apache-2.0

// Operands: literals, arguments, lists, key paths, subqueries, and what is computed from them.
//
//     operand = term { ("+" | "-") term }
//     term    = factor { ("*" | "/" | "%%") factor }
//     factor  = "(" operand ")" | "-" factor | literal | argument | list | key path | subquery
//     list    = "{" [operand { , operand }] "}" | "(" operand { , operand } ")"

extension QueryParser {
  mutating func operand() throws(QuerySyntaxError) -> ParsedOperand {
    var left = try term()
    while let operation = takeArithmetic(["+", "-"]) {
      left = .arithmetic(operation, left, try term())
      try countComputation()
    }
    return left
  }

  private mutating func term() throws(QuerySyntaxError) -> ParsedOperand {
    var left = try factor()
    while let operation = takeArithmetic(["*", "/", "%"]) {
      left = .arithmetic(operation, left, try factor())
      try countComputation()
    }
    return left
  }

  /// Long sums are deep trees, which others descend.
  private mutating func countComputation() throws(QuerySyntaxError) {
    computationCount += 1
    guard computationCount <= QueryParser.maximumDepth else {
      throw error("a query with at most \(QueryParser.maximumDepth) arithmetic operators")
    }
  }

  private mutating func takeArithmetic(_ symbols: [String]) -> ArithmeticOperator? {
    guard case .symbol(let symbol) = current.kind, symbols.contains(symbol) else { return nil }
    position += 1
    return ArithmeticOperator(rawValue: symbol)
  }

  private mutating func factor() throws(QuerySyntaxError) -> ParsedOperand {
    depth += 1
    defer { depth -= 1 }
    guard depth <= QueryParser.maximumDepth else {
      throw error("a query that nests at most \(QueryParser.maximumDepth) deep")
    }
    switch current.kind {
    case .symbol("("):
      position += 1
      let inner = try operand()
      guard current.kind == .symbol(",") else {
        try expectSymbol(")")
        return inner
      }
      var elements = [inner]
      while takeSymbol(",") { elements.append(try operand()) }
      try expectSymbol(")")
      return .list(elements)
    case .symbol("{"): return .list(try list())
    case .symbol("-"), .symbol("+"): return try signed()
    case .integer(let number):
      position += 1
      return .integer(number)
    case .number(let number):
      position += 1
      return .number(number)
    case .longNumber(let text):
      position += 1
      return .longNumber(text)
    case .string(let text):
      position += 1
      return .string(text)
    case .time(let seconds, let nanoseconds):
      position += 1
      return .time(seconds, nanoseconds)
    case .argument:
      position += 1
      return .argument(nextArgument())
    case .numberedArgument(let number):
      position += 1
      return .argument(number)
    case .word(let word): return try keywordOperand(word)
    case .escapedWord, .function, .keyPathArgument, .numberedKeyPath, .variable:
      return .keyPath(try keyPath())
    case .symbol, .end: throw error("a property or a value")
    }
  }

  private mutating func list() throws(QuerySyntaxError) -> [ParsedOperand] {
    try expectSymbol("{")
    var elements: [ParsedOperand] = []
    if takeSymbol("}") { return elements }
    repeat { elements.append(try operand()) } while takeSymbol(",")
    try expectSymbol("}")
    return elements
  }

  /// A number with a sign, or what is computed with the other one.
  private mutating func signed() throws(QuerySyntaxError) -> ParsedOperand {
    let isNegative = current.kind == .symbol("-")
    position += 1
    let inner = try factor()
    guard isNegative else { return inner }
    switch inner {
    case .integer(let number): return .integer(-number)
    case .number(let number): return .number(-number)
    case .longNumber(let digits):
      return Int64("-" + digits).map { .integer($0) } ?? .longNumber("-" + digits)
    case .keyPath, .matchCount, .arithmetic, .argument:
      try countComputation()
      return .arithmetic(.subtract, .integer(0), inner)
    default: throw error("a number behind the sign")
    }
  }

  /// An operand that begins with a word: a literal with a name, a subquery, or a key path.
  private mutating func keywordOperand(_ word: String) throws(QuerySyntaxError) -> ParsedOperand {
    // What is followed by a dot or a bracket is a property, whatever its name.
    let next = tokens[position + 1].kind
    if next == .symbol(".") || next == .symbol("[") { return .keyPath(try keyPath()) }
    let literal: ParsedOperand
    switch word.uppercased() {
    case "TRUE", "YES": literal = .bool(true)
    case "FALSE", "NO": literal = .bool(false)
    case "NULL", "NIL": literal = .null
    case "INFINITY", "INF": literal = .number(.infinity)
    case "NAN": literal = .number(.nan)
    case "SUBQUERY" where next == .symbol("("): return try subquery()
    case "OID" where next == .symbol("("): return .objectId(try objectId())
    case "UUID" where next == .symbol("("): return .uuid(try uuid())
    case "OBJ" where next == .symbol("("): return try object()
    case "GEOBOX" where next == .symbol("("), "GEOCIRCLE" where next == .symbol("("),
      "GEOPOLYGON" where next == .symbol("("):
      return .region(try region(word.uppercased()))
    case "B64":
      guard case .string(let text) = next else { return .keyPath(try keyPath()) }
      position += 1
      guard QueryParser.isBase64(text) else { throw error("bytes in base 64") }
      literal = .base64(text)
    case _ where next == .symbol("("):
      throw error("a property or a value (there is no such function)")
    default: return .keyPath(try keyPath())
    }
    position += 1
    return literal
  }

  /// `SUBQUERY(collection, $x, condition).@count`
  private mutating func subquery() throws(QuerySyntaxError) -> ParsedOperand {
    position += 1
    try expectSymbol("(")
    if case .variable(let name) = current.kind, variables.contains(name), let last = variables.last,
      name != last
    {
      throw error("the variable $\(last) (the innermost)")
    }
    let collection = try keyPath()
    try expectSymbol(",")
    guard case .variable(let name) = current.kind else { throw error("a variable such as $x") }
    position += 1
    try expectSymbol(",")
    variables.append(name)
    let condition = try condition()
    variables.removeLast()
    try expectSymbol(")")
    guard takeSymbol(".") else { throw error(".@count") }
    guard case .function(let function) = current.kind,
      ["count", "size"].contains(function.lowercased())
    else { throw error("@count") }
    position += 1
    return .matchCount(collection, condition)
  }

  mutating func nextArgument() -> Int {
    defer { argumentCount += 1 }
    return argumentCount
  }

  // MARK: Key paths

  mutating func keyPath() throws(QuerySyntaxError) -> ParsedKeyPath {
    var components: [ParsedKeyPath.Component] = []
    var level = 0
    if case .word(let word) = current.kind, word.uppercased() == "SELF" {
      position += 1
      try brackets(&components)
      guard takeSymbol(".") else { return ParsedKeyPath(components: components) }
    } else if case .variable(let name) = current.kind {
      guard let index = variables.lastIndex(of: name) else {
        throw error(
          variables.last.map { "the variable $\($0)" }
            ?? "a variable inside of a SUBQUERY only")
      }
      position += 1
      level = variables.count - 1 - index
      guard takeSymbol(".") else { return ParsedKeyPath(components: [], level: level) }
    }
    repeat {
      components.append(try component())
      try brackets(&components)
    } while takeSymbol(".")
    return ParsedKeyPath(components: components, level: level)
  }

  private mutating func component() throws(QuerySyntaxError) -> ParsedKeyPath.Component {
    switch current.kind {
    case .word(let name), .escapedWord(let name):
      position += 1
      return .name(name)
    case .keyPathArgument:
      position += 1
      return .argument(nextArgument())
    case .numberedKeyPath(let number):
      position += 1
      return .argument(number)
    case .function(let name) where name.lowercased() == "links":
      position += 1
      return try links()
    case .function(let name):
      position += 1
      return .function(name)
    default: throw error("the name of a property")
    }
  }

  /// `@links.Class.property`, or `@links.@count` for all links of all classes.
  private mutating func links() throws(QuerySyntaxError) -> ParsedKeyPath.Component {
    try expectSymbol(".")
    if case .function(let name) = current.kind, ["count", "size"].contains(name.lowercased()) {
      position += 1
      return .function("links.count")
    }
    guard case .word(let origin) = current.kind else { throw error("the name of a class") }
    position += 1
    try expectSymbol(".")
    guard case .word(let property) = current.kind else { throw error("the name of a property") }
    position += 1
    return .links(origin, property)
  }

  /// Any number of `[…]` behind a step.
  private mutating func brackets(
    _ components: inout [ParsedKeyPath.Component]
  ) throws(QuerySyntaxError) {
    while takeSymbol("[") {
      switch current.kind {
      case .symbol("*"):
        position += 1
        components.append(.anyIndex)
      case .escapedWord(let word), .word(let word):
        switch word.uppercased() {
        case "ANY": components.append(.anyIndex)
        case "FIRST": components.append(.firstIndex)
        case "LAST": components.append(.lastIndex)
        case "SIZE": components.append(.function("count"))
        default: throw error("an index, a key in quotes, FIRST, LAST, SIZE or *")
        }
        position += 1
      case .keyPathArgument:
        position += 1
        components.append(.index(.argument(nextArgument())))
      case .numberedKeyPath(let number):
        position += 1
        components.append(.index(.argument(number)))
      default: components.append(.index(try operand()))
      }
      try expectSymbol("]")
    }
  }
}
