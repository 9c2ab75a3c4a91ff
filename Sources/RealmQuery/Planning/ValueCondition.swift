// SPDX-License-Identifier: Apache-2.0

// Conditions on columns whose values are read one at a time.

import RealmStorage
import RealmTables

/// A test of the values of any column of single values.
struct ValueCondition: Condition {
  let column: Column
  let test: ValueTest

  func matches(_ row: Row, _ plan: QueryPlan) throws(StorageError) -> Bool {
    test.matches(try row.mixedValue(of: column))
  }
}

/// A comparison of what two paths lead to, or of what a path leads to with a constant.
///
/// It is true if it is for some pair of the values at the ends of the paths.
struct GeneralCondition: Condition {
  enum Right {
    case test(ValueTest)
    case reader(ComparisonOperator, ValueReader)
    /// Strings compared without regard to case or marks.
    case text(ComparisonOperator, TextOptions, ValueReader)
    /// For so many values on the left, and for each of these for so many on the right.
    case quantified(
      Quantifier, ComparisonOperator, TextOptions, Quantifier, ValueReader)
  }

  let left: ValueReader
  let right: Right

  /// Whether the condition comes once to the collections in the values of a row.
  private var isNestedInRow: Bool {
    guard left.isNestedInRow else { return false }
    switch right {
    case .test: return true
    case .reader(_, let reader), .text(_, _, let reader), .quantified(_, _, _, _, let reader):
      switch reader.end {
      case .constant, .constants: return true
      default: return false
      }
    }
  }

  func mask(
    _ cluster: Cluster, _ rows: LeafMask, _ plan: QueryPlan
  ) throws(StorageError) -> LeafMask {
    var found = LeafMask.none
    guard isNestedInRow else {
      for row in rows where try matches(cluster.row(at: row), plan) { found.insert(row) }
      return found
    }
    for row in rows {
      let object = cluster.row(at: row)
      let isMatch = try plan.inPass(object.space) { () throws(StorageError) in
        try matches(object, plan)
      }
      if isMatch { found.insert(row) }
    }
    return found
  }

  func matches(_ row: Row, _ plan: QueryPlan) throws(StorageError) -> Bool {
    switch right {
    case .test(let test):
      return try left.contains(in: row, plan) { test.matches($0) }
    case .reader(let operation, let reader):
      return try left.contains(in: row, plan) { (value) throws(StorageError) in
        try reader.contains(in: row, plan) { other in
          ValueTest.comparePair(value, operation, other)
        }
      }
    case .text(let operation, let options, let reader):
      return try left.contains(in: row, plan) { (value) throws(StorageError) in
        try reader.contains(in: row, plan) { other in
          ValueTest.compare(value, operation, other, options)
        }
      }
    case .quantified(let quantifier, let operation, let options, let others, let reader):
      return try left.holds(quantifier, in: row, plan) { (value) throws(StorageError) in
        try reader.holds(others, in: row, plan) { other in
          ValueTest.compare(value, operation, other, options)
        }
      }
    }
  }
}
