// SPDX-License-Identifier: Apache-2.0

// The commit protocol (file format 2.4), in two syncs, in one, or without.
//
// 1. The nodes of the new version, its free lists and its top array are written to space that no
//    reachable version uses (here). Then goes the header with the new top ref in the slot that is
//    not selected: no reader interprets it yet. (This and what follows is `PendingCommit`'s part,
//    once for one or several versions.)
// 2. First sync. All that the new version needs is durable, or the commit fails.
// 3. One byte flips the slot selector. This is the commit point: whatever a crash leaves of it, the
//    byte is the old one or the new one, and both versions are whole.
// 4. Second sync. The commit is durable; only now is the version published.
//
// A crash before 3 leaves the old version, between 3 and 4 one of the two, after 4 the new one.
// The space that the new version gave up is tagged with it, so it is not overwritten before the
// next commit, when the new version is certain. A failed first or second sync poisons the session:
// the kernel may have dropped what it could not write, and a second sync would not notice.
//
// With one sync, 4 is left to the next commit, whose first sync it is part of. The version is
// published after 3. A crash may leave the old selector, and behind it, in the other slot, the new
// version, which is durable since 2: its record proves that it is whole (`CommitRecord`), and the
// next opener selects it (`CommitRecovery`). Others find the version before, so nothing that it
// uses is overwritten until the selector is durable (`SharedMemory.settled`). All 24 bytes of the
// header are written in one call: what a crash leaves of two writes, the new selector or the new
// slot alone, never selects a version that is not durable.
//
// A deferred commit ends after 1: the header goes on selecting the version that it selected, and
// the new one is found by its record and those of the versions between. A later commit or
// `DatabaseFile.settle` makes up for the syncs.
//
// From the change of the header to the publication the shared memory says so (`committing`): if the
// process dies there and others live on, the next writer finishes or undoes it. If none lives on,
// the next session does not know whether 4 was reached, and spares the old version until its own
// first sync (`SessionStart`).

import Synchronization

/// Writes one transaction to the file.
struct CommitWriter {
  let transaction: WriteTransaction
  let file: DatabaseFile
  let base: Snapshot
  let allocator: NodeAllocator

  init(_ transaction: WriteTransaction) {
    self.transaction = transaction
    base = transaction.base
    file = base.file
    allocator = transaction.allocator
  }

  /// Writes the new version; what makes it durable is left to the result.
  func commit(_ changeset: [UInt8]) throws(StorageError) -> PendingCommit {
    let header = try currentHeader()
    let oldTop = try base.top()
    let readable = file.readers.pinnedVersions(through: base.version)
    let pinned = protectedVersions(readable)
    let oldest = readable.first ?? base.version
    unsafe file.writer.heldVersions = Array(readable.dropLast())
    var top = oldTop
    top.version = transaction.version
    top.roots = try rootsWithTables()
    try extendHistory(&top, oldTop, changeset, oldest: oldest)
    try giveUp(oldTop)

    var space = try currentSpace(oldTop, pinned, hasOlderReader: readable.count > 1)
    try evacuate(&top, &space, pinned, readable)
    let isRecorded = mayHaveRecord(header)
    if isRecorded { noteRecord() }
    var writer = try makeWriter(top, space, isRecorded: isRecorded)
    top.roots.tables = try writer.write(top.roots.tables, isData: true)
    top.roots.tableNames = try writer.write(top.roots.tableNames)
    top.history = try writer.write(top.history)
    try writer.placement.add(freed: allocator.freedBlocks, tag: transaction.version)
    let (topRef, record) = try writeLists(&top, &writer)
    try writer.flush()
    if let record { unsafe file.writer.records.append(record) }
    if !file.options.isInMemory, file.encrypted == nil { try writer.zeroUnwrittenTail() }
    let settled = try writer.placement.settledSpace()
    // The file is cut when no crash can leave a longer version.
    let mustSettle = settled.hasExcess && readable.count == 1
    return try pendingCommit(
      VersionEntry(version: top.version, topRef: topRef, logicalSize: top.logicalSize),
      header, settled, byteCount: writer.byteCount, isProven: record != nil && !mustSettle)
  }

  // MARK: Before writing

