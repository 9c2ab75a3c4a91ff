// SPDX-License-Identifier: Apache-2.0

// The nodes of one write transaction: memory for new ones, and the list of what it gave up.

/// Makes, copies and frees nodes for one write transaction.
///
/// New nodes live in the slab, at higher addresses than the file, so a ref becomes a pointer by the
/// same addition. Nothing here reaches the file; the commit does it.
///
/// Invariants:
/// 1. A node of the committed file is never written: `makeWritable(_:)` copies it and lists the old
///    place in `freedBlocks`.
/// 2. A ref is freed once; freeing a writable node recycles its memory inside this transaction.
/// 3. A sealed node (`seal()`) is neither written nor recycled until the seal is taken away.
///
/// It belongs to the transaction's one user at a time: it is not safe for concurrent use.
@usableFromInline
@safe
package final class NodeAllocator {
  /// A range of the file that this transaction no longer uses.
  package struct FreedBlock: Hashable, Sendable {
    package let offset: Int
    package let byteCount: Int
  }

  /// Where this transaction's nodes are found; constant during the transaction.
  @usableFromInline package let space: NodeSpace

  /// The nodes of the committed version that this transaction replaced or dropped, unordered.
  package private(set) var freedBlocks: [FreedBlock] = []

  // The transaction has one user at a time, so the run-time exclusivity checks, one call for each
  // node made, could not find anything.

  /// The first slab offset that was never handed out.
  @exclusivity(unchecked) @usableFromInline private(set) var slabTop: Int
  /// The slab offset from which on nodes are writable: those below are sealed.
  @exclusivity(unchecked) @usableFromInline private(set) var writableStart: Int
  /// Freed slab blocks by capacity in units of 8 bytes, for the small sizes; each list is chained
  /// through the first payload word, and 0 ends it.
  @exclusivity(unchecked) private var recycled: UnsafeMutablePointer<Int>
  /// No block of more units is in `recycled`.
  @exclusivity(unchecked) private var recycledUnitsMax = 0

  /// What a seal keeps of the state before it.
  @safe
  private struct Level {
    let writableStart: Int
    let slabTop: Int
    let recycled: UnsafeMutablePointer<Int>
    let recycledUnitsMax: Int
    let freedBlockCount: Int
    let sealedFreeCount: Int
  }

  /// The seals, the newest last.
  private var levels: [Level] = []
  /// Sealed nodes that were given up, in the order of that.
  private var sealedFrees: [Ref] = []
  /// The highest `slabTop` of those that a seal took back.
  private var highestTop = 0

  private static let recycledClassCount = 1025

  package init(space: NodeSpace) {
    precondition(space.slabStart > 0 && space.slabStart & 7 == 0)
    self.space = space
    unsafe slabTop = space.slabStart
    unsafe writableStart = space.slabStart
    unsafe recycled = Self.makeRecycled()
  }

  deinit {
    unsafe recycled.deallocate()
    for level in levels { unsafe level.recycled.deallocate() }
  }

  private static func makeRecycled() -> UnsafeMutablePointer<Int> {
    let lists = UnsafeMutablePointer<Int>.allocate(capacity: recycledClassCount)
    unsafe lists.initialize(repeating: 0, count: recycledClassCount)
    return unsafe lists
  }

  /// Bytes of slab memory that the transaction's nodes take.
  package var slabByteCount: Int { unsafe slabTop - space.slabStart }

  /// Bytes of slab memory that this transaction has touched.
  var touchedByteCount: Int { unsafe max(slabTop, highestTop) - space.slabStart }

  // MARK: Making

  /// A new node with room for at least `capacity` payload bytes; the payload is not cleared.
  ///
  /// - Throws: `StorageError.limitExceeded` for a node of 64 MiB or more, and
  ///   `.addressSpaceExhausted` when the slab is full.
  @usableFromInline
  package func allocate(_ header: NodeHeader, capacity: Int) throws(StorageError) -> MutableNode {
    let needed = max(capacity, header.payloadByteCount)
    let units = (max(needed, 8) + 7) / 8 + 1
    guard units * 8 <= NodeAllocator.nodeByteLimit else {
      throw .limitExceeded("A node of \(needed) bytes exceeds the limit of the file format")
    }
    let ref = try takeSlab(units: units)
    unsafe assert(
      ref.offset >= space.slabStart && ref.offset + units * 8 <= slabTop, "`NodeAllocator` 1")
    let address = unsafe UnsafeMutableRawPointer(mutating: space.base + ref.offset)
    unsafe address.storeBytes(of: header.bits & ~0xFF_FFFF | UInt64(units), as: UInt64.self)
    return unsafe MutableNode(ref: ref, address: address)
  }

  /// The size that a node, header included, must stay below (file format 1.3.4).
  package static let nodeByteLimit = 64 << 20

  private func takeSlab(units: Int) throws(StorageError) -> Ref {
    if units < Self.recycledClassCount, unsafe recycled[units] != 0 {
      let offset = unsafe recycled[units]
      guard offset & 7 == 0, offset >= space.slabStart, unsafe offset <= slabTop - units * 8 else {
        throw .corrupted("two nodes of the running transaction overlap")
      }
      unsafe recycled[units] = unsafe (space.base + offset).load(fromByteOffset: 8, as: Int.self)
      return Ref(offset)
    }
    guard unsafe slabTop + units * 8 <= space.slabEnd else {
      throw .addressSpaceExhausted(path: "", byteCount: units * 8)
    }
    let offset = unsafe slabTop
    unsafe slabTop += units * 8
    return Ref(offset)
  }

  // MARK: Reading and copying

  /// The checked node at a ref of this transaction or of the version it started from.
  @inlinable @inline(__always)
  package func node(at ref: Ref) throws(StorageError) -> Node { try space.node(at: ref) }

  /// The node at a ref of this transaction.
  ///
  /// `ref` must be writable (`isWritable(_:)`).
  @inlinable @inline(__always)
  package func mutableNode(at ref: Ref) -> MutableNode {
    assert(isWritable(ref))
    return unsafe MutableNode(
      ref: ref, address: UnsafeMutableRawPointer(mutating: space.base + ref.offset))
  }

  /// Whether this transaction made the node at `ref`, since the newest seal if there is one.
  ///
  /// A damaged file may hold refs into the slab. They are no worse than other damage: only what
  /// lies wholly inside the memory handed out is writable, and everything else is checked as a ref
  /// of the committed file is.
  @inlinable @inline(__always)
  package func isWritable(_ ref: Ref) -> Bool {
    let offset = ref.offset
    guard unsafe offset >= writableStart, unsafe offset < slabTop, offset & 7 == 0 else {
      return false
    }
    let units = unsafe (space.base + offset).load(as: UInt32.self) & 0xFF_FFFF
    return unsafe units != 0 && Int(units) &* 8 <= slabTop &- offset
  }

  /// `ref` itself if it is writable, else a copy that is.
  ///
  /// A copied has-refs node gets 64-bit slots, so that storing a ref or number in one never makes
  /// the node move; the commit writes it with the width that its final slots need.
  @inlinable @inline(__always)
  package func makeWritable(_ ref: Ref) throws(StorageError) -> MutableNode {
    if isWritable(ref) { return mutableNode(at: ref) }
    return try copy(ref)
  }

  @usableFromInline @inline(never)
  func copy(_ ref: Ref) throws(StorageError) -> MutableNode {
    let old = try node(at: ref)
    try checkCommitted(ref)
    let new: MutableNode
    if old.header.hasRefs, old.header.layout == .bits {
      let header = NodeHeader(
        flags: old.header.flags, layout: .bits, widthCode: 7, count: old.count)
      new = try allocate(header, capacity: (old.count + 2) * 8)
      unsafe old.pack(to: new.payload, widthCode: 7)
    } else {
      let byteCount = old.header.payloadByteCount
      // Room to grow a little: most copies are made to insert or to widen.
      new = try allocate(old.header, capacity: byteCount + byteCount / 8 + 16)
      unsafe new.payload.copyMemory(from: old.payload, byteCount: byteCount)
    }
    assert(isWritable(new.ref) && !isWritable(ref), "`NodeAllocator` 1: a copy is in the slab")
    noteFreed(ref, old)
    return new
  }

  // MARK: Freeing

  /// Gives up one node, not its children. A null ref is ignored.
  @usableFromInline
  package func free(_ ref: Ref) throws(StorageError) {
    guard !ref.isNull else { return }
    guard isWritable(ref) else {
      let node = try node(at: ref)
      try checkCommitted(ref)
      noteFreed(ref, node)
      // In a damaged file the same nodes may be come to again and again.
      guard freedBlocks.count <= space.fileEnd / NodeHeader.byteCount else {
        throw .corrupted("more nodes are given up than the file has")
      }
      return
    }
    recycle(ref)
  }

  /// Keeps the memory of a writable node for a new one.
  private func recycle(_ ref: Ref) {
    let node = mutableNode(at: ref)
    let units = (node.capacityByteCount + NodeHeader.byteCount) / 8
    guard units < Self.recycledClassCount else { return }
    unsafe node.address.storeBytes(of: recycled[units], toByteOffset: 8, as: Int.self)
    unsafe recycled[units] = ref.offset
    unsafe recycledUnitsMax = max(recycledUnitsMax, units)
  }

  /// Gives up a node and everything below it, following its has-refs flags.
  ///
  /// - Throws: `StorageError.corrupted` for bad refs or a tree deeper than any the format has.
  @usableFromInline
  package func freeTree(_ ref: Ref, depth: Int = 0) throws(StorageError) {
    guard !ref.isNull else { return }
    guard depth < 512 else { throw .corrupted("a tree of nodes does not end") }
    let node = try node(at: ref)
    if node.header.hasRefs {
      for index in 0..<node.count {
        if let child = Ref(slot: try node.integer(at: index)) {
          try freeTree(child, depth: depth + 1)
        }
      }
    }
    try free(ref)
  }

  /// Refuses refs that a damaged file has into the slab.
  private func checkCommitted(_ ref: Ref) throws(StorageError) {
    guard ref.offset < space.fileEnd || isSealed(ref) else { throw .refOutOfBounds(ref, in: space) }
  }

  private func isSealed(_ ref: Ref) -> Bool {
    unsafe ref.offset >= space.slabStart && ref.offset < writableStart
  }

  private func noteFreed(_ ref: Ref, _ node: Node) {
    assert(ref.offset & 7 == 0 && !isWritable(ref), "`NodeAllocator` 1: committed nodes are listed")
    guard !isSealed(ref) else { return sealedFrees.append(ref) }
    freedBlocks.append(FreedBlock(offset: ref.offset, byteCount: node.header.nodeByteCount))
  }

  // MARK: Seals

  /// The number of seals.
  package var sealCount: Int { levels.count }

  /// Makes the nodes of now unwritable, as those of the committed file are: a change copies them.
  ///
  /// Who keeps the roots of now has all of this state until `revert()`, or gives it up by
  /// `unseal()`. Seals end in the reverse order of their beginning.
  package func seal() {
    unsafe levels.append(
      Level(
        writableStart: writableStart, slabTop: slabTop, recycled: recycled,
        recycledUnitsMax: recycledUnitsMax, freedBlockCount: freedBlocks.count,
        sealedFreeCount: sealedFrees.count))
    unsafe writableStart = slabTop
    unsafe recycled = Self.makeRecycled()
    unsafe recycledUnitsMax = 0
  }

  /// Takes the newest seal away. What was made since stays.
  package func unseal() {
    guard let level = levels.popLast() else { return }
    unsafe writableStart = level.writableStart
    for units in unsafe 0...recycledUnitsMax {
      var offset = unsafe recycled[units]
      while offset != 0 {
        let next = unsafe (space.base + offset).load(fromByteOffset: 8, as: Int.self)
        let address = unsafe UnsafeMutableRawPointer(mutating: space.base + offset)
        unsafe address.storeBytes(of: level.recycled[units], toByteOffset: 8, as: Int.self)
        unsafe level.recycled[units] = offset
        offset = next
      }
    }
    unsafe recycled.deallocate()
    unsafe recycled = unsafe level.recycled
    unsafe recycledUnitsMax = max(recycledUnitsMax, level.recycledUnitsMax)
    let freed = sealedFrees[level.sealedFreeCount...]
    sealedFrees.removeLast(freed.count)
    for ref in freed {
      if isWritable(ref) { recycle(ref) } else { sealedFrees.append(ref) }
    }
  }

  /// Takes the newest seal away, and all that was made and given up since: the state is the one
  /// that was sealed.
  package func revert() {
    guard let level = levels.popLast() else { return }
    unsafe highestTop = max(highestTop, slabTop)
    unsafe slabTop = level.slabTop
    unsafe writableStart = level.writableStart
    unsafe recycled.deallocate()
    unsafe recycled = unsafe level.recycled
    unsafe recycledUnitsMax = level.recycledUnitsMax
    freedBlocks.removeLast(freedBlocks.count - level.freedBlockCount)
    sealedFrees.removeLast(sealedFrees.count - level.sealedFreeCount)
  }
}
