// SPDX-License-Identifier: Apache-2.0

// Conditions as people read them, for what `explain()` says.

import RealmTables

extension Comparison {
  /// The comparison as strings spell it.
  var text: String {
    "\(leftQuantifier.text)\(left.text) \(operation.text)\(options.text) "
      + "\(rightQuantifier.text)\(right.text)"
  }
}

extension Predicate {
  /// The condition as strings spell it.
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

extension Comparison.Quantifier {
  /// As strings spell it in front of an operand.
  package var text: String {
    switch self {
    case .any: ""
    case .all: "ALL "
    case .none: "NONE "
    }
  }
}

extension Operand {
  var text: String {
    switch self {
    case .value(.string(let text)): "\"\(text)\""
    case .value(.objectId(let id)): "oid(\(TableValue.objectId(id).text))"
    case .value(.uuid(let id)): "uuid(\(TableValue.uuid(id).text))"
    case .value(let value): value.text
    case .values(let values):
      values.count <= 3
        ? "{" + values.map { Operand.value($0).text }.joined(separator: ", ") + "}"
        : "{\(values.count) values}"
    case .property(let path): path.fullText
    case .outer(let level, let path):
      String(repeating: "outer.", count: level) + path.fullText
    case .matchCount(let path, let predicate):
      "SUBQUERY(\(path.text), $, \(predicate.text)).@count"
    case .arithmetic(let operation, let left, let right):
      "(\(left.text) \(operation == .remainder ? "%%" : operation.rawValue) \(right.text))"
    }
  }
}

extension ComparisonOperator {
  /// As strings spell it.
  package var text: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .between: "BETWEEN"
    case .in: "IN"
    case .beginsWith: "BEGINSWITH"
    case .endsWith: "ENDSWITH"
    case .contains: "CONTAINS"
    case .like: "LIKE"
    case .text: "TEXT"
    }
  }
}

extension TextOptions {
  /// As strings spell them behind an operator.
  package var text: String {
    isEmpty
      ? ""
      : "[\(contains(.caseInsensitive) ? "c" : "")\(contains(.diacriticInsensitive) ? "d" : "")]"
  }
}

extension SortOrder {
  /// The criteria, the most important first.
  var text: String {
    criteria.map { "\($0.path.fullText) \($0.isAscending ? "ascending" : "descending")" }
      .joined(separator: ", ")
  }
}
