// SPDX-License-Identifier: Apache-2.0

// Computing with the values of properties.

import RealmStorage

/// What is computed from two numbers.
package enum ArithmeticOperator: String, Hashable, Sendable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"

  /// The result; null if one of the values is no number, and for integers divided by zero.
  ///
  /// Integers give integers as long as these fit, and are divided without a rest. Everything else
  /// is computed as `Double`, decimals too.
  func apply(_ left: MixedValue, _ right: MixedValue) -> MixedValue {
    if case .int(let left) = left, case .int(let right) = right {
      return integers(left, right)
    }
    guard let left = left.number, let right = right.number else { return .null }
    return .double(doubles(left, right))
  }

  private func integers(_ left: Int64, _ right: Int64) -> MixedValue {
    if self == .divide, right == 0 { return .null }
    let (result, overflow) =
      switch self {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      case .divide: left.dividedReportingOverflow(by: right)
      }
    return overflow ? .double(doubles(Double(left), Double(right))) : .int(result)
  }

  private func doubles(_ left: Double, _ right: Double) -> Double {
    switch self {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    }
  }
}

extension MixedValue {
  /// The value as a floating-point number; nil if it is none.
  fileprivate var number: Double? {
    switch self {
    case .int(let number): Double(number)
    case .float(let number): Double(number)
    case .double(let number): number
    case .decimal(let bits):
      switch bits.parts {
      case .finite(let isNegative, let coefficient, let exponent):
        Double("\(isNegative ? "-" : "")\(coefficient)e\(exponent)")
      case .infinity(let isNegative): isNegative ? -.infinity : .infinity
      default: .nan
      }
    default: nil
    }
  }
}
