// SPDX-License-Identifier: Apache-2.0

// What is computed from operands, and lists of them.
//
//     operand = term { ("+" | "-") term }
//     term    = factor { ("*" | "/" | "%%") factor }
//     factor  = "(" operand ")" | "-" factor | list | a simple operand
//     list    = "{" [operand { , operand }] "}" | "(" operand { , operand } ")"
//
// Parentheses and signs are kept in a list of what is open: as many as may nest would take more
// than a small stack if each were a call.

import RealmTables

/// An operand that is being read: the outermost one, or one in parentheses or braces.
private struct OpenOperand {
  /// The level on which it begins.
  let depth: Int
  /// What ends it; nil for the outermost.
  let closer: String?
  /// The elements that are complete, of a list.
  var elements: [Operand] = []
  /// What is added to, or subtracted from.
  var sum: (left: Operand, operation: ArithmeticOperator)?
  /// What is multiplied or divided.
  var product: (left: Operand, operation: ArithmeticOperator)?
  /// Whether each of the signs before the next factor is a minus.
  var signs: [Bool] = []
}

extension QueryParser {
  mutating func operand() throws(QuerySyntaxError) -> Operand {
    var open = [OpenOperand(depth: depth, closer: nil)]
    while true {
      try beginFactor(&open)
      var value = try factor()
      while let complete = try finishFactor(value, &open[open.count - 1]) {
        let last = open.count - 1
        guard let closer = open[last].closer else { return complete }
        if takeSymbol(",") {
          open[last].elements.append(complete)
          break
        }
        try expectSymbol(closer)
        let isList = closer == "}" || !open[last].elements.isEmpty
        value = isList ? .list(open[last].elements + [complete]) : complete
        open.removeLast()
      }
    }
  }

  /// Reads what precedes a simple operand: signs, and what opens parentheses and lists.
  private mutating func beginFactor(_ open: inout [OpenOperand]) throws(QuerySyntaxError) {
    while true {
      depth += 1
      guard depth <= QueryParser.maximumDepth else {
        throw error("a query that nests at most \(QueryParser.maximumDepth) deep")
      }
      switch current.kind {
      case .symbol("("): open.append(OpenOperand(depth: depth, closer: ")"))
      case .symbol("{") where tokens[position + 1].kind != .symbol("}"):
        open.append(OpenOperand(depth: depth, closer: "}"))
      case .symbol("-"): open[open.count - 1].signs.append(true)
      case .symbol("+"): open[open.count - 1].signs.append(false)
      default: return
      }
      position += 1
    }
  }

  /// Adds a factor to the operand that it belongs to.
  ///
  /// - Returns: The operand, if no operator follows.
  private mutating func finishFactor(
    _ factor: Operand, _ open: inout OpenOperand
  ) throws(QuerySyntaxError) -> Operand? {
    depth = open.depth
    var value = factor
    while let isNegative = open.signs.popLast() {
      if isNegative { value = try negated(value) }
    }
    if let product = open.product {
      value = try computed(product.operation, product.left, value)
      open.product = nil
    }
    if let operation = takeArithmetic(["*", "/", "%"]) {
      open.product = (value, operation)
      return nil
    }
    if let sum = open.sum {
      value = try computed(sum.operation, sum.left, value)
      open.sum = nil
    }
    if let operation = takeArithmetic(["+", "-"]) {
      open.sum = (value, operation)
      return nil
    }
    return value
  }

  private mutating func takeArithmetic(_ symbols: [String]) -> ArithmeticOperator? {
    guard case .symbol(let symbol) = current.kind, symbols.contains(symbol) else { return nil }
    position += 1
    return ArithmeticOperator(rawValue: symbol)
  }

  /// A number with the other sign, or what is computed with it.
  private mutating func negated(_ operand: Operand) throws(QuerySyntaxError) -> Operand {
    switch operand {
    // The smallest number has no counterpart.
    case .value(.int(.min)): return .longNumber("\(Int64.min.magnitude)")
    case .value(.int(let number)): return .value(.int(-number))
    case .value(.double(let number)): return .value(.double(-number))
    case .longNumber(let digits):
      return Int64("-" + digits).map { .value(.int($0)) } ?? .longNumber("-" + digits)
    case .path, .matchCount, .arithmetic, .argument:
      return try computed(.subtract, .value(.int(0)), operand)
    default: throw error("a number behind the sign")
    }
  }

  /// Long computations are deep trees, which others descend.
  private mutating func computed(
    _ operation: ArithmeticOperator, _ left: Operand, _ right: Operand
  ) throws(QuerySyntaxError) -> Operand {
    computationCount += 1
    guard computationCount <= QueryParser.maximumDepth else {
      throw error("a query with at most \(QueryParser.maximumDepth) arithmetic operators")
    }
    return .arithmetic(operation, left, right)
  }
}
