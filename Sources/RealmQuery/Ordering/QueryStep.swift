// SPDX-License-Identifier: Apache-2.0

// What is done with the elements of a source after they were filtered and sorted.

import RealmStorage
package import RealmTables

/// One of the things that results were asked for one after the other.
package enum QueryStep: Hashable, Sendable {
  case filter(Predicate)
  /// Equal elements keep their order.
  case sort(SortOrder)
  /// Of elements with equal values the first stays.
  case distinct(SortOrder)
  /// At most so many from the beginning.
  case limit(Int)
  /// All but so many from the beginning.
  case offset(Int)

  /// The keys after this step.
  func applied(
    to keys: [ObjectKey], of table: Table, in source: any TableSource
  ) throws(QueryError) -> [ObjectKey] {
    switch self {
    case .filter(let predicate):
      let selection = try Selection(predicate, in: table, of: source)
      return try QueryError.widen { () throws(StorageError) in try selection.keys(among: keys) }
    case .sort(let order): return try order.sorted(keys, of: table, in: source)
    case .distinct(let paths): return try paths.distinct(keys, of: table, in: source)
    case .limit(let count): return keys.count <= count ? keys : Array(keys.prefix(count))
    case .offset(let count): return Array(keys.dropFirst(count))
    }
  }
}

extension [QueryStep] {
  /// The steps with another one behind them.
  package func adding(_ step: QueryStep) -> [QueryStep] {
    var steps = self
    switch (steps.last, step) {
    case (.filter(let first), .filter(let second)):
      steps[steps.count - 1] = .filter(.all([first, second]))
    // The later order is the more important one.
    case (.sort(let first), .sort(let second)):
      steps[steps.count - 1] = .sort(SortOrder(second.criteria + first.criteria))
    case (.limit(let first), .limit(let second)):
      steps[steps.count - 1] = .limit(Swift.min(first, second))
    default: steps.append(step)
    }
    return steps
  }

  /// The keys after all steps.
  package func applied(
    to keys: [ObjectKey], of table: Table, in source: any TableSource
  ) throws(QueryError) -> [ObjectKey] {
    var keys = keys
    for step in self { keys = try step.applied(to: keys, of: table, in: source) }
    return keys
  }

  /// How many elements at the beginning of the source decide what comes out.
  package var neededCount: Int {
    var skipped = 0
    for step in self {
      switch step {
      case .offset(let count): skipped += count
      case .limit(let count):
        let (sum, overflow) = skipped.addingReportingOverflow(count)
        return overflow ? .max : sum
      case .filter, .sort, .distinct: return .max
      }
    }
    return .max
  }
}
