// SPDX-License-Identifier: Apache-2.0

// Lays the nodes of a write transaction out in the file.
//
// 1. Children are written before their parents, so a parent's slots are final when it is written
//    and it can be packed with the width that they need.
// 2. A transaction can be laid out once, as final slots replace those in the slab, and large nodes
//    are packed where they are. If it fails, the transaction is over.
// 3. Bytes go to usable free space only, never across a section boundary (`NodePlacement`), and
//    through staging buffers, so that neighbours reach the file in one call.
// 4. A node's checksum is made of the bytes that are written: when the last one is in the memory
//    that they are written from, or before they are copied there, as they are read then without a
//    wait for the copy.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Writes nodes into free space.
struct NodeWriter {
  /// The memory that commits stage their writes in.
  final class Staging {
    let long = StagedRun.Buffer()
    let short = StagedRun.Buffer()
  }

  var placement: NodePlacement
  private let slab: NodeSpace
  private let file: any StorageFile
  /// The number of bytes of nodes that were written or staged.
  private(set) var byteCount = 0
  private var long: StagedRun
  private var short: StagedRun
  /// Whether nodes get checksums: what is never on a disk needs none.
  private let hasChecksums: Bool

  /// Whether something was written of which the record of the commit says nothing.
  private var isPastRecord = false

  /// - Parameters:
  ///   - isRecorded: Whether the commit is to have a record.
  ///   - hasChecksums: Whether its nodes are to have checksums.
  init(
    _ placement: NodePlacement, slab: NodeSpace, file: any StorageFile, staging: Staging,
    isRecorded: Bool, hasChecksums: Bool
  ) {
    self.hasChecksums = hasChecksums
    self.placement = placement
    self.slab = slab
    self.file = file
    long = StagedRun(staging.long, file, isRecorded: isRecorded)
    short = StagedRun(staging.short, file, isRecorded: isRecorded)
  }

  // MARK: Measuring

  /// Adds up what the uncommitted nodes below and at `ref` are expected to take in the file.
  ///
  /// - Parameter isData: Whether there may be long-lived nodes among them.
  static func measure(
    _ ref: Ref, isData: Bool = false, in slab: NodeSpace, into counts: inout NodeByteCounts
  ) throws(StorageError) {
    _ = try measure(ref, isData, depth: 0, slab, &counts)
  }

  /// - Returns: The number of generations of uncommitted nodes below `ref`; -1 if it is committed.
  private static func measure(
    _ ref: Ref, _ isData: Bool, depth: Int, _ slab: NodeSpace, _ counts: inout NodeByteCounts
  ) throws(StorageError) -> Int {
    guard slab.isWritable(ref) else { return -1 }
    guard depth < 512 else { throw .corrupted("a tree of nodes does not end") }
    let node = try slab.node(at: ref)
    var height = 0
    var byteCount = node.header.nodeByteCount
    if node.header.hasRefs {
      // New refs are taken for as wide as the end of the file, which is true but for small files.
      let numbers = node.numbersAtEnd
      var code = numbers.widthCode
      for index in 0..<numbers.start {
        var slot = try node.integer(at: index)
        if slot & 1 == 0, slab.isWritable(Ref(Int(slot))) {
          let below = try measure(Ref(Int(slot)), isData, depth: depth + 1, slab, &counts)
          height = max(height, below + 1)
          slot = Int64(slab.fileEnd)
        }
        code = max(code, PackedIntegers.widthCode(for: slot))
      }
      byteCount =
        NodeHeader(flags: .hasRefs, layout: .bits, widthCode: code, count: node.count).nodeByteCount
    }
    switch lifetime(of: node, isData, depth: depth, height: height) {
    case .long: counts.long += byteCount
    case .short: counts.short += byteCount
    }
    return height
  }

  /// A leaf with data and the node of leaves above it change when the data changes; higher nodes
  /// change nearly always. Only generations of changed nodes count: they are known. The maker of a
  /// node may know better.
  private static func lifetime(
    of node: Node, _ isData: Bool, depth: Int, height: Int
  ) -> NodeLifetime {
    isData && depth > 0 && height <= 1 && !node.header.isShortLived ? .long : .short
  }

