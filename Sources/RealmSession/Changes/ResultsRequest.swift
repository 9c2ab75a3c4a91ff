// SPDX-License-Identifier: Apache-2.0

// Which elements of a source results hold, and in which order.

package import RealmQuery
package import RealmTables

/// The filters, orders and cuts of results, as they were asked for one after the other.
///
/// Filtering keeps the order and sorting is stable, so as long as there is nothing else it does not
/// matter in which sequence they were asked for: all filters apply together, and of several sorts
/// the last is the most important. From the first `distinct` or limit on, each step sees what the
/// one before it left.
package struct ResultsRequest: Hashable, Sendable {
  /// What the elements must match; nil if everything does.
  package private(set) var predicate: Predicate?
  /// How elements are ordered; nil for the order of the source.
  package private(set) var order: SortOrder?
  /// What is done with the ordered elements.
  package private(set) var rest: [QueryStep]

  package init(predicate: Predicate? = nil, order: SortOrder? = nil, rest: [QueryStep] = []) {
    self.predicate = predicate
    self.order = order
    self.rest = rest
  }

  /// Whether the results hold what the source does.
  package var isEverything: Bool { predicate == nil && order == nil && rest.isEmpty }

  /// Whether the elements are those that match, in the order of the source.
  package var isFilter: Bool { order == nil && rest.isEmpty }

  /// Whether elements are told apart.
  package var hasDistinct: Bool {
    rest.contains { if case .distinct = $0 { true } else { false } }
  }

  /// The request with another step behind it.
  ///
  /// Telling objects apart by what links lead to leaves out those whose links lead nowhere.
  package func adding(_ step: QueryStep) -> ResultsRequest {
    var request = self
    switch step {
    case .distinct(let order):
      if let condition = order.linksExist { request = adding(.filter(condition)) }
      request.rest = request.rest.adding(step)
    case .filter(let condition) where rest.isEmpty:
      request.predicate = predicate.map { .all([$0, condition]) } ?? condition
    case .sort(let order) where rest.isEmpty:
      request.order = SortOrder(order.criteria + (self.order?.criteria ?? []))
    default: request.rest = rest.adding(step)
    }
    return request
  }

  /// All steps, in the sequence in which they are made.
  package var steps: [QueryStep] {
    (predicate.map { [.filter($0)] } ?? []) + (order.map { [.sort($0)] } ?? []) + rest
  }

  /// The live query that makes the request of a whole table.
  package func query(of table: TableKey) -> LiveQuery {
    LiveQuery(table: table, predicate: predicate, order: order, rest: rest)
  }
}
