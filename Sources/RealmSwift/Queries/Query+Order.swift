// SPDX-License-Identifier: Apache-2.0

// Comparisons of numbers, dates, strings and data by order.

public import Foundation
import RealmQuery

/// Stored types whose properties queries can compare by order.
public protocol _QueryOrdered {}

/// Stored types whose least and greatest value, and whose sum, queries can ask for.
public protocol _QueryNumeric: _QueryOrdered {}

extension Int: _QueryNumeric {}
extension Int8: _QueryNumeric {}
extension Int16: _QueryNumeric {}
extension Int32: _QueryNumeric {}
extension Int64: _QueryNumeric {}
extension Float: _QueryNumeric {}
extension Double: _QueryNumeric {}
extension Decimal128: _QueryNumeric {}
extension Date: _QueryNumeric {}
extension AnyRealmValue: _QueryNumeric {}
extension String: _QueryOrdered {}
extension Data: _QueryOrdered {}
extension Optional: _QueryOrdered where Wrapped: _QueryOrdered {}
extension Optional: _QueryNumeric where Wrapped: _QueryNumeric {}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryOrdered {
  /// Whether the property is less than `value`; null never is.
  public static func < (query: Query, value: T) -> Query<Bool> { query.compared(.less, value) }

  /// Whether the property is at most `value`; null never is.
  public static func <= (query: Query, value: T) -> Query<Bool> {
    query.compared(.lessOrEqual, value)
  }

  /// Whether the property is greater than `value`; null never is.
  public static func > (query: Query, value: T) -> Query<Bool> { query.compared(.greater, value) }

  /// Whether the property is at least `value`; null never is.
  public static func >= (query: Query, value: T) -> Query<Bool> {
    query.compared(.greaterOrEqual, value)
  }

  /// Whether the left property is less than the right one.
  public static func < (left: Query, right: Query) -> Query<Bool> {
    left.compared(.less, to: right)
  }

  /// Whether the left property is at most the right one.
  public static func <= (left: Query, right: Query) -> Query<Bool> {
    left.compared(.lessOrEqual, to: right)
  }

  /// Whether the left property is greater than the right one.
  public static func > (left: Query, right: Query) -> Query<Bool> {
    left.compared(.greater, to: right)
  }

  /// Whether the left property is at least the right one.
  public static func >= (left: Query, right: Query) -> Query<Bool> {
    left.compared(.greaterOrEqual, to: right)
  }
}

extension Query where T: Comparable {
  /// Whether the property lies in the range.
  public func contains(_ range: Range<T>) -> Query<Bool> {
    compared(.greaterOrEqual, range.lowerBound) && compared(.less, range.upperBound)
  }

  /// Whether the property lies in the range, ends included.
  public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
    isBetween(range.lowerBound, range.upperBound)
  }
}

extension Query where T: OptionalProtocol, T.Wrapped: Comparable {
  /// Whether the property lies in the range; null never does.
  public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> {
    compared(.greaterOrEqual, range.lowerBound) && compared(.less, range.upperBound)
  }

  /// Whether the property lies in the range, ends included; null never does.
  public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> {
    isBetween(range.lowerBound, range.upperBound)
  }
}
