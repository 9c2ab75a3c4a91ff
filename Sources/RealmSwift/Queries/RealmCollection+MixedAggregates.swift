// SPDX-License-Identifier: Apache-2.0

// Least, greatest, sum and mean of mixed values: of the numbers among them, and for the first two
// of the dates as well. Everything else counts for nothing.

import Foundation
import RealmQuery
import RealmStorage
import RealmTables

extension AnyRealmValue: MinMaxType, AddableType, SortableType {}

extension RealmCollection where Element == AnyRealmValue {
  /// The least number or date, numbers being less than dates; nil if there is none.
  public func min() -> AnyRealmValue? { _foldMixed(.min) }

  /// The greatest number or date, numbers being less than dates; nil if there is none.
  public func max() -> AnyRealmValue? { _foldMixed(.max) }

  /// The sum of the numbers, of the widest type among them; 0 if there is none.
  public func sum() -> AnyRealmValue { _foldMixed(.sum) ?? .int(0) }

  /// The mean of the numbers; nil if there is none.
  public func average() -> AnyRealmValue? { _foldMixed(.average) }
}

extension ResultsState {
  /// Folds mixed values that are elements themselves.
  func aggregateOfMixed(_ function: CollectionFunction) -> AnyRealmValue? {
    var aggregator = Aggregator(function)
    do throws(StorageError) {
      for value in try contents().values() {
        if function.counts(value) { value.withMixed { aggregator.add($0) } }
      }
    } catch { stop(error) }
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

extension AnyRealmValue {
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
