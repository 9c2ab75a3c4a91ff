// SPDX-License-Identifier: Apache-2.0

// A query as the text of a predicate, for messages and logs.

import RealmQuery

extension QueryNode {
  /// The text with `%@` for each constant, which is appended to `arguments`.
  func text(_ arguments: inout [Any]) -> String {
    var text = ""
    write(to: &text, &arguments)
    return text
  }

  /// The text where a condition is expected: a property alone stands for its being true.
  func conditionText(_ arguments: inout [Any]) -> String {
    var text = ""
    writeCondition(to: &text, &arguments)
    return text
  }

  /// Appends the text: chains of conditions are as deep as they are long, so that nothing may be
  /// copied at each level.
  private func write(to text: inout String, _ arguments: inout [Any]) {
    switch self {
    case .root: text += "self"
    case .path(let path): text += path.text(&arguments)
    case .constant(let value):
      arguments.append(value)
      text += "%@"
    case .comparison(let left, let operation, let right, let options):
      left.write(to: &text, &arguments, before: " \(operation.text)\(options.text) ", right)
    case .between(let left, let lower, let upper):
      text += "("
      left.write(to: &text, &arguments)
      arguments += [lower, upper]
      text += " BETWEEN {%@, %@})"
    case .oneOf(let left, let values):
      text += "("
      left.write(to: &text, &arguments)
      arguments.append(values)
      text += " IN %@)"
    case .contains(let path, let value):
      arguments.append(value)
      text += "(%@ IN \(path.plainText(&arguments)))"
    case .list(let values):
      arguments.append(values)
      text += "%@"
    case .quantified(let comparison): text += comparison.text(&arguments)
    case .within(let path, _, let shape):
      text += "(\(path.text(&arguments)) IN %@)"
      arguments.append(shape)
    case .arithmetic(let operation, let left, let right):
      left.write(to: &text, &arguments, before: " \(operation.rawValue) ", right)
    case .and(let left, let right):
      left.writeCondition(to: &text, &arguments, before: " && ", right)
    case .or(let left, let right):
      left.writeCondition(to: &text, &arguments, before: " || ", right)
    case .not(let node):
      if case .path = node {
        node.write(to: &text, &arguments)
        text += " == false"
      } else {
        text += "NOT "
        node.writeCondition(to: &text, &arguments)
      }
    case .matchCount(let path, let condition):
      let length = path.collectionLength ?? path.names.count
      let collection = path.names[..<length].joined(separator: ".")
      let inner = condition.text(&arguments).replacingPaths(below: collection, by: "$col1")
      text += "SUBQUERY(\(collection), $col1, \(inner)).@count"
    }
  }

  private func writeCondition(to text: inout String, _ arguments: inout [Any]) {
    write(to: &text, &arguments)
    if case .path = self { text += " == true" }
  }

  /// Appends two values in parentheses.
  private func write(
    to text: inout String, _ arguments: inout [Any], before operation: String, _ right: QueryNode
  ) {
    text += "("
    write(to: &text, &arguments)
    text += operation
    right.write(to: &text, &arguments)
    text += ")"
  }

  /// Appends two conditions in parentheses.
  private func writeCondition(
    to text: inout String, _ arguments: inout [Any], before operation: String, _ right: QueryNode
  ) {
    text += "("
    writeCondition(to: &text, &arguments)
    text += operation
    right.writeCondition(to: &text, &arguments)
    text += ")"
  }
}

extension QuantifiedComparison {
  /// The text with the quantifiers in front of the sides that are collections.
  fileprivate func text(_ arguments: inout [Any]) -> String {
    func side(_ quantifier: Comparison.Quantifier, _ node: QueryNode) -> String {
      let word = quantifier == .all ? "ALL " : quantifier == .none ? "NONE " : ""
      if !word.isEmpty, case .path(let path) = node { return word + path.plainText(&arguments) }
      return word + node.text(&arguments)
    }
    let left = side(leftQuantifier, left)
    return "(\(left) \(operation.text)\(options.text) \(side(rightQuantifier, right)))"
  }
}

extension String {
  /// The text in which paths that begin with a collection begin with a variable.
  fileprivate func replacingPaths(below collection: String, by variable: String) -> String {
    var result = ""
    var rest = self[...]
    let prefix = "ANY \(collection)."
    while let range = rest.firstRange(of: prefix) {
      result += rest[..<range.lowerBound] + variable + "."
      rest = rest[range.upperBound...]
    }
    return result + rest
  }
}
