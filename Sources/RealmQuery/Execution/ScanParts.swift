// SPDX-License-Identifier: Apache-2.0

// Scanning a large table with several cores.
//
// The parts follow from the form of the tree alone.

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
