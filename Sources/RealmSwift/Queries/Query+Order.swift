// SPDX-License-Identifier: Apache-2.0

// Comparisons of numbers, dates, strings and data by order.

public import Foundation
import RealmQuery

/// Types whose properties queries can compare by order.
public protocol _QueryOrdered {}

extension Int: _QueryOrdered {}
extension Int8: _QueryOrdered {}
extension Int16: _QueryOrdered {}
extension Int32: _QueryOrdered {}
extension Int64: _QueryOrdered {}
extension Float: _QueryOrdered {}
extension Double: _QueryOrdered {}
extension Decimal128: _QueryOrdered {}
extension Date: _QueryOrdered {}
extension String: _QueryOrdered {}
extension Data: _QueryOrdered {}
extension Optional: _QueryOrdered where Wrapped: _QueryOrdered {}

extension Query where T: _QueryOrdered {
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

extension Query where T: _QueryOrdered & Comparable {
  /// Whether the property lies in the range.
  public func contains(_ range: Range<T>) -> Query<Bool> {
    self >= range.lowerBound && self < range.upperBound
  }

  /// Whether the property lies in the range, ends included.
  public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
    Query<Bool>(.between(node, range.lowerBound, range.upperBound))
  }
}

extension Query where T: OptionalProtocol, T.Wrapped: _QueryOrdered & Comparable {
  /// Whether the property lies in the range; null never does.
  public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> {
    compared(.greaterOrEqual, range.lowerBound) && compared(.less, range.upperBound)
  }

  /// Whether the property lies in the range, ends included; null never does.
  public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> {
    Query<Bool>(.between(node, range.lowerBound, range.upperBound))
  }
}
