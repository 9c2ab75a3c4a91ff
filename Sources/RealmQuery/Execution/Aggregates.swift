// SPDX-License-Identifier: Apache-2.0

// Aggregates over columns: whole leaves at a time where the layout allows it.

package import RealmStorage
package import RealmTables

/// Aggregates of columns of tables.
package enum Aggregates {
  /// Aggregates a column over all objects of a table.
  package static func compute(
    _ function: CollectionFunction, of column: Column, in table: Table
  ) throws(StorageError) -> MixedValue {
    if let result = try computePlain(function, of: column, in: table) { return result }
    guard !column.isAggregatedAtTheSpeedOfMemory, let parts = try ScanParts(table) else {
      var aggregator = Aggregator(function)
      var cursor = table.clusterCursor()
      try aggregator.add(column, of: &cursor)
      return aggregator.result
    }
    let tables = Array(repeating: table, count: WorkerPool.shared.workerCount)
    let aggregators = try Workers.map(parts: parts.ranges.count, tools: tables) {
      (table, part) throws(StorageError) in
      var aggregator = Aggregator(function)
      var cursor = try table.clusterCursor(of: parts.ranges[part])
      try aggregator.add(column, of: &cursor)
      return aggregator
    }
    return Aggregator(merging: aggregators).result
  }

  /// Aggregates a column of numbers that fill their leaves, with one core. Nil for other columns.
  private static func computePlain(
    _ function: CollectionFunction, of column: Column, in table: Table
  ) throws(StorageError) -> MixedValue? {
    var aggregator = Aggregator(function)
    switch column.leafKind {
    case .int where aggregator.isSum:
      var sum = IntegerSum()
      try sum.add(column, of: table)
      aggregator.add(integers: sum.total, count: sum.count)
    case .int where aggregator.isExtreme:
      var bounds = IntegerBounds()
      try bounds.add(column, of: table)
      if bounds.count > 0 { aggregator.add(bounds.smallest...bounds.largest) }
    case .double where aggregator.isSum && !column.isNullable:
      var sum = DoubleSum()
      try sum.add(column, of: table)
      if sum.count > 0 { aggregator.add(doubles: sum.total, count: sum.count) }
    case .double where aggregator.isExtreme:
      // Null is no number, so it is not in the way.
      var found = DoubleExtreme(isMinimum: aggregator.isMinimum)
      try found.add(column, of: table)
      if let extreme = found.extreme { aggregator.add(.double(extreme)) }
    default: return nil
    }
    return aggregator.result
  }

  /// Aggregates a column over some objects of a table; an object counts as often as it is named.
  package static func compute(
    _ function: CollectionFunction, of column: Column, in table: Table, over keys: [ObjectKey]
  ) throws(StorageError) -> MixedValue {
    var aggregator = Aggregator(function)
    var runs = RowRuns(of: keys, in: table)
    while let (cluster, rows) = try runs.next() { try aggregator.add(column, of: cluster, rows) }
    return aggregator.result
  }
}

extension Aggregator {
  /// Adds the values of a column in all clusters that are left.
  fileprivate mutating func add(
    _ column: Column, of cursor: inout ClusterCursor
  ) throws(StorageError) {
    while let cluster = try cursor.next() {
      try add(column, of: cluster, LeafMask(firstRows: cluster.count))
    }
  }

  /// Adds the values of a column in some rows of a cluster.
  mutating func add(_ column: Column, of cluster: Cluster, _ rows: LeafMask) throws(StorageError) {
    if isCount { return add(countOf: rows) }
    switch column.leafKind {
    case .int: try addIntegers(column.leafIndex, isNullable: false, of: cluster, rows)
    case .nullableInt: try addIntegers(column.leafIndex, isNullable: true, of: cluster, rows)
    case .double where isSum:
      try addDoubles(column.leafIndex, isNullable: column.isNullable, of: cluster, rows)
    case .double where isExtreme: try addExtreme(column.leafIndex, of: cluster, rows)
    case .collection, .link, .typedLink, .backlink:
      throw .limitExceeded("\(column.name) cannot be aggregated")
    default:
      for row in rows { add(try cluster.row(at: row).mixedValue(of: column)) }
    }
  }

  private mutating func addIntegers(
    _ leafIndex: Int, isNullable: Bool, of cluster: Cluster, _ rows: LeafMask
  ) throws(StorageError) {
    let first = isNullable ? 1 : 0
    let node = try cluster.packedLeaf(leafIndex, extra: first)
    var rows = rows
    if isNullable {
      let marker = node.uncheckedInteger(at: 0)
      rows =
        unsafe rows
        - PackedRange.mask(node, first: 1, count: cluster.count, lower: marker, upper: marker)
    }
    guard !rows.isEmpty else { return }
    guard isSum else {
      let bounds = PackedSums.bounds(node, first: first, rows: rows)
      add(bounds)
      return
    }
    let count = rows.count
    let sum =
      count == cluster.count
      ? PackedSums.sum(node, first: first, count: count)
      : PackedSums.sum(node, first: first, rows: rows)
    add(integers: sum, count: count)
  }

  private mutating func addDoubles(
    _ leafIndex: Int, isNullable: Bool, of cluster: Cluster, _ rows: LeafMask
  ) throws(StorageError) {
    let cells = try unsafe cluster.cellLeaf(leafIndex, widthCode: 4).payload
    var rows = rows
    if isNullable {
      rows =
        unsafe rows
        - FloatingRange.mask(
          cells8: cells, count: cluster.count, equalTo: DoubleCondition.nullBits, upcoming: cells)
    }
    guard rows.count < cluster.count else {
      let sum = unsafe FloatingSums.sum(
        doubles: cells, count: cluster.count, upcoming: cells)
      add(doubles: sum, count: cluster.count)
      return
    }
    var sum = 0.0
    for row in rows { unsafe sum += cells.load(fromByteOffset: row &* 8, as: Double.self) }
    let count = rows.count
    if count > 0 { add(doubles: sum, count: count) }
  }

  private mutating func addExtreme(
    _ leafIndex: Int, of cluster: Cluster, _ rows: LeafMask
  ) throws(StorageError) {
    let cells = try unsafe cluster.cellLeaf(leafIndex, widthCode: 4).payload
    var extreme = Double.nan
    // NaN, and with it null, is in no order.
    for row in rows {
      let number = unsafe cells.load(fromByteOffset: row &* 8, as: Double.self)
      if isMinimum ? !(number >= extreme) : !(number <= extreme), !number.isNaN { extreme = number }
    }
    if !extreme.isNaN { add(.double(extreme)) }
  }
}

extension Column {
  /// Whether a leaf is aggregated faster than memory delivers the next: a second core gains nothing
  /// then, and the two only wait for each other.
  fileprivate var isAggregatedAtTheSpeedOfMemory: Bool {
    leafKind == .int || leafKind == .nullableInt || leafKind == .double
  }
}
