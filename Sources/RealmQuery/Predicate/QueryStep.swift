// SPDX-License-Identifier: Apache-2.0

// The steps of a query after its condition and its order.

/// One of the things that a query does, one after the other.
package enum QueryStep: Hashable, Sendable {
  case filter(BoundPredicate)
  /// Equal elements keep their order.
  case sort(SortOrder)
  /// Of elements with equal values the first stays.
  case distinct(SortOrder)
  /// At most so many from the beginning.
  case limit(Int)
  /// All but so many from the beginning.
  case offset(Int)
}

extension [QueryStep] {
  /// The steps with another one after them.
  func adding(_ step: QueryStep) -> [QueryStep] {
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

  /// The number of elements at the beginning of the source that decide the result.
  var neededCount: Int {
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
