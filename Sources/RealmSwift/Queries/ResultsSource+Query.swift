// SPDX-License-Identifier: Apache-2.0

// Results of collections: filtered, sorted, without equal elements, and cut.

import RealmQuery
import RealmSession

extension _ResultsSource {
  /// Results with the elements that match a condition.
  ///
  /// - Parameter isChecked: Whether the types of Swift do not make sure that the condition fits the
  ///   columns, so that it is tried here and not where the results are first read.
  func filtered<Element: RealmCollectionValue>(
    by condition: Predicate, isChecked: Bool = false
  ) -> Results<Element> {
    if !isChecked, let info = state.info {
      let binder = PlainBinder(info.schema)
      if let equality = binder.equality(condition), let found = filtered(by: equality, condition) {
        return Results(found)
      }
      if let bound = binder.bind(condition) { return filtered(by: bound, written: condition) }
    }
    return state.searching(
      try trappingMistakes(filtered(binding: ParsedQuery(condition), isChecked: isChecked)),
      else: Results(state))
  }

  /// The objects for which an equality holds; nil where it has to be bound, as there is more in the
  /// query, or many threads use it.
  func filtered(by equality: PlainEquality, _ written: Predicate) -> ResultsState? {
    guard state.isWholeTable, !state.core.isFrozen else { return nil }
    state.core.checkIsolation()
    return ResultsState(equality, of: state, written: written)
  }

  /// Results with the objects that match a condition on columns, of which the types of Swift make
  /// sure that it fits.
  func filtered<Element: RealmCollectionValue>(
    by condition: BoundPredicate, written: Predicate
  ) -> Results<Element> {
    state.core.checkIsolation()
    return refined(
      state.query.adding(.filter(condition)),
      written: state.written.map { .and($0, written) } ?? written)
  }

  /// Results with the elements that match a query string, in the order that it asks for.
  func filtered<Element: RealmCollectionValue>(
    by format: String, _ arguments: [Any]
  ) -> Results<Element> {
    state.searching(
      try trappingMistakes(in: format, filtered(binding: ParsedQuery(format, arguments))),
      else: Results(state))
  }

  /// Results with the elements that match a query, in the order that it asks for.
  ///
  /// - Parameter isFromOutside: Whether people typed it, who are to learn what cannot be found.
  /// - Throws: `QueryError` for what does not fit the class of the elements, or the schema.
  func filtered<Element: RealmCollectionValue>(
    binding query: ParsedQuery, isChecked: Bool = true, isFromOutside: Bool = false
  ) throws(QueryError) -> Results<Element> {
    state.core.checkIsolation()
    if lacksTable { return Results(state) }
    let binder = QueryBinder(RealmQuerySchema(core: state.core), on: state.info?.schema)
    let (condition, steps) = try binder.bind(query)
    if isFromOutside { try condition.requireSearchableWords() }
    var start = state.query
    if state.info == nil, let type = Element._shape.columnType { start.valueType = type }
    let whole = steps.reduce(start.adding(.filter(condition))) { $0.adding($1) }
    let written = state.written.map { .and($0, query.condition) } ?? query.condition
    let results: Results<Element> = refined(whole, written: written)
    // The types of Swift do not say whether an embedded object is a position on the earth.
    if isChecked || condition.asksForPositions { try results.state.checkQuery() }
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
    return refined(state.query.adding(.sort(order)))
  }

  /// Results with the first of the elements that have the same values of some properties.
  func distinct<Element: RealmCollectionValue>(by keyPaths: [String]) -> Results<Element> {
    state.core.checkIsolation()
    if keyPaths.isEmpty || lacksTable { return Results(state) }
    let typeName = Element._shape.type.description
    let order = SortOrder(keyPaths.map { criterion(SortDescriptor(keyPath: $0), typeName) })
    state.check(order)
    return refined(state.query.adding(.distinct(order)))
  }

  /// Results with some of the elements, by their positions.
  func cut<Element: RealmCollectionValue>(_ step: QueryStep) -> Results<Element> {
    state.core.checkIsolation()
    if lacksTable { return Results(state) }
    return refined(state.query.adding(step))
  }

  private func criterion(_ descriptor: SortDescriptor, _ typeName: String) -> SortOrder.Criterion {
    let path: ColumnPath
    if let info = state.info {
      path = info.sortPath(descriptor.keyPath)
    } else {
      guard descriptor.keyPath == "self" else {
        throwRealmException(
          "Cannot sort on key path '\(descriptor.keyPath)': arrays of '\(typeName)' can only be "
            + "sorted on 'self'.")
      }
      path = .itself
    }
    return SortOrder.Criterion(path, isAscending: descriptor.ascending)
  }

  private func refined<Element: RealmCollectionValue>(
    _ query: TableQuery, written: Predicate? = nil
  ) -> Results<Element> {
    Results(
      ResultsState(
        state.source, state.core, state.info, query, written: written ?? state.written))
  }
}

extension ParsedQuery {
  /// The query that a string spells, with arguments of the program.
  init(_ format: String, _ arguments: [Any]) throws(QueryError) {
    do throws(QuerySyntaxError) {
      self = try QueryParser.parse(format, arguments.map(QueryArguments.plain))
    } catch { throw QueryError(error) }
  }
}
