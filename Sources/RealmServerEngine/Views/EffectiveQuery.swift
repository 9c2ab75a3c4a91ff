// SPDX-License-Identifier: Apache-2.0

// What decides about the objects of a client: its subscriptions, and the filters of its user's
// roles (P4 B.1).

package import RealmReplication

/// The conditions of a client's view, by the names of classes.
///
/// Classes without a condition are not seen at all.
package struct EffectiveQuery: Hashable, Sendable {
  /// The subscriptions.
  package var conditions: [String: String]
  /// What the user may read of the classes with conditions; all of a class without a filter.
  package var filters: [String: ObjectFilter]
  /// The readable properties of the classes with conditions; all of a class without an entry.
  package var fields: [String: FieldSelection]

  package init(
    _ conditions: [String: String] = [:], filters: [String: ObjectFilter] = [:],
    fields: [String: FieldSelection] = [:]
  ) {
    self.conditions = conditions
    self.filters = filters
    self.fields = fields.filter { !$0.value.isAll }
  }

  /// The subscriptions with the filters of a user; nil to read all objects.
  init(_ conditions: [String: String], _ filters: ReadFilters?) {
    self.init(conditions)
    guard let filters else { return }
    for name in conditions.keys {
      self.filters[name] = filters[name]
      let fields = filters.fields(ofClass: name)
      if !fields.isAll { self.fields[name] = fields }
    }
  }

  /// The bytes of the conditions, by which the memory of what is made of them is bounded.
  var byteCount: Int { conditions.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }

  /// The part about one class.
  func part(ofClass name: String) -> EffectiveQuery {
    EffectiveQuery(
      conditions.filter { $0.key == name }, filters: filters.filter { $0.key == name },
      fields: fields.filter { $0.key == name })
  }

  /// The query whose objects and properties pass other filters, too; nil to read all objects.
  func limited(by others: ReadFilters?) -> EffectiveQuery {
    guard let others else { return self }
    var query = self
    for name in conditions.keys {
      if filters[name] != others[name] {
        query.filters[name] = .joined(all: [filters[name] ?? .constant(true), others[name]])
      }
      let fields = (self.fields[name] ?? .all).intersection(others.fields(ofClass: name))
      query.fields[name] = fields.isAll ? nil : fields
    }
    return query
  }
}
