// SPDX-License-Identifier: Apache-2.0

// In which order objects come.

import RealmTables

/// The criteria of an order, the most important first.
///
/// Nulls come first, objects for which a link on the path is null last; strings and data go by
/// their bytes, false before true, NaN before all numbers. Objects that are equal in everything
/// keep their order.
package struct SortOrder: Hashable, Sendable {
  /// One key path, and which way it goes.
  package struct Criterion: Hashable, Sendable {
    package var path: ColumnPath
    package var isAscending: Bool

    package init(_ path: ColumnPath, isAscending: Bool = true) {
      self.path = path
      self.isAscending = isAscending
    }

    package init(_ names: [String], isAscending: Bool = true) {
      self.init(ColumnPath(names), isAscending: isAscending)
    }
  }

  package var criteria: [Criterion]

  package init(_ criteria: [Criterion]) { self.criteria = criteria }

  /// The condition that the links on all paths lead to objects; nil if the paths have none.
  package var linksExist: BoundPredicate? {
    var conditions: [BoundPredicate] = []
    for path in criteria.map(\.path) where path.function == nil && path.parts.isEmpty {
      let links = path.names.dropLast()
      if links.isEmpty { continue }
      conditions.append(
        .comparison(BoundComparison(.property(ColumnPath(Array(links))), .notEqual, .value(.null))))
    }
    return conditions.isEmpty ? nil : .all(conditions)
  }

  /// The criteria as `explain()` shows them.
  var text: String {
    criteria.map { "\($0.path.fullText) \($0.isAscending ? "ascending" : "descending")" }
      .joined(separator: ", ")
  }

  /// The names of the key paths.
  var namesText: String { criteria.map(\.path.fullText).joined(separator: ", ") }
}
