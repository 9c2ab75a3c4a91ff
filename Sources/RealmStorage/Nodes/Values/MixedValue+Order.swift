// SPDX-License-Identifier: Apache-2.0

// The total order of values (file format 4.13).

extension MixedValue {
  /// Whether the two are equal in the order of values: 1 and 1.0 are.
  package func isEqual(to other: MixedValue) -> Bool { compare(to: other) == 0 }

  /// Whether this value comes strictly before the other in the order of values.
  package func isOrdered(before other: MixedValue) -> Bool { compare(to: other) < 0 }

  /// Negative, zero or positive as this value comes before, with or after the other.
  package func compare(to other: MixedValue) -> Int {
    switch (self, other) {
    case (.int(let left), .int(let right)):
      return order(left, right)
    case (.string(let left), .string(let right)), (.binary(let left), .binary(let right)):
      return left == right ? 0 : left < right ? -1 : 1
    default: break
    }
    if rank != other.rank { return order(rank, other.rank) }
    switch (self, other) {
    case (.bool(let left), .bool(let right)):
      return order(left ? 1 : 0, right ? 1 : 0)
    case (.timestamp(let left), .timestamp(let right)):
      return left.seconds != right.seconds
        ? order(left.seconds, right.seconds) : order(left.nanoseconds, right.nanoseconds)
    case (.objectId(let left), .objectId(let right)):
      return left.high != right.high ? order(left.high, right.high) : order(left.low, right.low)
    case (.uuid(let left), .uuid(let right)):
      return left.high != right.high ? order(left.high, right.high) : order(left.low, right.low)
    case (.typedLink(let leftTable, let leftKey), .typedLink(let rightTable, let rightKey)):
      return leftTable != rightTable ? order(leftTable, rightTable) : order(leftKey, rightKey)
    default:
      return rank == Self.numberRank ? compareNumbers(with: other) : 0
    }
  }

  private static let numberRank = 2

  private var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal: Self.numberRank
    case .string: 3
    case .binary: 4
    case .timestamp: 5
    case .objectId: 6
    case .uuid: 7
    case .typedLink: 8
    case .list: 9
    case .dictionary: 11
    }
  }

  private func compareNumbers(with other: MixedValue) -> Int {
    switch (self, other) {
    case (.decimal(let left), _):
      return left.compare(to: other.asDecimal)
    case (_, .decimal(let right)):
      return asDecimal.compare(to: right)
    case (.float(let left), .float(let right)):
      if left.isNaN, right.isNaN { return order(left.bitPattern, right.bitPattern) }
      return Self.compare(Double(left), Double(right))
    case (.double(let left), .double(let right)):
      if left.isNaN, right.isNaN { return order(left.bitPattern, right.bitPattern) }
      return Self.compare(left, right)
    case (.int(let left), _):
      return Self.compare(left, other.asDouble)
    case (_, .int(let right)):
      return -Self.compare(right, asDouble)
    default:
      return Self.compare(asDouble, other.asDouble)
    }
  }

  private var asDouble: Double {
    switch self {
    case .float(let number): Double(number)
    case .double(let number): number
    default: 0
    }
  }

  private var asDecimal: DecimalBits {
    switch self {
    case .int(let number): DecimalBits(integer: number)
    case .float(let number): DecimalBits(float: number)
    case .double(let number): DecimalBits(double: number)
    case .decimal(let number): number
    default: DecimalBits(integer: 0)
    }
  }

  /// An integer against a floating number, without rounding the integer; NaN is smallest.
  private static func compare(_ left: Int64, _ right: Double) -> Int {
    if right.isNaN { return 1 }
    // 2^63 and beyond cannot be an Int64; below, the whole part is exact.
    if right >= 0x1p63 { return -1 }
    if right < -0x1p63 { return 1 }
    let whole = Int64(right.rounded(.down))
    if left != whole { return left < whole ? -1 : 1 }
    return right > right.rounded(.down) ? -1 : 0
  }

  private static func compare(_ left: Double, _ right: Double) -> Int {
    if left.isNaN || right.isNaN { return left.isNaN ? (right.isNaN ? 0 : -1) : 1 }
    return left == right ? 0 : left < right ? -1 : 1
  }
}

@inline(__always)
private func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
  left == right ? 0 : left < right ? -1 : 1
}
