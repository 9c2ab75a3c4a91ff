// SPDX-License-Identifier: Apache-2.0

// Numbers of all types: their order, and arithmetic with the type of the wider operand.

#if Server
import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables

/// A number.
enum BSONNumber {
  case int32(Int32)
  case int64(Int64)
  case double(Double)
  case decimal(DecimalBits)

  /// Nil for other values.
  init?(_ value: BSONValue) {
    switch value {
    case .int32(let number): self = .int32(number)
    case .int64(let number): self = .int64(number)
    case .double(let number): self = .double(number)
    case .decimal(let text):
      guard let bits = DecimalBits(text: text) else { return nil }
      self = .decimal(bits)
    default: return nil
    }
  }

  var value: BSONValue {
    switch self {
    case .int32(let number): .int32(number)
    case .int64(let number): .int64(number)
    case .double(let number): .double(number)
    case .decimal(let bits): .decimal(ValueText.file.string(.decimal(bits)) ?? "NaN")
    }
  }

  /// The number as an integer; nil if it is none.
  var integer: Int64? {
    switch self {
    case .int32(let number): return Int64(number)
    case .int64(let number): return number
    case .double(let number): return Int64(exactly: number)
    case .decimal(let bits):
      guard case .finite(let isNegative, var coefficient, var exponent) = bits.parts else {
        return nil
      }
      if coefficient == 0 { return 0 }
      while exponent < 0, coefficient % 10 == 0 {
        (coefficient, exponent) = (coefficient / 10, exponent + 1)
      }
      while exponent > 0, coefficient <= UInt128(UInt64.max) {
        (coefficient, exponent) = (coefficient * 10, exponent - 1)
      }
      guard exponent == 0 else { return nil }
      if isNegative, coefficient == UInt128(Int64.min.magnitude) { return .min }
      return Int64(exactly: coefficient).map { isNegative ? -$0 : $0 }
    }
  }

  /// The number as a double, which may be a close one.
  var double: Double {
    switch self {
    case .int32(let number): Double(number)
    case .int64(let number): Double(number)
    case .double(let number): number
    case .decimal(let bits): Double(ValueText.file.string(.decimal(bits)) ?? "") ?? .nan
    }
  }

  private var decimal: DecimalBits {
    switch self {
    case .int32(let number): DecimalBits(integer: Int64(number))
    case .int64(let number): DecimalBits(integer: number)
    case .double(let number): DecimalBits(double: number)
    case .decimal(let bits): bits
    }
  }

  var isNaN: Bool {
    switch self {
    case .int32, .int64: false
    case .double(let number): number.isNaN
    case .decimal(let bits): bits.parts == .nan
    }
  }

  // MARK: Arithmetic

  static func + (left: BSONNumber, right: BSONNumber) throws(DocumentError) -> BSONNumber {
    try combine(left, right, { $0.addingReportingOverflow($1) }, { $0 + $1 }, { $0 + $1 })
  }

  static func - (left: BSONNumber, right: BSONNumber) throws(DocumentError) -> BSONNumber {
    try combine(left, right, { $0.subtractingReportingOverflow($1) }, { $0 - $1 }, { $0 - $1 })
  }

  static func * (left: BSONNumber, right: BSONNumber) throws(DocumentError) -> BSONNumber {
    try combine(left, right, { $0.multipliedReportingOverflow(by: $1) }, { $0 * $1 }, { $0 * $1 })
  }

  private static func combine(
    _ left: BSONNumber, _ right: BSONNumber,
    _ integers: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
    _ doubles: (Double, Double) -> Double, _ decimals: (DecimalBits, DecimalBits) -> DecimalBits
  ) throws(DocumentError) -> BSONNumber {
    switch (left, right) {
    case (.decimal, _), (_, .decimal): return .decimal(decimals(left.decimal, right.decimal))
    case (.double, _), (_, .double): return .double(doubles(left.double, right.double))
    default:
      let (result, isTooLarge) = integers(left.integer ?? 0, right.integer ?? 0)
      guard !isTooLarge else { throw .failed("the result is beyond the range of 64-bit integers") }
      if case .int32 = left, case .int32 = right, let small = Int32(exactly: result) {
        return .int32(small)
      }
      return .int64(result)
    }
  }

  /// The quotient, as a double or a decimal.
  func divided(by other: BSONNumber) throws(DocumentError) -> BSONNumber {
    switch (self, other) {
    case (.decimal, _), (_, .decimal):
      return .decimal(decimal / other.decimal)
    default:
      guard other.double != 0 else { throw .failed("$divide by zero") }
      return .double(double / other.double)
    }
  }

  /// The rest of a division, with the sign of the dividend.
  func rest(by other: BSONNumber) throws(DocumentError) -> BSONNumber {
    if let left = integer, let right = other.integer {
      guard right != 0 else { throw .failed("$mod by zero") }
      return .int64(right == -1 ? 0 : left % right)
    }
    guard other.double != 0 else { throw .failed("$mod by zero") }
    return .double(double.truncatingRemainder(dividingBy: other.double))
  }
}
#endif