  // MARK: Writing trees

  /// Writes the uncommitted nodes below and at `ref`; the ref under which the tree is found in the
  /// file.
  ///
  /// - Parameter isData: As for `measure`.
  mutating func write(_ ref: Ref, isData: Bool = false) throws(StorageError) -> Ref {
    try write(ref, isData, depth: 0).ref
  }

  /// - Parameter height: How many generations below `ref` are written already.
  private mutating func write(
    _ ref: Ref, _ isData: Bool, depth: Int, height: Int = 0
  ) throws(StorageError) -> (ref: Ref, height: Int) {
    guard slab.isWritable(ref) else { return (ref, -1) }
    guard depth < 512 else { throw .corrupted("a tree of nodes does not end") }
    let node = try slab.node(at: ref)
    guard node.header.hasRefs else {
      return (
        try writePlain(node, Self.lifetime(of: node, isData, depth: depth, height: 0)), 0
      )
    }
    // Final slots replace the ones in the slab: they are smaller, so they fit.
    let payload = unsafe UnsafeMutableRawPointer(mutating: node.payload)
    let code = node.header.widthCode
    let numbers = node.numbersAtEnd
    var newCode = numbers.widthCode
    var height = height
    let heights = node.header.isInner ? try writeColumns(below: node, isData, depth: depth) : []
    for index in 0..<numbers.start {
      var slot = try node.integer(at: index)
      if slot & 1 == 0, slab.isWritable(Ref(Int(slot))) {
        let child = try write(
          Ref(Int(slot)), isData, depth: depth + 1, height: heights.isEmpty ? 0 : heights[index])
        height = max(height, child.height + 1)
        slot = child.ref.slot
        assert(!slab.isWritable(child.ref), "`NodeWriter` 1: children have their place in the file")
        assert(PackedIntegers.widthCode(for: slot) <= code, "a final slot fits where the first did")
        unsafe PackedIntegers.store(slot, to: payload, widthCode: code, at: index)
      }
      newCode = max(newCode, PackedIntegers.widthCode(for: slot))
    }
    let header = NodeHeader(
      flags: node.header.flags, layout: .bits, widthCode: newCode, count: node.count)
    let lifetime = Self.lifetime(of: node, isData, depth: depth, height: height)
    return (try writeSlots(header, of: node, lifetime), height)
  }

  /// Writes what the changed clusters below an inner node hold, column by column.
  ///
  /// So the leaves of a column, and after them the clusters, are neighbours: a scan reads memory,
  /// or a cold disk, in order, and the descent to an object by its key touches few pages.
  ///
  /// - Returns: For each child, how many generations below it are written; empty if none.
  private mutating func writeColumns(
    below node: Node, _ isData: Bool, depth: Int
  ) throws(StorageError) -> [Int] {
    var clusters: [(index: Int, node: Node)] = []
    for index in 0..<node.count {
      let slot = try node.integer(at: index)
      guard slot & 1 == 0, slab.isWritable(Ref(Int(slot))) else { continue }
      let child = try slab.node(at: Ref(Int(slot)))
      let isCluster =
        child.header.hasRefs && !child.header.isInner && !child.header.hasContext
      if isCluster { clusters.append((index, child)) }
    }
    guard clusters.count > 1 else { return [] }
    var heights = [Int](repeating: 0, count: node.count)
    for column in 0..<(clusters.map(\.node.count).max() ?? 0) {
      for (index, cluster) in clusters where column < cluster.count {
        let slot = try cluster.integer(at: column)
        guard slot & 1 == 0, slab.isWritable(Ref(Int(slot))) else { continue }
        let leaf = try write(Ref(Int(slot)), isData, depth: depth + 2)
        unsafe PackedIntegers.store(
          leaf.ref.slot, to: UnsafeMutableRawPointer(mutating: cluster.payload),
          widthCode: cluster.header.widthCode, at: column)
        heights[index] = max(heights[index], leaf.height + 1)
        assert(!slab.isWritable(leaf.ref), "`NodeWriter` 1: children have their place in the file")
      }
    }
    return heights
  }

