// SPDX-License-Identifier: Apache-2.0

// Scanning a large table with several cores.
//
// Each worker has a plan of its own: the counts of references to a shared one would wander from
// core to core with each cluster.

import RealmStorage
import RealmTables

/// The parts of a large table.
///
/// One core alone takes the same parts: sums of floating-point numbers are the same everywhere.
struct ScanParts {
  let ranges: [ClusterRange]

  /// With fewer objects than this, a scan is over before another thread is awake.
  @TaskLocal static var smallestTable = 1 << 17
  /// More parts than workers, so that one that comes late takes less.
  private static let partCount = 32

  /// Nil if the table is small.
  init?(_ table: Table) throws(StorageError) {
    guard try table.objectCount() >= Self.smallestTable else { return nil }
    ranges = try table.clusters.parts(Self.partCount)
    if ranges.count == 1 { return nil }
  }
}

extension Selection {
  /// Folds the matching rows, cluster by cluster in key order, into one value; or into one for each
  /// part of a large table, in key order.
  ///
  /// - Parameter add: called on several threads, each with a value of its own.
  func fold<Result: Sendable>(
    into initial: Result,
    _ add: @Sendable (inout Result, Cluster, LeafMask) throws(StorageError) -> Void
  ) throws(StorageError) -> [Result] {
    if let candidates = try candidates(root) {
      var result = initial
      try table.forEachCluster(of: candidates) { (cluster, rows) throws(StorageError) in
        let found = try plan.mask(root, cluster, rows)
        if !found.isEmpty { try add(&result, cluster, found) }
        return true
      }
      return [result]
    }
    guard plan.isQuickToMake, let parts = try ScanParts(table) else {
      var result = initial
      try scan(table.clusterCursor(), &result, add)
      return [result]
    }
    let selections = copies(WorkerPool.shared.workerCount)
    return try Workers.map(parts: parts.ranges.count, tools: selections) {
      (selection, part) throws(StorageError) in
      var result = initial
      try selection.scan(
        selection.table.clusterCursor(of: parts.ranges[part]),
        &result, add)
      return result
    }
  }

  /// This and others like it that have nothing in common with each other.
  private func copies(_ count: Int) -> [Selection] {
    // The predicate fits the schema, as this shows; with fewer copies fewer threads work.
    [self]
      + (1..<count).compactMap { _ in try? Selection(predicate, in: table, of: source) }
  }

  private func scan<Result>(
    _ cursor: ClusterCursor, _ result: inout Result,
    _ add: (inout Result, Cluster, LeafMask) throws(StorageError) -> Void
  ) throws(StorageError) {
    var cursor = cursor
    while let cluster = try cursor.next() {
      let found = try plan.mask(root, cluster, LeafMask(firstRows: cluster.count))
      if !found.isEmpty { try add(&result, cluster, found) }
    }
  }
}
