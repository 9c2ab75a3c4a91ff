// SPDX-License-Identifier: Apache-2.0

// Evacuation as a part of commits: they move nodes, so that the file has little free space.

extension CommitWriter {
  /// Gives free space at the end of the file back, and copies some nodes of the regions that are
  /// being evacuated; the commit writes them with its own.
  ///
  /// - Parameters:
  ///   - pinned: The versions whose nodes must not be overwritten, ascending.
  ///   - readable: Those of them that are not only there for a crash.
  func evacuate(
    _ top: inout TopArray, _ space: inout FreeSpace, _ pinned: [UInt64], _ readable: [UInt64]
  ) throws(StorageError) {
    if pinned.count == 1 { cutExcess(&space) }
    let lag = base.version - min(pinned.first ?? base.version, base.version)
    guard lag <= Self.longestLag else { return space.endEvacuation() }
    // A copy gains no space that a reader of an older version needs.
    guard lag <= Self.harmlessLag else { return }
    if space.evacuation?.isComplete == true { space.endEvacuation() }
    let page = SystemFiles.pageSize
    if transaction.compaction == nil {
      space.trimTail(reserve: max(space.reserve, space.logicalSize / 16), pageSize: page)
      space.startEvacuationIfNeeded()
    } else {
      space.trimTail(reserve: FreeSpace.leastReserve, pageSize: page)
      let isUnderWay = space.continueCompaction()
      transaction.compaction?.isDone = !isUnderWay && !(space.hasExcess && readable.count == 1)
    }
    guard var evacuation = space.evacuation, !evacuation.isComplete else { return }
    var roots = [top.roots.tables, top.roots.tableNames, top.history]
    try Evacuator.step(&evacuation, &roots, budget(space), allocator)
    (top.roots.tables, top.roots.tableNames, top.history) = (roots[0], roots[1], roots[2])
    space.evacuation = evacuation
  }

  private func budget(_ space: FreeSpace) -> Evacuator.Budget {
    guard let compaction = transaction.compaction else {
      return Evacuator.Budget(space, own: allocator.slabByteCount)
    }
    return Evacuator.Budget(
      byteCount: compaction.byteCount, nodeCount: max(4096, compaction.byteCount / 32))
  }

  /// The number of versions that the oldest reader may lag while nodes are copied.
  private static let harmlessLag: UInt64 = 2
  /// The largest lag of the oldest reader, in versions, for which an evacuation waits.
  private static let longestLag: UInt64 = 32

  /// Cuts the file to the base of the transaction, the only readable version.
  private func cutExcess(_ space: inout FreeSpace) {
    guard space.hasExcess, base.space.fileEnd == space.logicalSize else { return }
    space.hasExcess = false
    let page = SystemFiles.pageSize
    let end = (space.logicalSize + page - 1) / page * page
    // If this fails, the next who opens the file cuts it.
    if let physical = try? file.storage.byteCount(), physical > end {
      try? file.storage.resize(to: end)
    }
  }
}