  /// The versions whose nodes the commit must not overwrite: those that can be read, and those that
  /// a crash may leave, or that the proof of another one needs.
  private func protectedVersions(_ readable: [UInt64]) -> [UInt64] {
    let memory = file.session.memory
    let alternative = unsafe memory.alternative.pointee.load(ordering: .relaxed)
    assert(alternative != SessionStart.unknownAlternative, "`SessionStart` 1")
    let settled = unsafe min(memory.settled.pointee.load(ordering: .relaxed), alternative)
    // The versions of a group need no protection unless each proves the next.
    let end = transaction.isOnProven ? base.version : transaction.durable.version
    guard settled < end else { return readable }
    let versions = readable + Array(settled..<end)
    var result: [UInt64] = []
    for version in versions.sorted() where version != result.last { result.append(version) }
    return result
  }

  /// Whether the commit is to prove that it is whole.
  private func mayHaveRecord(_ header: FileHeader) -> Bool {
    let selected = unsafe file.session.memory.selected.pointee.load(ordering: .relaxed)
    // The pages of an encrypted file cannot be written before their entries are durable.
    return transaction.durability != .twoSyncs && transaction.isOnProven
      && file.encrypted == nil && !file.options.isInMemory && transaction.compaction == nil
      && !base.topRef.isNull && !header.isStreaming
      && header.formatVersion(slot: header.selectedSlot) == FileHeader.supportedVersion
      && base.version < selected + FormerSession.provenVersionCountMax
  }

  /// Says that there may be a record of the version, before there is one.
  private func noteRecord() {
    let recorded = unsafe file.session.memory.recorded
    let known = unsafe recorded.pointee.load(ordering: .relaxed)
    guard known < transaction.version else { return }
    unsafe recorded.pointee.store(transaction.version, ordering: .sequentiallyConsistent)
  }

  /// The header, which must still be the one of the version that the transaction started from.
  private func currentHeader() throws(StorageError) -> FileHeader {
    try file.requireNewestLength()
    if let encrypted = file.encrypted, let stored = try encrypted.changedHeader() {
      // The image differs from the disk.
      if !stored.isStreaming { try requireExpected(stored) }
      try encrypted.load()
    }
    let header = try file.syncUnknownStart(file.storedHeader())
    if header.isStreaming { return try convertToNormalForm(header) }
    try requireExpected(header)
    return header
  }

  private func requireExpected(_ header: FileHeader) throws(StorageError) {
    let selected = header.topRef(slot: header.selectedSlot)
    guard file.selectedTopRef(transaction.durable) == selected else {
      throw .corrupted(
        "the header of '\(file.path)' was changed by somebody who does not respect its lock")
    }
  }

  /// Makes the header name the top array that the footer names: the footer is lost when the file
  /// grows (file format 1.2.3).
  private func convertToNormalForm(_ old: FileHeader) throws(StorageError) -> FileHeader {
    var header = old
    header.topRefs.1 = UInt64(base.topRef.offset)
    header.formatVersions.1 = header.formatVersions.0
    try file.storage.write(header)
    header.flags |= 1
    try file.syncOrPoison()
    try file.flipOrPoison(header.flags)
    try file.syncOrPoison()
    return header
  }

  /// The roots; a version must have some, even if they are empty.
  private func rootsWithTables() throws(StorageError) -> VersionRoots {
    var roots = transaction.roots
    if roots.tableNames.isNull {
      let header = NodeHeader(flags: [], layout: .multiply, widthCode: 0, count: 0)
      roots.tableNames = try allocator.allocate(header, capacity: 0).ref
    }
    if roots.tables.isNull {
      roots.tables = try IntegerNode.make(flags: .hasRefs, in: allocator).ref
    }
    return roots
  }

  /// Frees the nodes that every commit replaces, and the state of file shrinking, which only a
  /// writer that shrinks files may carry on.
  private func giveUp(_ old: TopArray) throws(StorageError) {
    try allocator.free(base.topRef)
    try allocator.free(old.freePositions)
    try allocator.free(old.freeLengths)
    try allocator.free(old.freeVersions)
    if let evacuation = Ref(slot: old.evacuation) { try allocator.free(evacuation) }
  }

