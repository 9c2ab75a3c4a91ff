// SPDX-License-Identifier: Apache-2.0

// What decides about the objects of a client: its subscriptions, and the filters of its user's
// roles (P4 B.1).

/// The conditions of a client's view, by the names of classes.
///
/// Classes without a condition are not seen at all.
package struct EffectiveQuery: Hashable, Sendable {
  /// The subscriptions.
  package var conditions: [String: String]
  /// What the user may read of the classes with conditions; all of a class without a filter.
  package var filters: [String: ObjectFilter]

  package init(_ conditions: [String: String] = [:], filters: [String: ObjectFilter] = [:]) {
    self.conditions = conditions
    self.filters = filters
  }

  /// The subscriptions with the filters of a user; nil to read all objects.
  init(_ conditions: [String: String], _ filters: ReadFilters?) {
    self.init(conditions)
    guard let filters else { return }
    for name in conditions.keys { self.filters[name] = filters[name] }
  }

  /// The part about one class.
  func part(ofClass name: String) -> EffectiveQuery {
    EffectiveQuery(
      conditions.filter { $0.key == name }, filters: filters.filter { $0.key == name })
  }

  /// The query whose objects pass other filters, too; nil to read all objects.
  func limited(by others: ReadFilters?) -> EffectiveQuery {
    guard let others else { return self }
    var query = self
    for name in conditions.keys where filters[name] != others[name] {
      query.filters[name] = .joined(all: [filters[name] ?? .constant(true), others[name]])
    }
    return query
  }
}
