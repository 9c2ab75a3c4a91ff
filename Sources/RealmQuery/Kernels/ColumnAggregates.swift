// SPDX-License-Identifier: Apache-2.0

// Aggregates of whole leaves of a column without nulls, of which each element is one number.

import RealmStorage
import RealmTables

/// Takes the values of a column cluster by cluster.
protocol ColumnAggregate {
  mutating func add(_ cluster: Cluster, _ leafIndex: Int) throws(StorageError)
}

extension ColumnAggregate {
  /// Takes all values of a column.
  @inline(__always)
  mutating func add(_ column: Column, of table: Table) throws(StorageError) {
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() { try add(cluster, column.leafIndex) }
  }
}

/// The sum of integers, wrapping around on overflow.
struct IntegerSum: ColumnAggregate {
  private(set) var total: Int64 = 0
  private(set) var count = 0

  @inline(__always)
  mutating func add(_ cluster: Cluster, _ leafIndex: Int) throws(StorageError) {
    let leaf = try cluster.packedLeaf(leafIndex, extra: 0)
    total &+= PackedSums.sum(leaf, first: 0, count: cluster.count)
    count &+= cluster.count
  }
}

/// The smallest and the largest of integers.
struct IntegerBounds: ColumnAggregate {
  private(set) var smallest = Int64.max
  private(set) var largest = Int64.min
  private(set) var count = 0

  @inline(__always)
  mutating func add(_ cluster: Cluster, _ leafIndex: Int) throws(StorageError) {
    let leaf = try cluster.packedLeaf(leafIndex, extra: 0)
    let bounds = PackedSums.bounds(leaf, first: 0, rows: LeafMask(firstRows: cluster.count))
    smallest = min(smallest, bounds.lowerBound)
    largest = max(largest, bounds.upperBound)
    count &+= cluster.count
  }
}

/// The sum of doubles, leaf by leaf.
struct DoubleSum: ColumnAggregate {
  private(set) var total = 0.0
  private(set) var count = 0

  @inline(__always)
  mutating func add(_ cluster: Cluster, _ leafIndex: Int) throws(StorageError) {
    let cells = try unsafe cluster.cellLeaf(leafIndex, widthCode: 4, asksAhead: false).payload
    let upcoming = unsafe cluster.upcomingLeaf(leafIndex)
    unsafe total += FloatingSums.sum(doubles: cells, count: cluster.count, upcoming: upcoming)
    count &+= cluster.count
  }
}

/// The smallest or the largest of doubles that are numbers.
///
/// Eight candidates stay apart from leaf to leaf: bringing them together takes as long as a leaf.
struct DoubleExtreme: ColumnAggregate {
  private let isMinimum: Bool
  private var found: SIMD8<Double>
  private var hasNumbers = false

  init(isMinimum: Bool) {
    self.isMinimum = isMinimum
    found = SIMD8(repeating: isMinimum ? .infinity : -.infinity)
  }

  /// Nil if no value is a number.
  var extreme: Double? {
    guard hasNumbers else { return nil }
    return isMinimum ? found.min() : found.max()
  }

  @inline(__always)
  mutating func add(_ cluster: Cluster, _ leafIndex: Int) throws(StorageError) {
    let cells = try unsafe cluster.cellLeaf(leafIndex, widthCode: 4, asksAhead: false).payload
    unsafe add(cells, count: cluster.count, upcoming: cluster.upcomingLeaf(leafIndex))
  }

  /// Takes the cells of a leaf.
  ///
  /// - Parameter upcoming: memory to ask for meanwhile.
  /// - Safety: `cells` holds `count` values.
  @inline(__always)
  mutating func add(_ cells: UnsafeRawPointer, count: Int, upcoming: UnsafeRawPointer) {
    found =
      unsafe isMinimum
      ? FloatingSums.extreme(
        isMinimum: true, doubles: cells, count: count, upcoming: upcoming, found)
      : FloatingSums.extreme(
        isMinimum: false, doubles: cells, count: count, upcoming: upcoming, found)
    if !hasNumbers { hasNumbers = unsafe FloatingSums.holdsNumber(cells, count) }
  }
}
