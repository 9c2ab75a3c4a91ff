// SPDX-License-Identifier: Apache-2.0

// The one form of a query that is run: by results, by observers, and by single questions.

package import RealmTables

/// The elements of a source that match a condition, in an order, cut by further steps; independent
/// of any version.
///
/// The source is the table's objects, or a collection of some of them, or of values.
///
/// Filtering keeps the order and sorting is stable, so as long as there is nothing else it does not
/// matter in which sequence they were asked for: all filters apply together, and of several sorts
/// the last is the most important. From the first `distinct` or limit on, each step sees what the
/// one before it left.
package struct TableQuery: Hashable, Sendable {
  /// The table of the objects; null for values, and for objects whose class has no table.
  package let table: TableKey
  /// Nil selects all elements.
  package private(set) var condition: BoundPredicate?
  /// Nil is the order of the source; for a table that of the keys.
  package private(set) var order: SortOrder?
  /// The steps that the ordered elements go through.
  package private(set) var steps: [QueryStep]
  /// The type of the values, of a query over values that all have one.
  package var valueType = ColumnType.mixed

  package init(
    _ table: TableKey, where condition: BoundPredicate? = nil, order: SortOrder? = nil,
    steps: [QueryStep] = []
  ) {
    self.table = table
    self.condition = condition
    self.order = order
    self.steps = steps
  }

  /// Whether the result holds what the source does.
  package var isEverything: Bool { condition == nil && isInSourceOrder }

  /// Whether the elements are those that match, in the order of the source.
  package var isInSourceOrder: Bool { order == nil && steps.isEmpty }

  /// Whether elements are left out that equal others.
  package var hasDistinct: Bool {
    steps.contains { if case .distinct = $0 { true } else { false } }
  }

  /// The query with another step after it.
  ///
  /// Comparing objects by what links lead to leaves out those whose links lead nowhere.
  package func adding(_ step: QueryStep) -> TableQuery {
    var query = self
    switch step {
    case .distinct(let order):
      if let condition = order.linksExist { query = adding(.filter(condition)) }
      query.steps = query.steps.adding(step)
    case .filter(let condition) where steps.isEmpty:
      query.condition = self.condition.map { $0.and(condition) } ?? condition
    case .sort(let order) where steps.isEmpty:
      query.order = SortOrder(order.criteria + (self.order?.criteria ?? []))
    default: query.steps = steps.adding(step)
    }
    return query
  }

  /// All that the query does, in the sequence in which it is done.
  var allSteps: [QueryStep] {
    (condition.map { [.filter($0)] } ?? []) + (order.map { [.sort($0)] } ?? []) + steps
  }
}
