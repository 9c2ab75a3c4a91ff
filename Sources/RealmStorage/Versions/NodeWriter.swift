// SPDX-License-Identifier: Apache-2.0

// Lays the nodes of a write transaction out in the file.
//
// 1. Children are written before their parents, so a parent's slots are final when it is written
//    and it can be packed with the width that they need.
// 2. A node that was written leaves its new place in its slab header: the node is not read again.
//    So a transaction can be laid out once; if that fails, it is lost.
// 3. Bytes go to usable free space only, never across a section boundary, and through one staging
//    buffer, so that neighbours reach the file in one call.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The memory in which a commit puts its nodes side by side; kept from commit to commit.
final class StagingBuffer {
  static let byteCount = 1 << 20
  let bytes = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)

  deinit { bytes.deallocate() }
}

/// Writes nodes into free space.
struct NodeWriter {
  private(set) var space: FreeSpace
  private let slab: NodeSpace
  private let file: any StorageFile
  private let staging: StagingBuffer
  private let pageSize: Int
  /// Makes the file as long as it is told before anything is written there.
  private let extend: (Int) throws(StorageError) -> Void

  /// What is left of the run of bytes that is being filled.
  private var extent = 0..<0
  /// Where that run began.
  private var extentStart = 0
  /// What was written so far, but for the present run.
  private var written: [Range<Int>] = []
  /// An upper bound of what is still to be written.
  private var remaining: Int
  private var stagedPosition = 0
  private var stagedCount = 0

  init(
    _ space: FreeSpace, slab: NodeSpace, file: any StorageFile, staging: StagingBuffer,
    pageSize: Int, expecting byteCount: Int, extend: @escaping (Int) throws(StorageError) -> Void
  ) {
    self.space = space
    self.slab = slab
    self.file = file
    self.staging = staging
    self.pageSize = pageSize
    remaining = byteCount
    self.extend = extend
  }

  // MARK: Measuring

  /// An upper bound of the bytes that the uncommitted nodes below `ref` take in the file.
  static func measure(
    _ ref: Ref, in slab: NodeSpace, depth: Int = 0
  ) throws(StorageError) -> Int {
    guard slab.isWritable(ref) else { return 0 }
    guard depth < 512 else { throw .corrupted("a tree of nodes does not end") }
    let node = try slab.node(at: ref)
    var total = node.header.nodeByteCount
    if node.header.hasRefs {
      for index in 0..<node.count {
        let slot = try node.integer(at: index)
        if slot & 1 == 0, slab.isWritable(Ref(Int(slot))) {
          total += try measure(Ref(Int(slot)), in: slab, depth: depth + 1)
        }
      }
    }
    return total
  }

  // MARK: Writing trees

  /// Writes the uncommitted nodes below and at `ref`; the ref under which the tree is found in the
  /// file.
  mutating func write(_ ref: Ref, depth: Int = 0) throws(StorageError) -> Ref {
    guard slab.isWritable(ref) else { return ref }
    guard depth < 512 else { throw .corrupted("a tree of nodes does not end") }
    let node = try slab.node(at: ref)
    guard node.header.hasRefs else { return try writePlain(node) }
    // Final slots replace the ones in the slab: they are smaller, so they fit.
    let payload = UnsafeMutableRawPointer(mutating: node.payload)
    let code = node.header.widthCode
    var newCode = 0
    for index in 0..<node.count {
      var slot = try node.integer(at: index)
      if slot & 1 == 0, slab.isWritable(Ref(Int(slot))) {
        slot = try write(Ref(Int(slot)), depth: depth + 1).slot
        PackedIntegers.store(slot, to: payload, widthCode: code, at: index)
      }
      newCode = max(newCode, PackedIntegers.widthCode(for: slot))
    }
    let header = NodeHeader(
      flags: node.header.flags, layout: .bits, widthCode: newCode, count: node.count)
    return try writeSlots(header, of: node)
  }

  private mutating func writeSlots(
    _ header: NodeHeader, of node: Node
  ) throws(StorageError) -> Ref {
    let byteCount = header.nodeByteCount
    let ref = Ref(try place(byteCount))
    if byteCount > StagingBuffer.byteCount {
      // Packing in place never overtakes what is still to be read: the new width is not larger.
      let payload = UnsafeMutableRawPointer(mutating: node.payload)
      for index in 0..<header.count {
        PackedIntegers.store(
          node.uncheckedInteger(at: index), to: payload, widthCode: header.widthCode, at: index)
      }
      try writeThrough(header, UnsafeMutableRawPointer(mutating: node.address), at: ref)
      return ref
    }
    let target = try stage(byteCount, at: ref.offset)
    clearTail(of: header, at: target)
    target.storeBytes(of: header.bits, as: UInt64.self)
    for index in 0..<header.count {
      PackedIntegers.store(
        node.uncheckedInteger(at: index), to: target + NodeHeader.byteCount,
        widthCode: header.widthCode, at: index)
    }
    return ref
  }

  private mutating func writePlain(_ node: Node) throws(StorageError) -> Ref {
    let header = NodeHeader(bits: node.header.bits & ~0xFFFF_FFFF | 0x4141_4141)
    let byteCount = header.nodeByteCount
    let ref = Ref(try place(byteCount))
    if byteCount > StagingBuffer.byteCount {
      try writeThrough(header, UnsafeMutableRawPointer(mutating: node.address), at: ref)
      return ref
    }
    let target = try stage(byteCount, at: ref.offset)
    clearTail(of: header, at: target)
    target.storeBytes(of: header.bits, as: UInt64.self)
    (target + NodeHeader.byteCount).copyMemory(
      from: node.payload, byteCount: header.payloadByteCount)
    return ref
  }

