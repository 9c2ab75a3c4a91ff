// SPDX-License-Identifier: Apache-2.0

// Which elements of a source results hold, and in which order.

import RealmQuery

/// The filter and the order of results.
///
/// Filtering keeps the order and sorting is stable, so it does not matter in which sequence they
/// were asked for: all filters apply together, and of several sorts the last is the most important.
struct ResultsRequest: Hashable, Sendable {
  /// What the elements must match; nil if everything does.
  private(set) var predicate: Predicate?
  /// How objects are ordered; nil for the order of the source.
  private(set) var order: SortOrder?
  /// Whether values, which have no properties, ascend; nil for the order of the source.
  private(set) var valuesAscend: Bool?

  init(predicate: Predicate? = nil, order: SortOrder? = nil) {
    self.predicate = predicate
    self.order = order
  }

  /// Whether the results hold what the source does.
  var isEverything: Bool { predicate == nil && order == nil && valuesAscend == nil }

  func filtered(by condition: Predicate) -> ResultsRequest {
    var request = self
    request.predicate = predicate.map { .all([$0, condition]) } ?? condition
    return request
  }

  func sorted(by criteria: [SortOrder.Criterion]) -> ResultsRequest {
    var request = self
    request.order = SortOrder(criteria + (order?.criteria ?? []))
    return request
  }

  func sorted(ascending: Bool) -> ResultsRequest {
    var request = self
    request.valuesAscend = ascending
    return request
  }
}
