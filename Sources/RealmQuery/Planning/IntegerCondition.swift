// SPDX-License-Identifier: Apache-2.0

// Conditions on columns that are packed integers: Int, Bool, links, positions in an enumeration.

import RealmStorage
import RealmTables

/// Whether an integer lies in a range, or outside.
struct IntegerCondition: Condition {
  let leafIndex: Int
  /// Whether element 0 of the leaf is a null marker.
  let isNullable: Bool
  let lower: Int64
  let upper: Int64
  /// Whether the values outside the range match, instead of those inside.
  let excludes: Bool
  let matchesNull: Bool

  func mask(
    _ cluster: Cluster, _ rows: LeafMask, _ plan: QueryPlan
  ) throws(StorageError) -> LeafMask {
    let first = isNullable ? 1 : 0
    let node = try cluster.packedLeaf(leafIndex, extra: first, asksAhead: false)
    let count = cluster.count
    let inside = unsafe PackedRange.mask(
      node, first: first, count: count, lower: lower, upper: upper,
      upcoming: cluster.upcomingLeaf(leafIndex))
    let found = excludes ? rows - inside : rows & inside
    guard isNullable else { return found }
    // Nulls were tested as the number that marks them; often that gave the right answer already.
    let marker = node.uncheckedInteger(at: 0)
    let isMarkerInside = marker >= lower && marker <= upper
    if isMarkerInside != excludes, matchesNull { return found }
    if isMarkerInside == excludes, !matchesNull { return found }
    let nulls = unsafe PackedRange.mask(node, first: 1, count: count, lower: marker, upper: marker)
    return matchesNull ? found | (nulls & rows) : found - nulls
  }

  func matches(_ row: Row, _ plan: QueryPlan) throws(StorageError) -> Bool {
    guard isNullable else {
      let value = try row.int(leafIndex)
      return (value >= lower && value <= upper) != excludes
    }
    guard let value = try row.optionalInt(leafIndex) else { return matchesNull }
    return (value >= lower && value <= upper) != excludes
  }

  /// The condition that the integer lies in both ranges; nil if they have nothing in common.
  func intersection(_ other: IntegerCondition) -> IntegerCondition? {
    assert(leafIndex == other.leafIndex, "ranges of different columns have nothing in common")
    assert(
      !excludes && !matchesNull && !other.excludes && !other.matchesNull,
      "`QueryPlan` 3: only plain ranges are joined")
    let lower = max(lower, other.lower)
    let upper = min(upper, other.upper)
    guard lower <= upper else { return nil }
    return IntegerCondition(
      leafIndex: leafIndex, isNullable: isNullable, lower: lower, upper: upper, excludes: false,
      matchesNull: false)
  }
}

/// Whether an integer is one of several.
struct IntegerSetCondition: Condition {
  let leafIndex: Int
  let isNullable: Bool
  /// Ascending, without repetition, not empty.
  let values: [Int64]
  let matchesNull: Bool

  /// Up to so many values, a scan of the leaf for each is cheaper than a search for each row.
  private static let scannedCount = 24

  func mask(
    _ cluster: Cluster, _ rows: LeafMask, _ plan: QueryPlan
  ) throws(StorageError) -> LeafMask {
    let first = isNullable ? 1 : 0
    let node = try cluster.packedLeaf(leafIndex, extra: first)
    let count = cluster.count
    var found = LeafMask.none
    if values.count <= IntegerSetCondition.scannedCount {
      for value in values {
        found =
          unsafe found
          | PackedRange.mask(node, first: first, count: count, lower: value, upper: value)
      }
    } else {
      // Most leaves hold few values between the smallest and the largest that is asked for.
      let near = unsafe PackedRange.mask(
        node, first: first, count: count, lower: values[0], upper: values[values.count - 1])
      for row in near & rows where contains(node.uncheckedInteger(at: first &+ row)) {
        found.insert(row)
      }
    }
    found = found & rows
    guard isNullable else { return found }
    let marker = node.uncheckedInteger(at: 0)
    let nulls =
      unsafe PackedRange.mask(node, first: 1, count: count, lower: marker, upper: marker) & rows
    return matchesNull ? found | nulls : found - nulls
  }

  func matches(_ row: Row, _ plan: QueryPlan) throws(StorageError) -> Bool {
    guard isNullable else { return contains(try row.int(leafIndex)) }
    guard let value = try row.optionalInt(leafIndex) else { return matchesNull }
    return contains(value)
  }

  private func contains(_ value: Int64) -> Bool {
    var low = 0
    var high = values.count
    while low < high {
      let middle = (low &+ high) &>> 1
      if values[middle] < value { low = middle &+ 1 } else { high = middle }
    }
    return low < values.count && values[low] == value
  }
}