  private mutating func writeSlots(
    _ header: NodeHeader, of node: Node, _ lifetime: NodeLifetime
  ) throws(StorageError) -> Ref {
    let byteCount = header.nodeByteCount
    let ref = Ref(try placement.place(byteCount, lifetime))
    assert(header.widthCode <= node.header.widthCode, "a node is packed, never widened")
    if byteCount > StagedRun.Buffer.byteCount {
      // Packing in place never overtakes what is still to be read: the new width is not larger.
      let payload = unsafe UnsafeMutableRawPointer(mutating: node.payload)
      unsafe node.pack(to: payload, widthCode: header.widthCode)
      try unsafe writeThrough(header, UnsafeMutableRawPointer(mutating: node.address), at: ref)
      return ref
    }
    let target = try unsafe stage(byteCount, at: ref.offset, lifetime)
    unsafe clearTail(of: header, at: target)
    unsafe target.storeBytes(of: header.bits, as: UInt64.self)
    unsafe node.pack(to: target + NodeHeader.byteCount, widthCode: header.widthCode)
    unsafe seal(target, at: ref.offset)
    return ref
  }

  private mutating func writePlain(
    _ node: Node, _ lifetime: NodeLifetime
  ) throws(StorageError) -> Ref {
    let header = NodeHeader(bits: node.header.bits & ~0xFFFF_FFFF | 0x4141_4141)
    let byteCount = header.nodeByteCount
    let ref = Ref(try placement.place(byteCount, lifetime))
    if byteCount > StagedRun.Buffer.byteCount {
      try unsafe writeThrough(header, UnsafeMutableRawPointer(mutating: node.address), at: ref)
      return ref
    }
    let target = try unsafe stage(byteCount, at: ref.offset, lifetime)
    let sealed =
      hasChecksums
      ? unsafe header.with(
        checksum: NodeChecksum.value(ofUnpadded: node.payload, header, at: ref.offset)) : header
    unsafe clearTail(of: header, at: target)
    unsafe target.storeBytes(of: sealed.bits, as: UInt64.self)
    unsafe (target + NodeHeader.byteCount).copyMemory(
      from: node.payload, byteCount: header.payloadByteCount)
    return ref
  }

  /// Gives a node its checksum.
  @inline(__always)
  private func seal(_ node: UnsafeMutableRawPointer, at position: Int) {
    if hasChecksums { unsafe NodeChecksum.store(in: node, at: position) }
  }

  /// Zeroes the last word of a node, where packed bits and padding meet.
  private func clearTail(of header: NodeHeader, at target: UnsafeMutableRawPointer) {
    let byteCount = header.nodeByteCount
    if byteCount > NodeHeader.byteCount {
      unsafe target.storeBytes(of: 0, toByteOffset: byteCount - 8, as: UInt64.self)
    }
  }

  /// Writes a node that is larger than a staging buffer from where it is.
  private mutating func writeThrough(
    _ header: NodeHeader, _ address: UnsafeMutableRawPointer, at ref: Ref
  ) throws(StorageError) {
    unsafe address.storeBytes(of: header.bits, as: UInt64.self)
    let used = NodeHeader.byteCount + header.payloadByteCount
    unsafe memset(address + used, 0, header.nodeByteCount - used)
    unsafe seal(address, at: ref.offset)
    byteCount += header.nodeByteCount
    isPastRecord = true
    try unsafe file.write(
      UnsafeRawBufferPointer(start: address, count: header.nodeByteCount), at: ref.offset)
  }

  // MARK: Writing lists

