// SPDX-License-Identifier: Apache-2.0

// Filtering and ordering values that are elements themselves. Queries call such a value `self`.

import RealmTables

/// The steps of queries over a list of values.
enum ValueSteps {
  /// The values in their order; equal ones keep theirs.
  private static func sort(_ values: [TableValue], by order: SortOrder) -> [TableValue] {
    let isAscending = order.criteria.first?.isAscending ?? true
    // Sorting positions keeps equal values in their order, whichever way they go.
    let positions = values.indices.sorted { left, right in
      let order = values[left].compare(to: values[right])
      return order == 0 ? left < right : isAscending ? order < 0 : order > 0
    }
    return positions.map { values[$0] }
  }

  /// The values after one step.
  ///
  /// - Throws: `QueryError.invalid` if a condition asks about anything but `self`.
  static func apply(
    _ step: QueryStep, to values: [TableValue], of type: ColumnType
  ) throws(QueryError) -> [TableValue] {
    switch step {
    case .filter(let condition):
      let filter = try ValueFilter(condition, of: type)
      return values.filter { $0.withMixed(filter.matches) }
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
