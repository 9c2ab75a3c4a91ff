// SPDX-License-Identifier: Apache-2.0

// What collections are refined from.

import RealmQuery
import RealmSession
import RealmTables

/// A managed collection as the source of results.
public struct _ResultsSource {
  let state: ResultsState
  /// Whether these are values that no realm has, of which only the conditions are wanted.
  private let isOfValues: Bool

  init(_ state: ResultsState, isOfValues: Bool = false) {
    self.state = state
    self.isOfValues = isOfValues
  }

  /// Whether these are the objects of a class that a read-only file has no table for.
  var lacksTable: Bool {
    if case .table = state.source { state.info == nil && !isOfValues } else { false }
  }

  /// Results with the elements that match a condition.
  func filtered<Element: RealmCollectionValue>(by node: QueryNode) -> Results<Element> {
    state.core.checkIsolation()
    if lacksTable { return Results(state) }
    let predicate = PredicateBuilder(state.core, state.info).predicate(node)
    let results: Results<Element> = refined(state.request.adding(.filter(predicate)))
    // The types of Swift do not tell whether an embedded object is a place.
    if predicate.asksForPlaces { QueryMistake.trapping { try results.state.checkRequest() } }
    return results
  }

  /// Results with the elements that match a query string, in the order that it asks for.
  func filtered<Element: RealmCollectionValue>(
    by format: String, _ arguments: [Any]
  ) -> Results<Element> {
    state.core.checkIsolation()
    if lacksTable { return Results(state) }
    return filtered(by: QueryBinder.query(format, arguments, of: state.core, on: state.info))
  }

  /// Results with the elements that match a query that was bound to the class of the elements.
  func filtered<Element: RealmCollectionValue>(by query: BoundQuery) -> Results<Element> {
    state.core.checkIsolation()
    if lacksTable { return Results(state) }
    return QueryMistake.trapping { try filtered(binding: query) }
  }

  /// Results with the elements that match a query that was bound to the class of the elements.
  ///
  /// - Throws: `QueryMistake`, or a `QueryError` for what the schema does not admit.
  func filtered<Element: RealmCollectionValue>(binding query: BoundQuery) throws -> Results<Element>
  {
    let predicate = try PredicateBuilder(state.core, state.info).build(query.condition)
    var request = state.request.adding(.filter(predicate))
    for step in query.steps { request = request.adding(step) }
    let results: Results<Element> = refined(request)
    // What the schema does not admit is told here, not where the results are first looked at.
    try results.state.checkRequest()
    return results
  }

  /// Results with the same elements in another order.
  func sorted<Element: RealmCollectionValue>(by descriptors: [SortDescriptor]) -> Results<Element> {
    state.core.checkIsolation()
    if descriptors.isEmpty || lacksTable { return Results(state) }
    let typeName = Element._shape.type.description
    guard state.info != nil || descriptors.count == 1 else {
      throwRealmException("Cannot sort array of '\(typeName)' on more than one key path")
    }
    let order = SortOrder(descriptors.map { criterion($0, typeName) })
    state.check(order)
    return refined(state.request.adding(.sort(order)))
  }

  /// Results with the first of the elements that have the same values of some properties.
  func distinct<Element: RealmCollectionValue>(by keyPaths: [String]) -> Results<Element> {
    state.core.checkIsolation()
    if keyPaths.isEmpty || lacksTable { return Results(state) }
    let typeName = Element._shape.type.description
    let order = SortOrder(keyPaths.map { criterion(SortDescriptor(keyPath: $0), typeName) })
    state.check(order)
    return refined(state.request.adding(.distinct(order)))
  }

  /// Results with some of the elements, by their positions.
  func cut<Element: RealmCollectionValue>(_ step: QueryStep) -> Results<Element> {
    state.core.checkIsolation()
    if lacksTable { return Results(state) }
    return refined(state.request.adding(step))
  }

  private func criterion(
    _ descriptor: SortDescriptor, _ typeName: String
  ) -> SortOrder.Criterion {
    let path: PropertyPath
    if let info = state.info {
      path = info.sortPath(descriptor.keyPath)
    } else {
      guard descriptor.keyPath == "self" else {
        throwRealmException(
          "Cannot sort on key path '\(descriptor.keyPath)': arrays of '\(typeName)' can only be "
            + "sorted on 'self'.")
      }
      path = ValueSteps.path
    }
    return SortOrder.Criterion(path, isAscending: descriptor.ascending)
  }

  private func refined<Element: RealmCollectionValue>(_ request: ResultsRequest) -> Results<Element>
  {
    Results(ResultsState(state.source, state.core, state.info, request))
  }
}