  /// Writes a node of packed integers with a given width at a place that the caller took.
  ///
  /// - Parameter pack: Stores the elements into zeroed memory.
  mutating func writeIntegers(
    count: Int, widthCode: Int, flags: NodeFlags = [], at position: Int,
    _ pack: (UnsafeMutableRawPointer) -> Void
  ) throws(StorageError) {
    assert(position & 7 == 0, "a list at a position that is not aligned")
    let header = NodeHeader(flags: flags, layout: .bits, widthCode: widthCode, count: count)
    let byteCount = header.nodeByteCount
    guard byteCount > StagedRun.Buffer.byteCount else {
      let target = try unsafe stage(byteCount, at: position, .short)
      return unsafe fill(target, header, at: position, pack)
    }
    let large = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)
    defer { unsafe large.deallocate() }
    unsafe fill(large, header, at: position, pack)
    self.byteCount += byteCount
    isPastRecord = true
    try unsafe file.write(UnsafeRawBufferPointer(start: large, count: byteCount), at: position)
  }

  private func fill(
    _ target: UnsafeMutableRawPointer, _ header: NodeHeader, at position: Int,
    _ pack: (UnsafeMutableRawPointer) -> Void
  ) {
    unsafe clearTail(of: header, at: target)
    unsafe target.storeBytes(of: header.bits, as: UInt64.self)
    // Below a byte, elements are put into what is there.
    if header.widthCode < 4 {
      unsafe memset(target + NodeHeader.byteCount, 0, header.nodeByteCount - NodeHeader.byteCount)
    }
    unsafe pack(target + NodeHeader.byteCount)
    unsafe seal(target, at: position)
  }

  // MARK: The record

  /// The number of bytes to reserve for the record: for what was written until now, and for a few
  /// pieces that the lists may become.
  var recordByteCount: Int {
    guard let first = long.pieces, let second = short.pieces else { return 0 }
    return CommitRecord.byteCount(pieceCount: first.count + second.count + 8)
  }

  /// Writes the record of the commit after its last node, if all that was written fits into it.
  ///
  /// - Parameters:
  ///   - room: The bytes after the top array that are reserved for it.
  ///   - baseRef: The top array of the version before.
  /// - Returns: Whether the commit has a record.
  mutating func writeRecord(
    in room: Range<Int>, of version: UInt64, at topRef: Ref, after baseRef: Ref
  ) throws(StorageError) -> Bool {
    guard !room.isEmpty else { return false }
    let pieces = long.endPieces() + short.endPieces()
    let record = CommitRecord(version: version, topRef: topRef, baseRef: baseRef, pieces: pieces)
    let recorded = pieces.reduce(0) { $0 + $1.byteCount }
    assert(isPastRecord || recorded == byteCount, "`CommitRecord` 2")
    let length = CommitRecord.byteCount(pieceCount: pieces.count)
    guard !isPastRecord, length <= room.count, pieces.count <= CommitRecord.pieceCountMax,
      recorded <= CommitRecord.byteCountMax
    else { return false }
    let words = record.words
    let target = try unsafe short.stage(length, at: room.lowerBound)
    unsafe words.withUnsafeBytes {
      unsafe UnsafeMutableRawBufferPointer(start: target, count: length).copyMemory(from: $0)
    }
    return true
  }

  // MARK: Reaching the file

  private mutating func stage(
    _ byteCount: Int, at position: Int, _ lifetime: NodeLifetime
  ) throws(StorageError) -> UnsafeMutableRawPointer {
    assert(position & 7 == 0 && byteCount & 7 == 0, "`NodeWriter` 3")
    assert(position + byteCount <= placement.space.logicalSize, "`NodeWriter` 3")
    self.byteCount += byteCount
    return switch lifetime {
    case .long: try unsafe long.stage(byteCount, at: position)
    case .short: try unsafe short.stage(byteCount, at: position)
    }
  }

  /// Writes what is staged.
  mutating func flush() throws(StorageError) {
    long.take(&short)
    try long.flush()
    try short.flush()
  }

  /// Writes zeros to the free part of what the file grew by.
  ///
  /// A file system notes for new space that it was never written, and changing that note makes a
  /// later sync a third slower. At most a step of growth is written; the rest gets its note changed
  /// when it is used.
  mutating func zeroUnwrittenTail() throws(StorageError) {
    let tail = placement.unwrittenTail
    let end = min(tail.upperBound, tail.lowerBound + Self.zeroedByteCountMax)
    var position = tail.lowerBound
    while position < end {
      let count = min(end - position, StagedRun.Buffer.byteCount)
      unsafe memset(try short.stage(count, at: position), 0, count)
      try short.flush()
      position += count
    }
  }

  private static let zeroedByteCountMax = 2 << 20
}
