// SPDX-License-Identifier: Apache-2.0

// Conditions on Timestamp columns: whole seconds decide almost every row.

import RealmStorage
import RealmTables

/// Whether a point in time lies between two others, which may be open or closed ends.
struct TimestampCondition: Condition {
  let leafIndex: Int
  let test: ValueTest
  /// The seconds that a match can have.
  let seconds: ClosedRange<Int64>

  /// - Returns: nil if the operator is not one of order or equality with a point in time.
  init?(leafIndex: Int, _ test: ValueTest) {
    self.leafIndex = leafIndex
    self.test = test
    switch (test.operation, test.constant) {
    case (.equal, .value(.timestamp(let date))): seconds = date.seconds...date.seconds
    case (.less, .value(.timestamp(let date))), (.lessOrEqual, .value(.timestamp(let date))):
      seconds = .min...date.seconds
    case (.greater, .value(.timestamp(let date))), (.greaterOrEqual, .value(.timestamp(let date))):
      seconds = date.seconds...Int64.max
    case (.between, .range(.timestamp(let lower), .timestamp(let upper)))
    where lower.seconds <= upper.seconds:
      seconds = lower.seconds...upper.seconds
    default: return nil
    }
  }

  func mask(
    _ cluster: Cluster, _ rows: LeafMask, _ plan: QueryPlan
  ) throws(StorageError) -> LeafMask {
    let outer = try cluster.scannedLeaf(leafIndex)
    let node = try cluster.space.node(at: try outer.ref(at: 0))
    let count = cluster.count
    guard node.header.layout == .bits, node.count == count &+ 1 else {
      throw .leafMismatch(leafIndex)
    }
    let marker = node.uncheckedInteger(at: 0)
    var found =
      unsafe rows
      & PackedRange.mask(
        node, first: 1, count: count, lower: seconds.lowerBound, upper: seconds.upperBound)
    if seconds.contains(marker) {
      found =
        unsafe found - PackedRange.mask(node, first: 1, count: count, lower: marker, upper: marker)
    }
    // Only rows in the first and last second of the range need their nanoseconds read.
    var edges = unsafe PackedRange.mask(
      node, first: 1, count: count, lower: seconds.lowerBound, upper: seconds.lowerBound)
    edges =
      unsafe edges
      | PackedRange.mask(
        node, first: 1, count: count, lower: seconds.upperBound, upper: seconds.upperBound)
    for row in found & edges where try !matches(cluster.row(at: row), plan) {
      found = found - LeafMask(row: row)
    }
    return found
  }

  func matches(_ row: Row, _ plan: QueryPlan) throws(StorageError) -> Bool {
    test.matches(try row.timestamp(leafIndex).map { .timestamp($0) } ?? .null)
  }
}
