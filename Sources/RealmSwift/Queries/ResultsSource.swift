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
    let predicate = PredicateBuilder(state.core).predicate(node)
    return refined(state.request.filtered(by: predicate))
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
            info.schema.columnPath(of: $0.keyPath), isAscending: $0.ascending)
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

extension ModelSchema {
  /// The names of the columns on a key path of property names.
  func columnPath(of keyPath: String) -> [String] {
    var schema: ModelSchema? = self
    return keyPath.split(separator: ".", omittingEmptySubsequences: false).map { part in
      let property = schema?.property(named: String(part))
      schema = property?.shape.linkedClass.map(ModelSchema.of)
      return property?.columnName ?? String(part)
    }
  }
}
