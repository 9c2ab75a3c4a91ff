// SPDX-License-Identifier: Apache-2.0

// Choosing the columns that are enumerated: in a transaction that fills a table, and in a copy.

import RealmStorage

extension TableEnumerations {
  /// Enumerates columns of a table that this transaction has created many objects in, if these are
  /// most of its objects.
  ///
  /// The objects that follow are stored in the new form at once, so that a large table is not
  /// stored twice.
  @inline(never)
  func chooseInGrowth() throws(StorageError) {
    guard table.canChooseEnumerations, !table.isRecorded,
      try table.objectCount() <= 2 * table.group.enumerationLimits.growthCount
    else { return }
    try choose(comparesChecksums: false)
  }

  /// Enumerates the columns that are worth it.
  ///
  /// - Parameter comparesChecksums: Whether columns with damage stay as they are, which would look
  ///   sound where they are written again.
  func choose(comparesChecksums: Bool) throws(StorageError) {
    for column in unsafe table.schema.columns where isCandidate(column) {
      let limits = table.group.enumerationLimits
      let objectCount = try table.objectCount()
      var measure = EnumerationMeasure(
        of: column, valueCountMax: limits.valueCount(forObjects: objectCount) / 2,
        comparesChecksums: comparesChecksums, in: table.allocator.space)
      let roots = unsafe [table.clusters.root, table.tombstoneTree?.root ?? .null]
      guard let (saved, byteCount) = try measure.savedByteCount(below: roots),
        saved >= limits.savedByteCountMin, saved >= byteCount / 2,
        // Its index in the spec may have changed.
        let column = unsafe table.schema.column(column.key)
      else { continue }
      try enumerate(column)
    }
  }

  private func isCandidate(_ column: Column) -> Bool {
    column.leafKind == .string && !column.isPrimaryKey
  }
}

extension WritableTable {
  /// Whether columns of the table may be enumerated: those of classes alone, as internal tables
  /// are read in their own ways.
  var canChooseEnumerations: Bool {
    unsafe schema.className != nil && schema.kind != .asymmetric
  }
}
