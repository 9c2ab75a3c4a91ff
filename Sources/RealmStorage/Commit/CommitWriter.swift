// SPDX-License-Identifier: Apache-2.0

// The commit protocol (file format 2.4), in two syncs.
//
// 1. The nodes of the new version, its free lists and its top array are written to space that no
//    reachable version uses (here). Then goes the new top ref to the header's slot that is not
//    selected: no reader interprets it yet. (This and what follows is `PendingCommit`'s part, once
//    for one or several versions.)
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
// Between 3 and the publication the shared memory says so (`committing`): if the process dies
// there and others live on, the next writer finds the selector flipped, syncs and publishes.

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
    let pinned = file.readers.pinnedVersions(through: base.version)
    let oldest = pinned.first ?? base.version
    var top = oldTop
    top.version = transaction.version
    top.roots = try rootsWithTables()
    try extendHistory(&top, oldTop, changeset, oldest: oldest)
    try giveUp(oldTop)

    var space = try currentSpace(oldTop, pinned)
    try evacuate(&top, &space, pinned)
    var writer = try makeWriter(top, space)
    top.roots.tables = try writer.write(top.roots.tables, isData: true)
    top.roots.tableNames = try writer.write(top.roots.tableNames)
    top.history = try writer.write(top.history)
    try writer.placement.add(freed: allocator.freedBlocks, tag: transaction.version)
    let topRef = try writeLists(&top, &writer)
    try writer.flush()
    if !file.options.isInMemory, file.encrypted == nil { try writer.zeroUnwrittenTail() }
    return try pendingCommit(
      VersionEntry(version: top.version, topRef: topRef, logicalSize: top.logicalSize),
      header, try writer.placement.settledSpace(), byteCount: writer.byteCount)
  }

  // MARK: Before writing

  /// The header, which must still be the one of the version that the transaction started from.
  private func currentHeader() throws(StorageError) -> FileHeader {
    try file.requireNewestLength()
    let bytes = unsafe UnsafeRawBufferPointer(start: base.space.base, count: FileHeader.byteCount)
    guard let header = unsafe FileHeader(bytes) else {
      throw .corrupted("the header of '\(file.path)' was overwritten while the file was open")
    }
    if header.isStreaming { return try convertToNormalForm(header) }
    let selected = transaction.durable.topRef
    guard header.topRef(slot: header.selectedSlot) == UInt64(selected.offset) else {
      throw .corrupted(
        "the header of '\(file.path)' was changed by somebody who does not respect its lock")
    }
    return header
  }

  /// Makes the header name the top array that the footer names: the footer is lost when the file
  /// grows (file format 1.2.3).
  private func convertToNormalForm(_ old: FileHeader) throws(StorageError) -> FileHeader {
    var header = old
    header.topRefs.1 = UInt64(base.topRef.offset)
    header.formatVersions.1 = header.formatVersions.0
    header.flags |= 1
    try file.storage.write(header.topRefs.1, at: 8)
    try file.storage.write(header.formatVersions.1, at: 21)
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
    _ oldTop: TopArray, _ pinned: [UInt64]
  ) throws(StorageError) -> FreeSpace {
    let state = unsafe file.writer
    var space: FreeSpace
    if let known = state.freeSpace, state.freeSpaceVersion == base.version {
      state.freeSpace = nil
      space = known
    } else {
      space = try FreeSpace(oldTop, in: base.space)
    }
    space.expire(pinned: pinned)
    return space
  }

  private func makeWriter(_ top: TopArray, _ space: FreeSpace) throws(StorageError) -> NodeWriter {
    let slab = allocator.space
    var counts = NodeByteCounts()
    try NodeWriter.measure(top.roots.tables, isData: true, in: slab, into: &counts)
    try NodeWriter.measure(top.roots.tableNames, in: slab, into: &counts)
    try NodeWriter.measure(top.history, in: slab, into: &counts)
    counts.short += listBound(space, and: allocator.freedBlocks.count)
    let placement = NodePlacement(
      space, expecting: counts, pageSize: SystemFiles.pageSize,
      extend: { [file] end throws(StorageError) in try file.extend(to: end) })
    return unsafe NodeWriter(
      placement, slab: slab, file: file.storage, staging: file.writer.staging)
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
  /// lists' sizes depend on is open any more.
  private func writeLists(
    _ top: inout TopArray, _ writer: inout NodeWriter
  ) throws(StorageError) -> Ref {
    let run = try writer.placement.takeLast(listBound(writer.placement.space))
    let space = writer.placement.space
    let count = space.list.count + 1
    let codes = [
      max(run.upperBound, space.list.last?.position ?? 0), max(run.count, space.list.longest),
      Int(top.version),
    ].map { PackedIntegers.widthCode(for: Int64($0)) }
    assert(space.list.count + 1 == count && !run.isEmpty && run.lowerBound & 7 == 0)
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
    guard end < run.upperBound else { throw .corrupted("the free lists outgrew their space") }
    try writer.placement.finish(at: end, version: top.version)

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
    return Ref(topRef)
  }

  private static func byteCount(_ count: Int, _ widthCode: Int) -> Int {
    NodeHeader(flags: [], layout: .bits, widthCode: widthCode, count: count).nodeByteCount
  }

  // MARK: What is written

  private func pendingCommit(
    _ entry: VersionEntry, _ header: FileHeader, _ space: FreeSpace, byteCount: Int
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
    return PendingCommit(snapshot, entry, header, since: transaction.durable, work)
  }
}

