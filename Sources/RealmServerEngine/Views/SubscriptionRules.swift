// SPDX-License-Identifier: Apache-2.0

// The limits of subscriptions (P4 B.2).

import RealmQuery
import RealmSyncProtocol
import RealmTables

/// Checks a condition of a subscription.
struct SubscriptionRules {
  let className: String
  let schema: TableSchema
  /// The properties with positions on the earth.
  var points: Set<String> = []
  /// Takes the names of the properties in the condition.
  var noteField: (String) -> Void = { _ in }

  /// - Throws: `SessionRefusal` with the code 226.
  func check(_ query: ParsedQuery) throws(SessionRefusal) {
    guard query.modifiers.isEmpty else { throw Self.invalid("SORT, DISTINCT and LIMIT") }
    try check(query.condition)
  }

  static func invalid(_ what: String) -> SessionRefusal {
    SessionRefusal(.badQuery, "Invalid query: \(what) are not supported in subscriptions")
  }

  /// The refusal of a condition on a property hidden by the user's role.
  static func hidden(_ field: String, ofClass name: String) -> SessionRefusal {
    SessionRefusal(
      .badQuery, "Invalid query: \"\(name)\": the user may not read \"\(field)\"")
  }

  private func check(_ condition: Predicate) throws(SessionRefusal) {
    for leaf in condition.leaves {
      switch leaf {
      case .constant, .node: continue
      case .isTrue(let operand): try check(operand)
      case .comparison(let comparison): try check(comparison)
      }
    }
  }

  private func check(_ comparison: Comparison) throws(SessionRefusal) {
    if case .region = comparison.right { return try checkPoint(comparison.left) }
    try check(comparison.left)
    try check(comparison.right)
    if isMany(comparison.left), isMany(comparison.right) {
      throw Self.invalid("comparisons of lists with lists")
    }
  }

  private func check(_ operand: Operand) throws(SessionRefusal) {
    switch operand {
    case .value, .longNumber: return
    case .list(let elements): for element in elements { try check(element) }
    case .path(let path): try check(path)
    case .object: throw Self.invalid("objects")
    case .region: throw Self.invalid("regions")
    case .constant, .argument: throw Self.invalid("arguments")
    case .matchCount: throw Self.invalid("subqueries")
    case .arithmetic: throw Self.invalid("calculations")
    case .condition: throw Self.invalid("conditions as values")
    }
  }

  /// Checks the left side of a region's condition.
  private func checkPoint(_ operand: Operand) throws(SessionRefusal) {
    guard case .path(let path) = operand, path.components.count == 1,
      case .property(let name, _)? = path.components.first
    else { throw Self.invalid("regions beside other things than fields") }
    guard points.contains(name) else { throw notQueryable(name) }
    noteField(name)
  }

  private func notQueryable(_ name: String) -> SessionRefusal {
    SessionRefusal(
      .badQuery, "Invalid query: \"\(className)\": key \"\(name)\" is not a queryable field")
  }

  private func check(_ path: PropertyPath) throws(SessionRefusal) {
    guard case .property(let name, _)? = path.components.first else {
      throw Self.invalid("key paths without a property")
    }
    for component in path.components.dropFirst() {
      switch component {
      case .function("count"), .function("size"): continue
      case .function: throw Self.invalid("aggregates")
      default: throw Self.invalid("key paths across links")
      }
    }
    guard let column = schema.column(named: name), column.isQueryable else {
      throw notQueryable(name)
    }
    noteField(name)
  }

  /// Whether an operand is a collection and no number made of it.
  private func isMany(_ operand: Operand) -> Bool {
    guard case .path(let path) = operand, path.components.count == 1,
      case .property(let name, _)? = path.components.first
    else { return false }
    return schema.column(named: name).map { $0.collection != .none } ?? false
  }
}