  /// The free space that the transaction may use.
  private func currentSpace(
    _ oldTop: TopArray, _ pinned: [UInt64], hasOlderReader: Bool
  ) throws(StorageError) -> FreeSpace {
    let state = unsafe file.writer
    var space: FreeSpace
    if let known = state.freeSpace, state.freeSpaceVersion == base.version {
      state.freeSpace = nil
      space = known
    } else {
      space = try FreeSpace(oldTop, in: base.space)
      let earlier = state.freeSpace.map { ($0, state.freeSpaceVersion) } ?? state.earlierFreeSpace
      if let (known, version) = earlier, version <= base.version {
        space.recall(known, of: version)
      }
    }
    space.expire(pinned: pinned)
    // Without an older reader, older commits do not matter. Only the base of a whole group is kept:
    // later versions of it may be given up.
    if base.version == transaction.durable.version {
      state.earlierFreeSpace = hasOlderReader ? (space, base.version) : nil
    }
    return space
  }

  private func makeWriter(
    _ top: TopArray, _ space: FreeSpace, isRecorded: Bool
  ) throws(StorageError) -> NodeWriter {
    let slab = allocator.space
    var counts = NodeByteCounts()
    try NodeWriter.measure(top.roots.tables, isData: true, in: slab, into: &counts)
    try NodeWriter.measure(top.roots.tableNames, in: slab, into: &counts)
    try NodeWriter.measure(top.history, in: slab, into: &counts)
    counts.short += listBound(space, and: allocator.freedBlocks.count)
    if isRecorded { counts.short += CommitRecord.byteCount(pieceCount: 12) }
    let placement = NodePlacement(
      space, expecting: counts, pageSize: SystemFiles.pageSize,
      extend: { [file] end throws(StorageError) in
        // Refs into the file and refs into the slab differ by their size.
        guard end <= slab.slabStart else {
          throw .addressSpaceExhausted(path: file.path, byteCount: end)
        }
        try file.extend(to: end)
      })
    return unsafe NodeWriter(
      placement, slab: slab, file: file.storage, staging: file.writer.staging,
      isRecorded: isRecorded, hasChecksums: file.options.writesChecksums && !file.options.isInMemory
    )
  }

  // MARK: Free lists and top array

  /// An upper bound of the bytes that the free lists with `added` more blocks and a few that come
  /// from placing nodes, and the top array take.
  private func listBound(_ space: FreeSpace, and added: Int = 0) -> Int {
    // Wide enough for a file that grows meanwhile.
    let widthOfPlaces = space.logicalSize < 1 << 30 ? 4 : 8
    let widthOfTags = transaction.version < 1 << 15 ? 2 : transaction.version < 1 << 31 ? 4 : 8
    let bytesPerBlock = 2 * widthOfPlaces + widthOfTags
    let byteCount = (space.list.count + added + 8) * bytesPerBlock + 3 * 8
    return (4 * NodeHeader.byteCount + byteCount + 12 * 8 + 7) & ~7
  }

  /// Writes the free lists and the top array as the commit's last nodes, one after the other.
  ///
  /// The lists describe the space that they themselves leave over. So a run with room for more
  /// than enough is taken first; its rest, never empty, is one free block, and nothing that the
  /// lists' sizes depend on is open any more. Between the two lies the record of the commit, a free
  /// block of its own.
  ///
  /// - Returns: The top array, and where the record of the commit is; nil if it has none.
  private func writeLists(
    _ top: inout TopArray, _ writer: inout NodeWriter
  ) throws(StorageError) -> (topRef: Ref, record: Int?) {
    let recordByteCount = writer.recordByteCount
    let run = try writer.placement.takeLast(listBound(writer.placement.space) + recordByteCount)
    let space = writer.placement.space
    let count = space.list.count + (recordByteCount > 0 ? 2 : 1)
    let codes = [
      max(run.upperBound, space.list.last?.position ?? 0), max(run.count, space.list.longest),
      Int(top.version),
    ].map { PackedIntegers.widthCode(for: Int64($0)) }
    assert(!run.isEmpty && run.lowerBound & 7 == 0)
    top.logicalSize = space.logicalSize
    let positions = run.lowerBound
    let lengths = positions + Self.byteCount(count, codes[0])
    let tags = lengths + Self.byteCount(count, codes[1])
    let topRef = tags + Self.byteCount(count, codes[2])
    top.freePositions = Ref(positions)
    top.freeLengths = Ref(lengths)
    top.freeVersions = Ref(tags)
    let slots = top.slots
    let slotCode = slots.reduce(0) { max($0, PackedIntegers.widthCode(for: $1)) }
    let end = topRef + Self.byteCount(slots.count, slotCode)
    guard end + recordByteCount < run.upperBound else {
      throw .corrupted("the free lists outgrew their space")
    }
    try writer.placement.finish(
      at: end, version: top.version, recordByteCount: recordByteCount)

    let list = writer.placement.space.list
    assert(list.count == count, "the lists describe the space that they leave over")
    try unsafe writer.writeIntegers(count: count, widthCode: codes[0], at: positions) {
      unsafe list.pack(.position, to: $0, widthCode: codes[0])
    }
    try unsafe writer.writeIntegers(count: count, widthCode: codes[1], at: lengths) {
      unsafe list.pack(.byteCount, to: $0, widthCode: codes[1])
    }
    try unsafe writer.writeIntegers(count: count, widthCode: codes[2], at: tags) {
      unsafe list.pack(.tag, to: $0, widthCode: codes[2])
    }
    try unsafe writer.writeIntegers(
      count: slots.count, widthCode: slotCode, flags: .hasRefs, at: topRef
    ) {
      for (index, slot) in slots.enumerated() {
        unsafe PackedIntegers.store(slot, to: $0, widthCode: slotCode, at: index)
      }
    }
    let isRecorded = try writer.writeRecord(
      in: end..<end + recordByteCount, of: top.version, at: Ref(topRef), after: base.topRef)
    return (Ref(topRef), isRecorded ? end : nil)
  }

