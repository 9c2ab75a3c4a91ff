// SPDX-License-Identifier: Apache-2.0

// Computing with the values of properties.

import RealmStorage

extension ArithmeticOperator {
  /// The result; null if one of the values is no number, and for integers divided by zero.
  ///
  /// Integers give integers as long as these fit, and are divided without a rest. Two numbers of
  /// single precision give another one. Where one is a decimal, the result is the decimal that IEEE
  /// 754 says. Everything else is computed as `Double`.
  func apply(_ left: MixedValue, _ right: MixedValue) -> MixedValue {
    switch (left, right) {
    case (.int(let left), .int(let right)): return integers(left, right)
    case (.float(let left), .float(let right)): return .float(floating(left, right))
    case (.decimal, _), (_, .decimal):
      guard let left = left.decimal, let right = right.decimal else { return .null }
      return decimals(left, right)
    default:
      guard let left = left.number, let right = right.number else { return .null }
      return .double(floating(left, right))
    }
  }

  private func integers(_ left: Int64, _ right: Int64) -> MixedValue {
    if right == 0, self == .divide || self == .remainder { return .null }
    let (result, overflow) =
      switch self {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      case .divide: left.dividedReportingOverflow(by: right)
      case .remainder: left.remainderReportingOverflow(dividingBy: right)
      }
    return overflow ? .double(floating(Double(left), Double(right))) : .int(result)
  }

  private func floating<Number: FloatingPoint>(_ left: Number, _ right: Number) -> Number {
    switch self {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    case .remainder: left.truncatingRemainder(dividingBy: right)
    }
  }

  private func decimals(_ left: DecimalBits, _ right: DecimalBits) -> MixedValue {
    switch self {
    case .add: .decimal(left + right)
    case .subtract: .decimal(left - right)
    case .multiply: .decimal(left * right)
    case .divide: .decimal(left / right)
    case .remainder: .null
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
    default: nil
    }
  }

  /// The value as a decimal; nil if it is no number.
  fileprivate var decimal: DecimalBits? {
    switch self {
    case .int(let number): DecimalBits(integer: number)
    case .float(let number): DecimalBits(float: number)
    case .double(let number): DecimalBits(double: number)
    case .decimal(let number): number
    default: nil
    }
  }
}
