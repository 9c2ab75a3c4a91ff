// SPDX-License-Identifier: Apache-2.0

// Queries from outside of the program: a person, a file, a request.

import Foundation
import RealmQuery

extension RealmCollection {
  /// The elements that match a query string from outside of the program.
  ///
  /// ```swift
  /// let found = try products.filter(parsing: request.query["filter"], [request.user])
  /// ```
  ///
  /// The language is that of `filter(_:_:)`. Whatever the string and the arguments are, a mistake
  /// in them is an error, and so are more than 65,536 comparisons, or 128 levels of parentheses,
  /// negations and subqueries. Words to search for that have no letter of a full-text index are
  /// one, too. To let users search by some properties only, compose the query yourself.
  /// Traps for a collection that no realm manages.
  ///
  /// - Parameters:
  ///   - string: The query.
  ///   - arguments: The values of `%@` and so on, in their order.
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
  /// The language is that of `RealmCollection.filter(_:_:)`, without orders, limits and objects.
  /// The condition is checked against the classes in an empty realm in memory.
  ///
  /// - Parameters:
  ///   - string: The condition.
  ///   - arguments: The values of `%@` and so on, in their order.
  ///   - model: The class that the condition is about.
  /// - Throws: `QueryParsingError`, with the column.
  public init<Model: Object>(
    parsing string: String, _ arguments: [Any] = [], for model: Model.Type
  ) throws {
    let query = try QueryParsingError.reporting(
      in: string, Model.checked(ParsedQuery(string, arguments)))
    guard query.modifiers.isEmpty else {
      throw QueryParsingError(
        query: string,
        .invalid("Invalid predicate: a condition has no SORT, DISTINCT, LIMIT or OFFSET"))
    }
    self.init(query.condition)
  }
}

extension Object {
  /// A query about objects of the class that was checked.
  fileprivate static func checked(_ query: ParsedQuery) throws(QueryError) -> ParsedQuery {
    var classes: [ObjectBase.Type] = [self]
    var known = Set(classes.map { ObjectIdentifier($0) })
    var position = 0
    while position < classes.count {
      for property in ModelSchema.of(classes[position]).properties {
        guard let linked = property.shape.linkedClass else { continue }
        if known.insert(ObjectIdentifier(linked)).inserted { classes.append(linked) }
      }
      position += 1
    }
    let configuration = Realm.Configuration(
      inMemoryIdentifier: "classes of a query \(UUID())", objectTypes: classes)
    let core: RealmCore
    do throws(Realm.Error) { core = try RealmOpener(configuration).openFrozen() } catch {
      throw .invalid("\(error)")
    }
    let schema = RealmQuerySchema(core: core, hasObjects: false)
    let info = core.classes[self]
    let (condition, _) = try QueryBinder(schema, on: info.schema).bind(query)
    try condition.requireSearchableWords()
    try ResultsState(.table, core, info, TableQuery(info.tableKey, where: condition)).checkQuery()
    return query
  }
}

extension _ResultsSource {
  /// Results with the elements that match a query string from outside.
  fileprivate func filtered<Element: RealmCollectionValue>(
    parsing string: String, _ arguments: [Any]
  ) throws -> Results<Element> {
    try QueryParsingError.reporting(
      in: string, filtered(binding: ParsedQuery(string, arguments), isFromOutside: true))
  }
}
