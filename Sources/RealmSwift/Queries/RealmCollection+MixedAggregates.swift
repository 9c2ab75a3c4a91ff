// SPDX-License-Identifier: Apache-2.0

// Least, greatest, sum and mean of mixed values: of the numbers among them, and for the first two
// of the dates as well. Everything else counts for nothing.

import Foundation
import RealmQuery
import RealmSession
import RealmStorage
import RealmTables

extension AnyRealmValue: MinMaxType, AddableType, SortableType {}

extension RealmCollection where Element == AnyRealmValue {
  /// The least number or date, numbers being less than dates; nil if there is none.
  public func min() -> AnyRealmValue? { _aggregateMixed(.min) }

  /// The greatest number or date, numbers being less than dates; nil if there is none.
  public func max() -> AnyRealmValue? { _aggregateMixed(.max) }

  /// The sum of the numbers: a `Decimal128`.
  ///
  /// Of a collection that no realm manages it is a `Double` if there is no decimal among them, and
  /// the integer 0 if there is none at all.
  public func sum() -> AnyRealmValue { _sumOfMixed() }

  /// The mean of the numbers; nil if there is none.
  public func average() -> AnyRealmValue? { _aggregateMixed(.average) }
}

extension ResultsState {
  /// Aggregates mixed values that are elements themselves.
  func aggregateOfMixed(_ function: CollectionFunction) -> AnyRealmValue? {
    var aggregator = Aggregator(function)
    for value in searching(try contents().values(), else: [])
    where function.counts(value) {
      // The database adds mixed values as decimals, whatever they are.
      value.withMixed { aggregator.add(function == .sum ? $0.asDecimal : $0) }
    }
    return AnyRealmValue(aggregate: aggregator.result)
  }
}

extension CollectionFunction {
  /// Whether a mixed value counts: numbers do, dates for the least and the greatest.
  func counts(_ value: TableValue) -> Bool {
    switch value {
    case .int, .float, .double, .decimal: true
    case .timestamp: self == .min || self == .max
    default: false
    }
  }
}

extension RealmCollection where Element == AnyRealmValue {
  /// The sum of the numbers.
  func _sumOfMixed() -> AnyRealmValue {
    AnyRealmValue(sum: _aggregateMixed(.sum), isManaged: realm != nil, isEmpty: isEmpty)
  }
}

extension Map where Value == AnyRealmValue {
  /// The sum of the numbers.
  func _sumOfMixed() -> AnyRealmValue {
    // A map without values sums to an integer in a realm, too, unlike other collections.
    isEmpty
      ? .int(0)
      : AnyRealmValue(sum: _aggregateMixed(.sum), isManaged: managed != nil, isEmpty: false)
  }
}

extension MixedValue {
  /// A number as a decimal; other values as they are.
  fileprivate var asDecimal: MixedValue {
    switch self {
    case .int(let number): .decimal(DecimalBits(integer: number))
    case .float(let number): .decimal(DecimalBits(float: number))
    case .double(let number): .decimal(DecimalBits(double: number))
    default: self
    }
  }
}

extension AnyRealmValue {
  /// The sum of mixed values, of the type that `sum()` promises.
  fileprivate init(sum: AnyRealmValue?, isManaged: Bool, isEmpty: Bool) {
    switch sum {
    case .decimal128(let number)?: self = .decimal128(number)
    case .int(let number)? where !isManaged: self = isEmpty ? .int(0) : .double(Double(number))
    case .some(let number) where !isManaged: self = number
    default: self = isManaged ? .decimal128(0) : .int(0)
    }
  }

  /// The result of an aggregate; nil for null.
  init?(aggregate value: MixedValue) {
    switch value {
    case .int(let number): self = .int(Int(number))
    case .float(let number): self = .float(number)
    case .double(let number): self = .double(number)
    case .decimal(let bits): self = .decimal128(Decimal128(bits))
    case .timestamp(let time): self = .date(Date(time))
    default: return nil
    }
  }
}
