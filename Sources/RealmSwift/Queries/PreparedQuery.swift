// SPDX-License-Identifier: Apache-2.0

// Queries that are written once and run with many values.

import RealmQuery
import RealmSession

/// A query whose condition is written once, and which is called with the values it compares with.
///
/// ```swift
/// let named = realm.prepare(Todo.self) { (todo, name: QueryArgument<String>) in todo.name == name
/// } for name in names { if let todo = named(name).first { show(todo) } }
/// ```
/// Calling it gives what `realm.objects(Todo.self).where { $0.name == name }` does, in less time:
/// the condition is neither described nor looked up in the class again. That is worth the while for
/// thousands of look-ups in an index; a query that reads many objects takes its time there.
///
/// A prepared query is confined as its realm is. It lives as long as it is kept, across versions of
/// the realm, and keeps the realm open.
public struct PreparedQuery<Element: RealmFetchable, each Argument> {
  private let source: _ResultsSource
  private let condition: PreparedCondition

  fileprivate init(_ source: _ResultsSource, _ condition: PreparedCondition) {
    self.source = source
    self.condition = condition
  }

  /// The objects that match the condition with these values; the results are live.
  ///
  /// Traps on a thread that is not the realm's, and for a value with which objects cannot be
  /// compared, as `where` does.
  public func callAsFunction(_ argument: repeat each Argument) -> Results<Element> {
    var values: [Any] = []
    for value in repeat each argument { values.append(value) }
    return source.filtered(by: condition, values)
  }
}

extension Realm {
  /// Prepares a query that is called with values of its arguments.
  ///
  /// ```swift
  /// let urgent = realm.prepare(Todo.self) {
  ///   (todo, owner: QueryArgument<String>, least: QueryArgument<Int>) in
  ///   todo.owner == owner && todo.priority >= least
  /// }
  /// let hers = urgent("Ada", 3)
  /// ```
  /// - Parameters:
  ///   - type: The class of the objects, or a projection.
  ///   - isIncluded: Describes the condition, as the closure of `where` does; it runs once. It
  ///     takes the object and any number of arguments, whose types it names.
  /// - Returns: A function of the arguments' values.
  public func prepare<Element: RealmFetchable, each Argument>(
    _ type: Element.Type,
    where isIncluded: (Query<Element>, repeat QueryArgument<each Argument>) -> Query<Bool>
  ) -> PreparedQuery<Element, repeat each Argument> {
    let source = objects(type)._resultsSource
    let number = PreparedCondition.nextNumber()
    var count = 0
    func next<Value>(_ type: Value.Type) -> QueryArgument<Value> {
      defer { count += 1 }
      return QueryArgument(placeholder: QueryPlaceholder(index: count, preparation: number))
    }
    let condition = isIncluded(.subject, repeat next((each Argument).self)).asCondition
    return PreparedQuery(
      source, PreparedCondition(condition, number: number, source.state.info?.schema))
  }
}

extension _ResultsSource {
  /// Results with the elements that match a prepared condition with some values.
  fileprivate func filtered<Element: RealmCollectionValue>(
    by condition: PreparedCondition, _ values: [Any]
  ) -> Results<Element> {
    let written = condition.filled(values)
    if let equality = condition.equality(values), let found = filtered(by: equality, written) {
      return Results(found)
    }
    guard let bound = condition.bound(values) else { return filtered(by: written) }
    return filtered(by: bound, written: written)
  }
}
