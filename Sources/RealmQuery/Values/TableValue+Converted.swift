// SPDX-License-Identifier: Apache-2.0

// Constants take the type of what they are compared with: here, and nowhere else. All languages and
// tools come through `QueryPlan.constant` or `ValueFilter`, which call this.

import RealmStorage
import RealmTables
import RealmText

extension TableValue {
  /// The constant as a value of `type`; as it is where no value of that type says the same.
  ///
  /// A Float property holds the `Float` nearest to 0.1, which is another number than the `Double`
  /// of the literal 0.1, so numbers become Floats or Doubles before they are compared. Integers are
  /// compared with fractions as numbers. Decimals and identifiers may be spelled as texts.
  func converted(to type: ColumnType) -> TableValue {
    switch (type, self) {
    case (.float, .int(let number)): .float(Float(number))
    case (.float, .double(let number)): .float(Float(number))
    case (.float, .decimal(let number)): .float(number.floating())
    case (.double, .int(let number)): .double(Double(number))
    case (.double, .float(let number)): .double(Double(number))
    case (.double, .decimal(let number)): .double(number.floating())
    case (.decimal, .double(let number)): .decimal(DecimalBits(double: number))
    case (.decimal, .float(let number)): .decimal(DecimalBits(float: number))
    case (.int, .double(let number)): Int64(exactly: number).map { .int($0) } ?? self
    case (.int, .float(let number)): Int64(exactly: number).map { .int($0) } ?? self
    case (.decimal, .string(let text)), (.uuid, .string(let text)), (.objectId, .string(let text)):
      ValueText.query.value(text, of: type) ?? self
    default: self
    }
  }
}

extension DecimalBits {
  /// The nearest binary number.
  fileprivate func floating<Number: BinaryFloatingPoint & LosslessStringConvertible>() -> Number {
    switch parts {
    case .nan: .nan
    case .infinity(let isNegative): isNegative ? -.infinity : .infinity
    case .finite(let isNegative, let coefficient, let exponent):
      Number("\(isNegative ? "-" : "")\(coefficient)E\(exponent)") ?? .nan
    }
  }
}
