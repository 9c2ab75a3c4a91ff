// SPDX-License-Identifier: Apache-2.0

// Filtering and ordering values that are elements themselves. Queries call such a value `self`.

import RealmStorage
package import RealmTables

/// What queries do with a list of values.
package enum ValueSteps {
  /// The path by which queries name a value that is an element.
  package static let path = PropertyPath([])

  /// The path to the name of its type.
  static let typePath = PropertyPath([], part: .type)

  /// The values that match.
  ///
  /// - Throws: `QueryError.invalid` if the condition asks about anything but `self`.
  package static func filter(
    _ values: [TableValue], by predicate: Predicate
  ) throws(QueryError) -> [TableValue] {
    let condition = try ValueFilter(predicate)
    return values.filter { value in value.withMixed(condition.matches) }
  }

  /// Checks that steps can be done with values.
  ///
  /// - Throws: `QueryError.invalid` if a condition asks about anything but `self`.
  package static func check(_ steps: [QueryStep]) throws(QueryError) {
    for step in steps {
      if case .filter(let predicate) = step { _ = try ValueFilter(predicate) }
    }
  }

  /// The values in their order; equal ones keep theirs.
  package static func sort(_ values: [TableValue], by order: SortOrder) -> [TableValue] {
    let isAscending = order.criteria.first?.isAscending ?? true
    // Sorting positions keeps equal values in their order, whichever way they go.
    let positions = values.indices.sorted { left, right in
      let order = values[left].compare(to: values[right])
      return order == 0 ? left < right : isAscending ? order < 0 : order > 0
    }
    return positions.map { values[$0] }
  }

  /// The values after one step.
  package static func apply(
    _ step: QueryStep, to values: [TableValue]
  ) throws(QueryError) -> [TableValue] {
    switch step {
    case .filter(let predicate): return try filter(values, by: predicate)
    case .sort(let order): return sort(values, by: order)
    case .distinct: return distinct(values)
    case .limit(let count): return Array(values.prefix(count))
    case .offset(let count): return Array(values.dropFirst(count))
    }
  }

  /// The first of each run of equal values, wherever they stand.
  private static func distinct(_ values: [TableValue]) -> [TableValue] {
    let positions = values.indices.sorted { left, right in
      let order = values[left].compare(to: values[right])
      return order == 0 ? left < right : order < 0
    }
    var firsts: [Int] = []
    var previous: Int?
    for position in positions {
      if let previous, values[previous].compare(to: values[position]) == 0 { continue }
      firsts.append(position)
      previous = position
    }
    return firsts.sorted().map { values[$0] }
  }
}
