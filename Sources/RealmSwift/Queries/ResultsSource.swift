// SPDX-License-Identifier: Apache-2.0

// What collections are refined from.

import RealmQuery
import RealmTables

/// A managed collection as the source of results.
public struct _ResultsSource {
  let state: ResultsState

  init(_ state: ResultsState) { self.state = state }

  /// Results with the elements that match a condition.
  func filtered<Element: RealmCollectionValue>(by node: QueryNode) -> Results<Element> {
    state.core.checkIsolation()
    let predicate = PredicateBuilder(state.core, state.info).predicate(node)
    return refined(state.request.filtered(by: predicate))
  }

  /// Results with the elements that match a query string; its order, if it has one, comes first.
  func filtered<Element: RealmCollectionValue>(
    by format: String, _ arguments: [Any]
  ) -> Results<Element> {
    state.core.checkIsolation()
    guard let info = state.info else {
      throwRealmException("Only collections of objects can be filtered.")
    }
    let query = QueryBinder.query(format, arguments, on: info)
    return filtered(by: query)
  }

  /// Results with the elements that match a query that was bound to the class of the elements.
  func filtered<Element: RealmCollectionValue>(by query: BoundQuery) -> Results<Element> {
    let results: Results<Element> = filtered(by: query.condition)
    // What the schema does not admit is told here, not where the results are first looked at.
    results.state.checkPredicate()
    return query.order.isEmpty ? results : results._resultsSource.sorted(by: query.order)
  }

  /// Results with the same elements in another order.
  func sorted<Element: RealmCollectionValue>(by descriptors: [SortDescriptor]) -> Results<Element> {
    state.core.checkIsolation()
    if descriptors.isEmpty { return Results(state) }
    guard let info = state.info else { return sortedValues(by: descriptors) }
    return refined(
      state.request.sorted(
        by: descriptors.map {
          SortOrder.Criterion(
            info.columnPath(of: $0.keyPath), isAscending: $0.ascending)
        }))
  }

  private func sortedValues<Element: RealmCollectionValue>(
    by descriptors: [SortDescriptor]
  ) -> Results<Element> {
    let type = Element._shape.type.description
    guard descriptors.count == 1 else {
      throwRealmException("Cannot sort array of '\(type)' on more than one key path")
    }
    guard descriptors[0].keyPath == "self" else {
      throwRealmException(
        "Cannot sort on key path '\(descriptors[0].keyPath)': arrays of '\(type)' can only be "
          + "sorted on 'self'.")
    }
    return refined(state.request.sorted(ascending: descriptors[0].ascending))
  }

  private func refined<Element: RealmCollectionValue>(_ request: ResultsRequest) -> Results<Element>
  {
    Results(ResultsState(state.source, state.core, state.info, request))
  }
}