  /// Zeroes the last word of a node, where packed bits and padding meet.
  private func clearTail(of header: NodeHeader, at target: UnsafeMutableRawPointer) {
    let byteCount = header.nodeByteCount
    if byteCount > NodeHeader.byteCount {
      target.storeBytes(of: 0, toByteOffset: byteCount - 8, as: UInt64.self)
    }
  }

  /// Writes a node that is larger than the staging buffer from where it is.
  private mutating func writeThrough(
    _ header: NodeHeader, _ address: UnsafeMutableRawPointer, at ref: Ref
  ) throws(StorageError) {
    try flush()
    address.storeBytes(of: header.bits, as: UInt64.self)
    let used = NodeHeader.byteCount + header.payloadByteCount
    memset(address + used, 0, header.nodeByteCount - used)
    try file.write(
      UnsafeRawBufferPointer(start: address, count: header.nodeByteCount), at: ref.offset)
  }

  /// Writes a node of packed integers with a given width.
  mutating func writeIntegers(
    count: Int, widthCode: Int, flags: NodeFlags = [], at position: Int,
    _ value: (Int) -> Int64
  ) throws(StorageError) {
    let header = NodeHeader(flags: flags, layout: .bits, widthCode: widthCode, count: count)
    let byteCount = header.nodeByteCount
    guard byteCount > StagingBuffer.byteCount else {
      let target = try stage(byteCount, at: position)
      Self.fill(target, header, value)
      clearPadding(of: header, at: target)
      return
    }
    try flush()
    let large = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)
    defer { large.deallocate() }
    Self.fill(large, header, value)
    clearPadding(of: header, at: large)
    try file.write(UnsafeRawBufferPointer(start: large, count: byteCount), at: position)
  }

  private static func fill(
    _ target: UnsafeMutableRawPointer, _ header: NodeHeader, _ value: (Int) -> Int64
  ) {
    if header.nodeByteCount > NodeHeader.byteCount {
      target.storeBytes(of: 0, toByteOffset: header.nodeByteCount - 8, as: UInt64.self)
    }
    target.storeBytes(of: header.bits, as: UInt64.self)
    for index in 0..<header.count {
      PackedIntegers.store(
        value(index), to: target + NodeHeader.byteCount, widthCode: header.widthCode, at: index)
    }
  }

  private func clearPadding(of header: NodeHeader, at target: UnsafeMutableRawPointer) {
    let used = NodeHeader.byteCount + header.payloadByteCount
    memset(target + used, 0, header.nodeByteCount - used)
  }

  // MARK: Space

  /// Takes the next `byteCount` bytes.
  private mutating func place(_ byteCount: Int) throws(StorageError) -> Int {
    if extent.count < byteCount { try takeExtent(byteCount) }
    let position = extent.lowerBound
    extent = position + byteCount..<extent.upperBound
    remaining = max(0, remaining - byteCount)
    return position
  }

  private mutating func takeExtent(_ needed: Int) throws(StorageError) {
    endExtent(at: extent.lowerBound)
    let wanted = max(needed, remaining)
    while true {
      if let taken = space.take(wanted: wanted, needed: needed) {
        extent = taken
        extentStart = taken.lowerBound
        return
      }
      space.grow(by: wanted, pageSize: pageSize)
      try extend(space.logicalSize)
    }
  }

  /// A run of `byteCount` bytes at the place where the next node would go, of which the caller will
  /// use a first part (`finish`).
  mutating func takeLast(_ byteCount: Int) throws(StorageError) -> Int {
    if extent.count < byteCount { try takeExtent(byteCount) }
    return extent.lowerBound
  }

  /// The end of the run that `takeLast` found.
  var lastEnd: Int { extent.upperBound }

  /// Ends the last run at `position`: from there on it is free.
  mutating func finish(at position: Int, version: UInt64) {
    endExtent(at: position)
    space.noteWritten(written, version: version)
  }

  private mutating func endExtent(at position: Int) {
    if extentStart < position { written.append(extentStart..<position) }
    space.giveBack(position..<extent.upperBound)
    extent = 0..<0
    extentStart = 0
  }

  /// Lists what the commit gives up.
  mutating func add(
    freed: [NodeAllocator.FreedBlock], tag: UInt64
  ) throws(StorageError) {
    try space.add(freed: freed, tag: tag)
  }

  // MARK: Staging

  private mutating func stage(
    _ byteCount: Int, at position: Int
  ) throws(StorageError) -> UnsafeMutableRawPointer {
    if position != stagedPosition + stagedCount
      || stagedCount + byteCount > StagingBuffer.byteCount
    {
      try flush()
      stagedPosition = position
    }
    let target = staging.bytes + stagedCount
    stagedCount += byteCount
    return target
  }

  /// Writes what is staged.
  mutating func flush() throws(StorageError) {
    guard stagedCount > 0 else { return }
    let bytes = UnsafeRawBufferPointer(start: staging.bytes, count: stagedCount)
    stagedCount = 0
    try file.write(bytes, at: stagedPosition)
  }
}
