// SPDX-License-Identifier: Apache-2.0

// A query as the text of a predicate, for messages and logs.

import RealmQuery

extension QueryNode {
  /// The text with `%@` for each constant, which is appended to `arguments`.
  func text(_ arguments: inout [Any]) -> String {
    switch self {
    case .root: return "self"
    case .path(let path): return path.text(&arguments)
    case .constant(let value):
      arguments.append(value)
      return "%@"
    case .comparison(let left, let operation, let right, let options):
      return "(\(left.text(&arguments)) \(operation.text)\(options.text) "
        + "\(right.text(&arguments)))"
    case .between(let left, let lower, let upper):
      let text = left.text(&arguments)
      arguments += [lower, upper]
      return "(\(text) BETWEEN {%@, %@})"
    case .oneOf(let left, let values):
      let text = left.text(&arguments)
      arguments.append(values)
      return "(\(text) IN %@)"
    case .contains(let path, let value):
      arguments.append(value)
      return "(%@ IN \(path.plainText(&arguments)))"
    case .list(let values):
      arguments.append(values)
      return "%@"
    case .quantified(let comparison): return comparison.text(&arguments)
    case .within(let path, _, let shape):
      let text = path.text(&arguments)
      arguments.append(shape)
      return "(\(text) IN %@)"
    case .arithmetic(let operation, let left, let right):
      return "(\(left.text(&arguments)) \(operation.rawValue) \(right.text(&arguments)))"
    case .and(let left, let right):
      return "(\(left.conditionText(&arguments)) && \(right.conditionText(&arguments)))"
    case .or(let left, let right):
      return "(\(left.conditionText(&arguments)) || \(right.conditionText(&arguments)))"
    case .not(let node):
      if case .path = node { return "\(node.text(&arguments)) == false" }
      return "NOT \(node.conditionText(&arguments))"
    case .matchCount(let path, let condition):
      let length = path.collectionLength ?? path.names.count
      let collection = path.names[..<length].joined(separator: ".")
      let text = condition.text(&arguments).replacingPaths(below: collection, by: "$col1")
      return "SUBQUERY(\(collection), $col1, \(text)).@count"
    }
  }

  /// The text where a condition is expected: a property alone stands for its being true.
  func conditionText(_ arguments: inout [Any]) -> String {
    if case .path = self { return "\(text(&arguments)) == true" }
    return text(&arguments)
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