extension DatabaseFile {
  /// Waits until everything that was written is on the disk.
  func syncOrPoison() throws(StorageError) {
    do throws(StorageError) {
      try storage.sync()
    } catch {
      poison()
      throw error
    }
  }

  /// Changes the flags of the header, and with them which slot is selected.
  func flipOrPoison(_ flags: UInt8) throws(StorageError) {
    do throws(StorageError) {
      try storage.write(flags, at: FileHeader.flagsOffset)
    } catch {
      poison()
      throw error
    }
  }

  /// Makes the file at least `byteCount` bytes long, with disk space allocated for them.
  fileprivate func extend(to byteCount: Int) throws(StorageError) {
    guard byteCount <= reservation.fileCapacity else {
      throw .addressSpaceExhausted(path: path, byteCount: byteCount)
    }
    let physical = try storage.byteCount()
    if physical < byteCount { try storage.allocate(physical..<byteCount) }
  }

  /// Publishes a version that a writer of another process committed before it died.
  ///
  /// The caller holds the writer lock.
  func finishInterruptedCommit() throws(StorageError) {
    let memory = session.memory
    guard unsafe memory.committing.pointee.load(ordering: .sequentiallyConsistent) != 0, !isPoisoned
    else { return }
    unsafe writer.freeSpace = nil
    if let encrypted {
      try mapThrough(try storage.byteCount())
      try encrypted.load()
    }
    let bytes = unsafe UnsafeRawBufferPointer(start: reservation.base, count: FileHeader.byteCount)
    guard let header = unsafe FileHeader(bytes) else {
      throw .corrupted("the header of '\(path)' was overwritten while the file was open")
    }
    let topRef = Ref(Int(truncatingIfNeeded: header.topRef(slot: header.selectedSlot)))
    let newest = unsafe memory.newest.pointee.load(ordering: .sequentiallyConsistent)
    if !header.isStreaming, topRef != memory.entry(of: newest)?.topRef {
      do throws(StorageError) {
        try storage.sync()
      } catch {
        poison()
        throw error
      }
      let physical = try storage.byteCount()
      try mapThrough(physical)
      let top = try unsafe TopArray(
        at: topRef, in: NodeSpace(base: UnsafeRawPointer(reservation.base), fileEnd: physical))
      memory.publish(
        VersionEntry(version: top.version, topRef: topRef, logicalSize: top.logicalSize))
    }
    unsafe memory.committing.pointee.store(0, ordering: .sequentiallyConsistent)
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
