// SPDX-License-Identifier: Apache-2.0

// Aggregates of values: count, least, greatest, sum, mean.

package import RealmStorage

/// Takes values one by one and computes their aggregate.
///
/// Nulls and values that are no numbers count for nothing, except that `count` counts everything
/// and `min` and `max` take whatever is in order. The sum of nothing is 0, the rest of nothing is
/// null.
package struct Aggregator {
  private let function: CollectionFunction
  /// The values taken into account.
  package private(set) var count = 0
  private var integers: Int64 = 0
  private var doubles = 0.0
  private var decimals = DecimalSum()
  private var hasDecimals = false
  private var hasDoubles = false
  private var extreme = MixedValue.null

  package init(_ function: CollectionFunction) { self.function = function }

  /// Takes one more value into account.
  package mutating func add(_ value: MixedValue) {
    switch function {
    case .count: count &+= 1
    case .min, .max:
      if value.isNull || value.isNaN { return }
      count &+= 1
      let order = extreme.isNull ? 0 : value.compare(to: extreme)
      if extreme.isNull || (function == .min ? order < 0 : order > 0) { extreme = value }
    case .sum, .average:
      switch value {
      case .int(let number): add(integers: number, count: 1)
      case .double(let number): add(doubles: number, count: 1)
      case .float(let number): add(doubles: Double(number), count: 1)
      case .decimal(let number):
        decimals.add(number)
        hasDecimals = true
        count &+= 1
      default: break
      }
    }
  }

  /// Several of the same function joined; the earlier ones come first.
  init(merging parts: [Aggregator]) {
    assert(parts.allSatisfy { $0.function == parts[0].function }, "parts of different aggregates")
    self = parts[0]
    for part in parts.dropFirst() {
      switch function {
      case .min, .max:
        let count = count + part.count
        add(part.extreme)
        self.count = count
      case .count, .sum, .average:
        count &+= part.count
        integers &+= part.integers
        doubles += part.doubles
        hasDoubles = hasDoubles || part.hasDoubles
        hasDecimals = hasDecimals || part.hasDecimals
        if part.hasDecimals { decimals.add(part.decimals.bits) }
      }
    }
  }

  /// Whether only the number of the values matters.
  var isCount: Bool { function == .count }

  /// Whether only the sum of the values and their number matter.
  var isSum: Bool { function == .sum || function == .average }

  /// Whether only the smallest or the largest value matters.
  var isExtreme: Bool { function == .min || function == .max }

  /// Whether only the smallest value matters.
  var isMinimum: Bool { function == .min }

  /// Counts the values of several rows.
  mutating func add(countOf rows: LeafMask) {
    assert(isCount, "other aggregates need the values")
    count &+= rows.count
  }

  /// Adds the smallest and the largest of several integers.
  mutating func add(_ bounds: ClosedRange<Int64>) {
    assert(isExtreme, "bounds have no sum")
    add(.int(isMinimum ? bounds.lowerBound : bounds.upperBound))
  }

  mutating func add(integers sum: Int64, count: Int) {
    integers &+= sum
    self.count &+= count
  }

  /// Adds the sum of several floating-point numbers.
  mutating func add(doubles sum: Double, count: Int) {
    doubles += sum
    hasDoubles = true
    self.count &+= count
  }

  /// The result; a sum has the widest type among the values.
  package var result: MixedValue {
    switch function {
    case .count: return .int(Int64(count))
    case .min, .max: return extreme
    case .sum:
      if hasDecimals { return .decimal(total.bits) }
      return hasDoubles ? .double(Double(integers) + doubles) : .int(integers)
    case .average:
      guard count > 0 else { return .null }
      if hasDecimals { return .decimal(total.divided(by: count)) }
      return .double((Double(integers) + doubles) / Double(count))
    }
  }

  private var total: DecimalSum {
    var total = decimals
    if integers != 0 { total.add(DecimalBits(integer: integers)) }
    if doubles != 0 { total.add(DecimalBits(double: doubles)) }
    return total
  }
}
