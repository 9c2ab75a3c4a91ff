// SPDX-License-Identifier: Apache-2.0

// Simple operands: literals, arguments, key paths and subqueries.

import RealmStorage
import RealmTables
import RealmText

extension QueryParser {
  /// An operand without signs, parentheses and elements.
  mutating func factor() throws(QuerySyntaxError) -> Operand {
    switch current.kind {
    case .symbol("{"):
      position += 1
      try expectSymbol("}")
      return .list([])
    case .integer(let number):
      position += 1
      return .value(.int(number))
    case .number(let number):
      position += 1
      return .value(.double(number))
    case .longNumber(let text):
      position += 1
      return .longNumber(text)
    case .string(let text):
      position += 1
      return .value(.string(text))
    case .time(let seconds, let nanoseconds):
      position += 1
      return .value(.timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds)))
    case .argument:
      position += 1
      return .argument(nextArgument())
    case .numberedArgument(let number):
      position += 1
      return .argument(argument(number))
    case .word(let word): return try keywordOperand(word)
    case .escapedWord, .function, .keyPathArgument, .numberedKeyPath, .variable:
      return .path(try keyPath())
    case .symbol, .end: throw error("a property or a value")
    }
  }

  /// An operand that begins with a word: a literal with a name, a subquery, or a key path.
  private mutating func keywordOperand(_ word: String) throws(QuerySyntaxError) -> Operand {
    // A word that is followed by a dot or a bracket is a property, whatever its name.
    let next = tokens[position + 1].kind
    if next == .symbol(".") || next == .symbol("[") { return .path(try keyPath()) }
    let literal: TableValue
    switch word.uppercased() {
    case "TRUE", "YES": literal = .bool(true)
    case "FALSE", "NO": literal = .bool(false)
    case "NULL", "NIL": literal = .null
    case "INFINITY", "INF": literal = .double(.infinity)
    case "NAN": literal = .double(.nan)
    case "SUBQUERY" where next == .symbol("("): return try subquery()
    case "OID" where next == .symbol("("): return .value(.objectId(try objectId()))
    case "UUID" where next == .symbol("("): return .value(.uuid(try uuid()))
    case "OBJ" where next == .symbol("("): return try object()
    case "GEOBOX" where next == .symbol("("), "GEOCIRCLE" where next == .symbol("("),
      "GEOPOLYGON" where next == .symbol("("):
      return .region(try region(word.uppercased()))
    case "B64":
      guard case .string(let text) = next else { return .path(try keyPath()) }
      position += 1
      guard let bytes = Base64.decodePadded(text) else { throw error("bytes in base 64") }
      literal = .binary(bytes)
    case _ where next == .symbol("("):
      throw error("a property or a value (there is no such function)")
    default: return .path(try keyPath())
    }
    position += 1
    return .value(literal)
  }

  /// `SUBQUERY(collection, $x, condition).@count`, where the collection may be one of any object
  /// around.
  private mutating func subquery() throws(QuerySyntaxError) -> Operand {
    position += 1
    try expectSymbol("(")
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

  mutating func nextArgument() -> Any {
    defer { nextNumber += 1 }
    return argument(nextNumber)
  }

  /// The argument of a number. One that is missing is an error at the end of the query.
  func argument(_ number: Int) -> Any { number < arguments.count ? arguments[number] : () }

  // MARK: Key paths

  mutating func keyPath() throws(QuerySyntaxError) -> PropertyPath {
    var components: [PropertyPath.Component] = []
    var level = 0
    var isBare = false
    if case .word(let word) = current.kind, word.uppercased() == "SELF" {
      position += 1
      try brackets(&components)
      guard takeSymbol(".") else { return PropertyPath(components) }
    } else if case .variable(let name) = current.kind {
      if let index = variables.lastIndex(of: name) {
        level = variables.count - 1 - index
      } else if name.lowercased() == "self", !variables.isEmpty {
        // The object that the query is about.
        level = variables.count
      } else {
        throw error(
          variables.last.map { "the variable $\($0)" }
            ?? "a variable inside of a SUBQUERY only")
      }
      position += 1
      guard takeSymbol(".") else { return PropertyPath(level: level) }
    } else if !variables.isEmpty {
      // The classes decide whether it is a property of the element.
      level = variables.count
      isBare = true
    }
    repeat {
      components += try step()
      try brackets(&components)
    } while takeSymbol(".")
    var path = PropertyPath(components, level: level)
    path.isBare = isBare
    return path
  }

  /// A name, a function, or a key path among the arguments.
  private mutating func step() throws(QuerySyntaxError) -> [PropertyPath.Component] {
    let token = current
    position += 1
    switch token.kind {
    case .word(let name), .escapedWord(let name): return [.property(name, isMany: nil)]
    case .keyPathArgument: return try components(of: nextArgument(), at: token)
    case .numberedKeyPath(let number): return try components(of: argument(number), at: token)
    case .function(let name) where name.lowercased() == "links": return [try links()]
    case .function(let name): return [.function(name)]
    default:
      position -= 1
      throw error("the name of a property")
    }
  }

  /// The key path that an argument is.
  private func components(
    of argument: Any, at token: QueryToken
  ) throws(QuerySyntaxError) -> [PropertyPath.Component] {
    if argument is Void { return [] }
    guard let path = argument as? String else {
      throw QuerySyntaxError(
        query: query, offset: token.offset, expected: "the name of a property", found: token.text,
        message: "Invalid predicate: the argument for %K must be the name of a property")
    }
    // Names with brackets after them, and `self`, as strings write them.
    if path.contains("[") || path.lowercased().hasPrefix("self"),
      let components = QueryParser.components(of: path)
    {
      return components
    }
    return path.split(separator: ".", omittingEmptySubsequences: false).map { part in
      part.hasPrefix("@")
        ? .function(String(part.dropFirst())) : .property(String(part), isMany: nil)
    }
  }

  /// `@links.Class.property`, or `@links.@count` for all links of all classes.
  private mutating func links() throws(QuerySyntaxError) -> PropertyPath.Component {
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

  /// Any number of `[…]` after a step.
  private mutating func brackets(
    _ components: inout [PropertyPath.Component]
  ) throws(QuerySyntaxError) {
    while takeSymbol("[") {
      switch current.kind {
      case .symbol("*"):
        position += 1
        components.append(.part(.every))
      case .escapedWord(let word), .word(let word):
        switch word.uppercased() {
        case "ANY": components.append(.part(.every))
        case "FIRST": components.append(.part(.first))
        case "LAST": components.append(.part(.last))
        case "SIZE": components.append(.function("count"))
        default: throw error("an index, a key in quotes, FIRST, LAST, SIZE or *")
        }
        position += 1
      case .keyPathArgument:
        position += 1
        components.append(QueryParser.part(nextArgument()))
      case .numberedKeyPath(let number):
        position += 1
        components.append(QueryParser.part(argument(number)))
      default: components.append(QueryParser.part(try operand()))
      }
      try expectSymbol("]")
    }
  }

  /// The position or key that an operand in brackets is.
  private static func part(_ operand: Operand) -> PropertyPath.Component {
    switch operand {
    case .value(.int(let position)) where position >= 0: .part(.index(Int(position)))
    case .value(.int(let position)): .unknownPart("\(position)")
    case .value(.string(let key)): .part(key == "#any" ? .every : .value(of: key))
    case .argument(let argument): part(argument)
    default: .unknownPart("%@")
    }
  }

  /// The position or key that an argument in brackets is.
  private static func part(_ argument: Any) -> PropertyPath.Component {
    switch argument {
    case "#any" as String: .argumentPart(.every)
    case let key as String: .argumentPart(.value(of: key))
    case let position as Int where position >= 0: .argumentPart(.index(position))
    default: .unknownPart("%@")
    }
  }
}