  private static func byteCount(_ count: Int, _ widthCode: Int) -> Int {
    NodeHeader(flags: [], layout: .bits, widthCode: widthCode, count: count).nodeByteCount
  }

  // MARK: What is written

  private func pendingCommit(
    _ entry: VersionEntry, _ header: FileHeader, _ space: FreeSpace, byteCount: Int, isProven: Bool
  ) throws(StorageError) -> PendingCommit {
    let snapshot = try file.snapshot(
      of: entry, pin: file.readers.pin(entry.version), isOwn: true)
    file.encrypted?.noteOwn(entry.version)
    assert(entry.version == base.version + 1, "a commit makes the next version")
    assert(entry.logicalSize == space.logicalSize && entry.topRef.offset < entry.logicalSize)
    unsafe file.writer.freeSpace = space
    unsafe file.writer.freeSpaceVersion = entry.version
    var work = transaction.earlierWork
    work.transactionCount += 1
    work.byteCount += byteCount
    return PendingCommit(
      snapshot, entry, header, since: transaction.durable, work, isProven: isProven,
      reusesNumbers: transaction.reusesNumbers)
  }
}

extension CommitWriter {
  /// Adds the commit to the history, of the kind that the file was opened with.
  ///
  /// Another process may have made the first commit, to a file that was opened as another kind.
  func extendHistory(
    _ top: inout TopArray, _ old: TopArray, _ changeset: [UInt8], oldest: UInt64
  ) throws(StorageError) {
    let kind = file.options.history
    var oldest = oldest
    let limit = file.historyLimit
    if limit > 0 {
      let root = try History.root(old, in: base.space)
      oldest = min(
        oldest,
        try History.droppable(
          from: root, making: transaction.version, keeping: limit, in: base.space))
    }
    try kind.requireCompatible(with: old, path: file.path)
    top.historyType = kind.type
    switch kind {
    case .inFile:
      top.historySchemaVersion = 1
      top.history = try History.append(
        changeset, to: old.history, making: transaction.version, oldest: oldest, allocator)
    case .syncClient:
      var history = try transaction.syncHistory()
      history.local = try History.append(
        changeset, to: history.local, making: transaction.version, oldest: oldest, allocator)
      if old.slotCount == 0 { try history.beginLog(allocator) }
      let entry = transaction.syncEntry ?? SyncEntry()
      // What is recorded is compressed, which an older history says nothing of.
      guard entry.changeset.isEmpty || history.isUpgraded else {
        throw .unsupportedHistory(path: file.path, version: history.schemaVersion)
      }
      try history.append(entry, byteCount: transaction.syncEntryByteCount, allocator)
      assert(history.version == top.version, "`SyncHistory` 1")
      top.historySchemaVersion = history.schemaVersion
      top.fileIdentifier = try transaction.fileIdentifier
      top.history = try history.write(replacing: old.history, allocator)
    }
  }
}
