// SPDX-License-Identifier: Apache-2.0

// Bound conditions as `explain()` shows them.

import RealmTables

extension BoundComparison {
  /// The comparison as query strings spell it.
  var text: String {
    "\(leftQuantifier.text)\(left.text) \(operation.text)\(options.text) "
      + "\(rightQuantifier.text)\(right.text)"
  }
}

extension BoundPredicate {
  /// The condition as query strings spell it.
  var text: String {
    switch self {
    case .constant(let truth): truth ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .all(let parts): "(" + parts.map(\.text).joined(separator: " AND ") + ")"
    case .any(let parts): "(" + parts.map(\.text).joined(separator: " OR ") + ")"
    case .not(let part): "NOT " + part.text
    case .comparison(let comparison): comparison.text
    case .within(let path, _): "\(path.text) within a region"
    }
  }
}

extension BoundOperand {
  var text: String {
    switch self {
    case .value(.binary(let bytes)): TableValue.binary(bytes).text
    case .value(let value): value.literal
    case .values(let values):
      values.count <= 3
        ? "{" + values.map { BoundOperand.value($0).text }.joined(separator: ", ") + "}"
        : "{\(values.count) values}"
    case .property(let path): path.fullText
    case .outer(let level, let path):
      String(repeating: "outer.", count: level) + path.fullText
    case .matchCount(let path, let predicate, let level):
      "SUBQUERY(" + String(repeating: "outer.", count: level)
        + "\(path.text), $, \(predicate.text)).@count"
    case .arithmetic(let operation, let left, let right):
      "(\(left.text) \(operation.text) \(right.text))"
    }
  }
}
