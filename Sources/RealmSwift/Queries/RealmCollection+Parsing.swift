// SPDX-License-Identifier: Apache-2.0

// Queries from outside of the program: a person, a file, a request.

import RealmQuery

extension RealmCollection {
  /// The elements that match a query string from outside of the program.
  ///
  /// ```swift
  /// let found = try products.filter(parsing: request.query["filter"], [request.user])
  /// ```
  ///
  /// The language is that of `filter(_:_:)`. Whatever the string and the arguments are, a mistake
  /// in them is an error. To let users search by some properties only, show them a projection of the
  /// data, or compose the query yourself. Traps for a collection that no realm manages.
  ///
  /// - Parameters:
  ///   - string: The query.
  ///   - arguments: What stands for `%@` and so on, in their order.
  /// - Throws: `QueryParsingError`, with the column.
  public func filter(parsing string: String, _ arguments: [Any] = []) throws -> Results<Element> {
    try _resultsSource.filtered(parsing: string, arguments)
  }
}

extension Map {
  /// The values that match a query string from outside of the program; see
  /// `RealmCollection.filter(parsing:_:)`. Objects that are nil are left out.
  ///
  /// - Throws: `QueryParsingError`, with the column.
  public func filter(parsing string: String, _ arguments: [Any] = []) throws -> Results<Value> {
    try resultsSource.filtered(parsing: string, arguments)
  }
}

extension Query where T == Bool {
  /// The condition that a query string from outside of the program states about objects of a class,
  /// to be used in `where` closures about that class.
  ///
  /// ```swift
  /// let condition = try Query(parsing: input, for: Product.self)
  /// let shown = realm.objects(Product.self).where { $0.isPublic && condition }
  /// ```
  ///
  /// The language is that of `RealmCollection.filter(_:_:)`, without orders, limits and `obj(…)`.
  ///
  /// - Parameters:
  ///   - string: The condition.
  ///   - arguments: What stands for `%@` and so on, in their order.
  ///   - model: The class that the condition is about.
  /// - Throws: `QueryParsingError`, with the column.
  public init<Model: ObjectBase>(
    parsing string: String, _ arguments: [Any] = [], for model: Model.Type
  ) throws {
    let query = try QueryMistake.reporting(in: string) {
      try QueryBinder.bound(string, arguments, of: nil, on: ModelSchema.of(model))
    }
    guard query.steps.isEmpty else {
      throw QueryParsingError(
        query: string,
        QueryMistake("Invalid predicate: a condition has no SORT, DISTINCT, LIMIT or OFFSET"))
    }
    self.init(query.condition)
  }
}

extension _ResultsSource {
  /// Results with the elements that match a query string from outside.
  fileprivate func filtered<Element: RealmCollectionValue>(
    parsing string: String, _ arguments: [Any]
  ) throws -> Results<Element> {
    state.core.checkIsolation()
    return try QueryMistake.reporting(in: string) {
      let query = try QueryBinder.bound(
        string, arguments, of: state.core, on: state.info?.schema, state.info)
      if lacksTable { return Results(state) }
      return try filtered(binding: query)
    }
  }
}
