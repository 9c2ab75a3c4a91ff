// SPDX-License-Identifier: Apache-2.0

// Conditions in the language of query strings: for `_constructPredicate`, messages and logs.

import RealmTables

extension Predicate {
  /// The condition with `%@` for each value of the program, and these values.
  package func format() -> (text: String, arguments: [Any]) {
    var writer = PredicateWriter()
    writer.write(self)
    return (writer.text, writer.arguments)
  }

  /// The condition with all values of the program as literals, so that it can be read elsewhere;
  /// nil if one of them cannot be spelled.
  ///
  /// - Parameter spelling: The literal of a value of the program; nil if there is none.
  package func literalText(_ spelling: @escaping (Any) -> String?) -> String? {
    var writer = PredicateWriter(spelling: spelling)
    writer.write(self)
    return writer.isSpelled ? writer.text : nil
  }
}

/// Spells one condition. Text is only appended, and chains of conditions are followed in a loop, as
/// they may be long.
private struct PredicateWriter {
  private(set) var text = ""
  private(set) var arguments: [Any] = []
  /// The number of subqueries around.
  private var depth = 0
  /// The literal of a value; nil if values are written as arguments.
  private let spelling: ((Any) -> String?)?
  /// Whether all values had literals.
  private(set) var isSpelled = true

  init(spelling: ((Any) -> String?)? = nil) { self.spelling = spelling }

  /// What is to be written next.
  private enum Piece {
    case text(String)
    case condition(Predicate)
  }

  mutating func write(_ predicate: Predicate) {
    var waiting: [Piece] = [.condition(predicate)]
    while let next = waiting.popLast() {
      switch next {
      case .text(let text): self.text += text
      case .condition(.constant(let truth)): text += truth ? "TRUEPREDICATE" : "FALSEPREDICATE"
      case .condition(.comparison(let comparison)):
        text += "("
        writeSides(of: comparison)
        text += ")"
      case .condition(.isTrue(let operand)):
        write(operand)
        text += " == true"
      case .condition(.node(let node)):
        guard node.kind != .not else {
          writeNegation(of: node.left, &waiting)
          continue
        }
        text += "("
        waiting += [
          .text(")"), .condition(node.right), .text(node.kind == .and ? " && " : " || "),
          .condition(node.left),
        ]
      }
    }
  }

  private mutating func writeNegation(of part: Predicate, _ waiting: inout [Piece]) {
    switch part {
    case .isTrue(let operand):
      write(operand)
      text += " == false"
    case .comparison(let comparison):
      // The negation of a single comparison stands within its parentheses.
      text += "(NOT "
      writeSides(of: comparison)
      text += ")"
    default:
      text += "NOT "
      waiting.append(.condition(part))
    }
  }

  private mutating func writeSides(of comparison: Comparison) {
    write(comparison.leftQuantifier, comparison.left)
    text += " \(comparison.operation.text)\(comparison.options.text) "
    if comparison.operation == .in, case .path(let path) = comparison.right {
      return write(path)
    }
    write(comparison.rightQuantifier, comparison.right)
  }

  private mutating func write(_ quantifier: Quantifier?, _ operand: Operand) {
    switch (quantifier, operand) {
    case (let quantifier?, .path(let path)):
      text += quantifier.word
      write(path)
    case (let quantifier, _):
      text += quantifier?.word ?? ""
      write(operand)
    }
  }

  private mutating func write(_ operand: Operand) {
    switch operand {
    case .path(let path):
      if path.firstMany() != nil, path.function == nil { text += Quantifier.any.word }
      write(path)
    case .value(let value): text += value.literal
    case .longNumber(let digits): text += digits
    case .object(let name, let key):
      text += "obj(\(name), "
      write(key)
      text += ")"
    case .region(let region): write(region)
    case .constant(let value), .argument(let value):
      guard let spelling else {
        text += "%@"
        return arguments.append(value)
      }
      if let literal = spelling(value) { text += literal } else { isSpelled = false }
    case .list(let elements): write(elements, in: ("{", "}")) { $0.write($1) }
    case .matchCount(let path, let condition):
      text += "SUBQUERY("
      write(path)
      depth += 1
      text += ", $col\(depth), "
      write(condition)
      depth -= 1
      text += ").@count"
    case .arithmetic(let operation, let left, let right):
      text += "("
      write(left)
      text += " \(operation.text) "
      write(right)
      text += ")"
    case .condition(let condition): write(condition)
    }
  }

  private mutating func write(_ path: PropertyPath) {
    var steps = ""
    if depth > path.level {
      steps = ".$col\(depth - path.level)"
    } else if depth > 0, !path.isBare {
      steps = ".$self"
    } else if path.components.first?.part != nil || path.components.isEmpty {
      steps = ".self"
    }
    for component in path.components {
      guard case .argumentPart(let part) = component else {
        steps += component.text
        continue
      }
      guard spelling == nil else {
        steps += part.text
        continue
      }
      steps += component.text
      switch part {
      case .value(let key): arguments.append(key)
      case .index(let position): arguments.append(position)
      default: arguments.append("#any")
      }
    }
    text += steps.dropFirst()
  }

  private mutating func write(_ region: RegionLiteral) {
    switch region {
    case .box(let first, let second):
      text += "geoBox("
      write([first, second], in: ("", ")")) { $0.write(point: $1) }
    case .circle(let center, let radius):
      text += "geoCircle("
      write(point: center)
      text += ", "
      write(radius)
      text += ")"
    case .polygon(let rings):
      text += "geoPolygon("
      write(rings, in: ("", ")")) { writer, ring in
        writer.write(ring, in: ("{", "}")) { $0.write(point: $1) }
      }
    }
  }

  private mutating func write(point: [Operand]) { write(point, in: ("[", "]")) { $0.write($1) } }

  private mutating func write<Element>(
    _ elements: [Element], in brackets: (String, String),
    _ write: (inout PredicateWriter, Element) -> Void
  ) {
    text += brackets.0
    for (index, element) in elements.enumerated() {
      if index > 0 { text += ", " }
      write(&self, element)
    }
    text += brackets.1
  }
}

extension PropertyPath {
  /// The path as messages show it.
  var text: String { String(components.map(\.text).joined().trimmingPrefix(".")) }
}

extension PropertyPath.Component {
  /// The step, with the dot in front of it.
  fileprivate var text: String {
    switch self {
    case .property(let name, _): "." + name
    case .links(let origin, let property): ".@links.\(origin).\(property)"
    case .function("links.count"): ".@links.@count"
    case .function(let name): ".@" + name
    case .part(let part): part.text
    case .argumentPart(.every): "[%K]"
    case .argumentPart: "[%@]"
    case .unknownPart(let text): "[\(text)]"
    }
  }
}

extension Quantifier {
  /// The word in front of an operand.
  fileprivate var word: String {
    switch self {
    case .any: "ANY "
    case .all: "ALL "
    case .none: "NONE "
    }
  }

  /// The word in front of an operand, where `any` needs none.
  var text: String { self == .any ? "" : word }
}

extension ArithmeticOperator {
  /// The operator as strings spell it: a single `%` begins an argument.
  var text: String { self == .remainder ? "%%" : rawValue }
}
