// SPDX-License-Identifier: Apache-2.0

// Conditions on Float and Double columns.

import RealmStorage
import RealmTables

/// A condition on a floating-point number.
enum FloatingTest<Number: BinaryFloatingPoint> {
  /// In the range, or not in it; NaN and null are in none.
  case range(lower: Number, upper: Number, excludes: Bool)
  case isNull
  case isNotNull

  /// - Returns: nil if the operator is not one of order or equality.
  init?(_ operation: ComparisonOperator, _ number: Number) {
    let infinity = Number.infinity
    switch operation {
    case .equal: self = .range(lower: number, upper: number, excludes: false)
    case .notEqual: self = .range(lower: number, upper: number, excludes: true)
    case .lessOrEqual: self = .range(lower: -infinity, upper: number, excludes: false)
    case .greaterOrEqual: self = .range(lower: number, upper: infinity, excludes: false)
    // Nothing lies below or above the infinities, and NaN bounds no range.
    case .less:
      let upper = number == -infinity ? Number.nan : number.nextDown
      self = .range(lower: -infinity, upper: upper, excludes: false)
    case .greater:
      let lower = number == infinity ? Number.nan : number.nextUp
      self = .range(lower: lower, upper: infinity, excludes: false)
    default: return nil
    }
  }

  func matches(_ number: Number?) -> Bool {
    switch self {
    case .isNull: return number == nil
    case .isNotNull: return number != nil
    case .range(let lower, let upper, let excludes):
      guard let number else { return excludes }
      return (number >= lower && number <= upper) != excludes
    }
  }
}

/// A condition on a Double column.
struct DoubleCondition: Condition {
  static let nullBits: UInt64 = 0x7FF8_0000_0000_00AA

  let leafIndex: Int
  let test: FloatingTest<Double>

  func mask(
    _ cluster: Cluster, _ rows: LeafMask, _ plan: QueryPlan
  ) throws(StorageError) -> LeafMask {
    let cells = try unsafe cluster.cellLeaf(leafIndex, widthCode: 4, asksAhead: false).payload
    let upcoming = unsafe cluster.upcomingLeaf(leafIndex)
    switch test {
    case .range(let lower, let upper, let excludes):
      let inside = unsafe FloatingRange.mask(
        doubles: cells, count: cluster.count, lower: lower, upper: upper,
        upcoming: upcoming)
      return excludes ? rows - inside : rows & inside
    case .isNull:
      return unsafe rows
        & FloatingRange.mask(
          cells8: cells, count: cluster.count, equalTo: Self.nullBits, upcoming: upcoming)
    case .isNotNull:
      return unsafe rows
        - FloatingRange.mask(
          cells8: cells, count: cluster.count, equalTo: Self.nullBits, upcoming: upcoming)
    }
  }

  func matches(_ row: Row, _ plan: QueryPlan) throws(StorageError) -> Bool {
    test.matches(try row.optionalDouble(leafIndex))
  }
}

/// A condition on a Float column.
struct FloatCondition: Condition {
  static let nullBits: UInt32 = 0x7FC0_00AA

  let leafIndex: Int
  let test: FloatingTest<Float>

  func mask(
    _ cluster: Cluster, _ rows: LeafMask, _ plan: QueryPlan
  ) throws(StorageError) -> LeafMask {
    let cells = try unsafe cluster.cellLeaf(leafIndex, widthCode: 3, asksAhead: false).payload
    let upcoming = unsafe cluster.upcomingLeaf(leafIndex)
    switch test {
    case .range(let lower, let upper, let excludes):
      let inside = unsafe FloatingRange.mask(
        floats: cells, count: cluster.count, lower: lower, upper: upper,
        upcoming: upcoming)
      return excludes ? rows - inside : rows & inside
    case .isNull:
      return unsafe rows
        & FloatingRange.mask(
          cells4: cells, count: cluster.count, equalTo: Self.nullBits, upcoming: upcoming)
    case .isNotNull:
      return unsafe rows
        - FloatingRange.mask(
          cells4: cells, count: cluster.count, equalTo: Self.nullBits, upcoming: upcoming)
    }
  }

  func matches(_ row: Row, _ plan: QueryPlan) throws(StorageError) -> Bool {
    test.matches(try row.optionalFloat(leafIndex))
  }
}
