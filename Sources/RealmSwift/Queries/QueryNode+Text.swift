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
      switch node {
      case .path:
        node.write(to: &text, &arguments)
        text += " == false"
      case .comparison, .between, .oneOf, .contains, .within:
        // The negation of a single comparison stands within its parentheses.
        var inner = ""
        node.write(to: &inner, &arguments)
        text += "(NOT " + inner.dropFirst()
      default:
        text += "NOT "
        node.writeCondition(to: &text, &arguments)
      }
    case .matchCount(let path, let condition):
      let length = path.collectionLength ?? path.names.count
      let names = path.names[..<length]
      let inner = condition.mappingPaths { $0.inside(names, called: "$col1") }
      text += "SUBQUERY(\(path.collectionText(length)), $col1, \(inner.text(&arguments))).@count"
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

extension QueryNode {
  /// The node with other paths.
  fileprivate func mappingPaths(_ body: (QueryPath) -> QueryPath) -> QueryNode {
    switch self {
    case .root, .constant, .list: return self
    case .path(let path): return .path(body(path))
    case .comparison(let left, let operation, let right, let options):
      return .comparison(left.mappingPaths(body), operation, right.mappingPaths(body), options)
    case .between(let node, let lower, let upper):
      return .between(node.mappingPaths(body), lower, upper)
    case .oneOf(let node, let values): return .oneOf(node.mappingPaths(body), values)
    case .contains(let path, let value): return .contains(body(path), value)
    case .and(let left, let right): return .and(left.mappingPaths(body), right.mappingPaths(body))
    case .or(let left, let right): return .or(left.mappingPaths(body), right.mappingPaths(body))
    case .not(let node): return .not(node.mappingPaths(body))
    case .matchCount(let path, let condition):
      return .matchCount(body(path), condition.mappingPaths(body))
    case .arithmetic(let operation, let left, let right):
      return .arithmetic(operation, left.mappingPaths(body), right.mappingPaths(body))
    case .quantified(var comparison):
      comparison.left = comparison.left.mappingPaths(body)
      comparison.right = comparison.right.mappingPaths(body)
      return .quantified(comparison)
    case .within(let path, let region, let shape):
      return .within(body(path), region, shape: shape)
    }
  }
}
