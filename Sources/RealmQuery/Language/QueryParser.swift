// SPDX-License-Identifier: Apache-2.0

// Reads query strings: the predicate format that Cocoa's users know, and Realm Query Language.
// The two have so much in common that one grammar reads both.
//
//     query      = [condition] { SORT(…) | DISTINCT(…) | LIMIT(…) | OFFSET(…) }
//     condition  = conjunction { OR conjunction }
//     conjunction = negation { AND negation }
//     negation   = NOT negation | "(" condition ")" | TRUEPREDICATE | FALSEPREDICATE | comparison
//     comparison = [quantifier] operand operator [quantifier] operand
//     quantifier = ANY | SOME | ALL | NONE
//
// Keywords are read in any case. Operands stand in QueryParser+Arithmetic.swift and
// QueryParser+Operands.swift.

/// Reads one query string.
package struct QueryParser {
  /// Parentheses, negations and subqueries may nest so deep, which bounds the stack.
  static let maximumDepth = Predicate.maximumDepth

  let query: String
  let tokens: [QueryToken]
  let arguments: [Any]
  var position = 0
  /// The number of the next argument.
  var nextNumber = 0
  var depth = 0
  /// The arithmetic operators so far.
  var computationCount = 0
  /// The comparisons so far.
  private var comparisonCount = 0
  /// The closing parenthesis of each opening one.
  private let closers: [Int: Int]
  /// The variables of the subqueries around.
  var variables: [String] = []

  private init(_ query: String, _ arguments: [Any]) throws(QuerySyntaxError) {
    self.query = query
    self.arguments = arguments
    tokens = try QueryLexer.tokens(of: query)
    closers = QueryParser.closers(of: tokens)
  }

  /// The query that `query` spells, with the arguments in their places.
  ///
  /// - Parameter arguments: More than the query asks for do no harm.
  /// - Throws: an error that names the column and what was expected there.
  package static func parse(
    _ query: String, _ arguments: [Any] = []
  ) throws(QuerySyntaxError) -> ParsedQuery {
    var parser = try QueryParser(query, arguments)
    let condition = parser.isModifier ? .constant(true) : try parser.condition()
    let modifiers = try parser.modifiers()
    guard parser.current.kind == .end else {
      throw parser.error("AND, OR, SORT, DISTINCT, LIMIT, OFFSET or the end")
    }
    try parser.requireArguments()
    return ParsedQuery(condition, modifiers: modifiers)
  }

  /// Checks that there is an argument wherever the query names one.
  private func requireArguments() throws(QuerySyntaxError) {
    var next = 0
    for token in tokens {
      let number: Int
      switch token.kind {
      case .argument, .keyPathArgument:
        number = next
        next += 1
      case .numberedArgument(let given), .numberedKeyPath(let given): number = given
      default: continue
      }
      guard number < arguments.count else {
        throw QuerySyntaxError(
          query: query, offset: token.offset, expected: "an argument", found: token.text,
          problem: "argument \(number + 1) is missing; there are \(arguments.count)")
      }
    }
  }

  /// The components of the key path that `text` spells; nil if it spells none.
  static func components(of text: String) -> [PropertyPath.Component]? {
    guard var parser = try? QueryParser(text, []), let path = try? parser.keyPath(),
      parser.current.kind == .end
    else { return nil }
    return path.components
  }

  // MARK: Conditions

  mutating func condition() throws(QuerySyntaxError) -> Predicate {
    var condition = try conjunction()
    while takeSymbol("||") || takeKeyword("OR") { condition = .or(condition, try conjunction()) }
    return condition
  }

  private mutating func conjunction() throws(QuerySyntaxError) -> Predicate {
    var condition = try negation()
    while takeSymbol("&&") || takeKeyword("AND") { condition = .and(condition, try negation()) }
    return condition
  }

  private mutating func negation() throws(QuerySyntaxError) -> Predicate {
    depth += 1
    defer { depth -= 1 }
    guard depth <= QueryParser.maximumDepth else {
      throw error("a query that nests at most \(QueryParser.maximumDepth) deep")
    }
    if takeSymbol("!") || takeKeyword("NOT") { return .not(try negation()) }
    if !parenthesesAreOperand, takeSymbol("(") {
      let inner = try condition()
      try expectSymbol(")")
      return inner
    }
    if takeKeyword("TRUEPREDICATE") { return .constant(true) }
    if takeKeyword("FALSEPREDICATE") { return .constant(false) }
    comparisonCount += 1
    guard comparisonCount <= Predicate.maximumComparisonCount else {
      throw error("a query with at most \(Predicate.maximumComparisonCount) comparisons")
    }
    return .comparison(try comparison())
  }

  /// The closing parentheses of those that begin at a token.
  private static func closers(of tokens: [QueryToken]) -> [Int: Int] {
    var closers: [Int: Int] = [:]
    var open: [Int] = []
    for (index, token) in tokens.enumerated() {
      if token.kind == .symbol("(") { open.append(index) }
      if token.kind == .symbol(")"), let start = open.popLast() { closers[start] = index }
    }
    return closers
  }

  /// Whether what the parentheses here enclose is computed with, or compared.
  private var parenthesesAreOperand: Bool {
    guard current.kind == .symbol("("), let closer = closers[position] else { return false }
    switch tokens[closer + 1].kind {
    case .symbol(let symbol):
      return QueryParser.symbolOperators[symbol] != nil
        || ["+", "-", "*", "/", "%"].contains(symbol)
    case .word(let word): return QueryParser.operators[word.uppercased()] != nil
    default: return false
    }
  }

  private mutating func comparison() throws(QuerySyntaxError) -> Comparison {
    let quantifier = takeQuantifier()
    let left = try operand()
    let (operation, options) = try comparisonOperator()
    let rightQuantifier = takeQuantifier()
    let right = try operand()
    return Comparison(
      left, operation, right, options: options, leftQuantifier: quantifier,
      rightQuantifier: rightQuantifier)
  }

  private mutating func takeQuantifier() -> Quantifier? {
    // A property may have the name of a quantifier; the next token decides. Parentheses do not
    // follow a property.
    guard position + 1 < tokens.count else { return nil }
    switch tokens[position + 1].kind {
    case .end: return nil
    case .symbol(let symbol) where symbol != "{" && symbol != "(": return nil
    case .word(let word) where QueryParser.operators[word.uppercased()] != nil: return nil
    case .word(let word) where QueryParser.continuations.contains(word.uppercased()): return nil
    default: break
    }
    if takeKeyword("ANY") || takeKeyword("SOME") { return .any }
    if takeKeyword("ALL") { return .all }
    return takeKeyword("NONE") ? Quantifier.none : nil
  }

  // MARK: Operators

  private static let symbolOperators: [String: ComparisonOperator] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]

  private static let operators: [String: ComparisonOperator] = [
    "BETWEEN": .between, "IN": .in, "BEGINSWITH": .beginsWith,
    "ENDSWITH": .endsWith, "CONTAINS": .contains, "LIKE": .like,
    "TEXT": .text, "GEOWITHIN": .in,
    "MATCHES": .matches,
  ]

  /// The words that may follow a comparison.
  private static let continuations: Set<String> = [
    "AND", "OR", "SORT", "DISTINCT", "LIMIT", "OFFSET",
  ]

  private mutating func comparisonOperator() throws(QuerySyntaxError) -> (
    ComparisonOperator, TextOptions
  ) {
    let operation: ComparisonOperator
    switch current.kind {
    case .symbol(let symbol):
      guard let known = QueryParser.symbolOperators[symbol] else {
        throw error("an operator such as ==, IN or BEGINSWITH")
      }
      operation = known
    case .word(let word):
      guard let known = QueryParser.operators[word.uppercased()] else {
        throw error("an operator such as ==, IN or BEGINSWITH")
      }
      operation = known
    default: throw error("an operator such as ==, IN or BEGINSWITH")
    }
    position += 1
    return (operation, try textOptions())
  }

  /// `[c]`, `[d]` or `[cd]` after an operator.
  private mutating func textOptions() throws(QuerySyntaxError) -> TextOptions {
    guard takeSymbol("[") else { return [] }
    guard case .word(let letters) = current.kind else { throw error("c, d or cd") }
    var options: TextOptions = []
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      default: throw error("c, d or cd")
      }
    }
    position += 1
    try expectSymbol("]")
    return options
  }

  // MARK: Modifiers

  private static let modifierNames: Set<String> = ["SORT", "DISTINCT", "LIMIT", "OFFSET"]

  /// Whether a modifier begins here, and not a condition on a property of that name.
  private var isModifier: Bool {
    guard case .word(let word) = current.kind else { return false }
    return QueryParser.modifierNames.contains(word.uppercased())
      && tokens[position + 1].kind == .symbol("(")
  }

  private mutating func modifiers() throws(QuerySyntaxError) -> [ParsedQuery.Modifier] {
    var modifiers: [ParsedQuery.Modifier] = []
    while true {
      if takeKeyword("SORT") {
        modifiers.append(
          .sort(
            try listInParentheses { (parser) throws(QuerySyntaxError) in
              try parser.sortTerm()
            }))
      } else if takeKeyword("DISTINCT") {
        modifiers.append(
          .distinct(
            try listInParentheses { (parser) throws(QuerySyntaxError) in
              try parser.keyPath()
            }))
      } else if takeKeyword("LIMIT") {
        try expectSymbol("(")
        modifiers.append(.limit(try operand()))
        try expectSymbol(")")
      } else if takeKeyword("OFFSET") {
        try expectSymbol("(")
        modifiers.append(.offset(try operand()))
        try expectSymbol(")")
      } else {
        return modifiers
      }
    }
  }

  private mutating func sortTerm() throws(QuerySyntaxError) -> ParsedQuery.SortTerm {
    let path = try keyPath()
    if takeKeyword("DESC") || takeKeyword("DESCENDING") {
      return ParsedQuery.SortTerm(keyPath: path, isAscending: false)
    }
    _ = takeKeyword("ASC") || takeKeyword("ASCENDING")
    return ParsedQuery.SortTerm(keyPath: path, isAscending: true)
  }

  private mutating func listInParentheses<Element>(
    _ element: (inout QueryParser) throws(QuerySyntaxError) -> Element
  ) throws(QuerySyntaxError) -> [Element] {
    try expectSymbol("(")
    var elements = [try element(&self)]
    while takeSymbol(",") { elements.append(try element(&self)) }
    try expectSymbol(")")
    return elements
  }

  // MARK: Tokens

  var current: QueryToken { tokens[position] }

  mutating func takeSymbol(_ symbol: String) -> Bool {
    guard current.kind == .symbol(symbol) else { return false }
    position += 1
    return true
  }

  mutating func takeKeyword(_ keyword: String) -> Bool {
    guard case .word(let word) = current.kind, word.uppercased() == keyword else { return false }
    position += 1
    return true
  }

  mutating func expectSymbol(_ symbol: String) throws(QuerySyntaxError) {
    guard takeSymbol(symbol) else { throw error("'\(symbol)'") }
  }

  func error(_ expected: String) -> QuerySyntaxError {
    QuerySyntaxError(
      query: query, offset: current.offset, expected: expected, found: current.text)
  }
}
