// SPDX-License-Identifier: Apache-2.0

// Writes a version as a file of its own, without free space: copies and compaction (file format
// 1.2.3).
//
// 1. Children come before their parents, so a parent's slots are final when it is written; the top
//    array is the last node. Nodes stand one after the other.
// 2. The header says "streaming form", and the footer is the last thing that is written: a copy
//    that was interrupted has none and is refused.
// 3. Each node has its checksum, whoever wrote the version that is copied. A node that does not
//    match its own does not match in the copy: damage is copied, and never hidden.
// 4. Memory does not grow with the version: there is one buffer, and the slots of one node for each
//    level of the tree.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file in streaming form that is being written.
@safe
struct StreamedCopy {
  private let target: CopyTarget
  private let space: NodeSpace
  private let buffer: UnsafeMutableRawBufferPointer
  /// Where the first byte of the buffer goes.
  private var bufferStart = 0
  private var buffered = 0
  private let watch: WorkWatch
  /// The bytes that the copy is expected to have.
  private let expectedByteCount: Int
  /// The bytes of nodes that may still be copied: no node has two owners, but in a damaged file the
  /// same may be come to again and again.
  private var nodeBytesLeft: Int

  private static let bufferByteCount = 1 << 20

  /// Writes the tables at `roots` and a history to `target`, and makes them durable.
  ///
  /// - Parameter byteCount: The bytes that the copy is expected to have, for `watch`.
  static func write(
    _ roots: VersionRoots, _ history: CopiedHistory?, in space: NodeSpace, to target: CopyTarget,
    _ watch: WorkWatch = WorkWatch(), expecting byteCount: Int = 0
  ) throws(StorageError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: bufferByteCount, alignment: 8)
    defer { unsafe buffer.deallocate() }
    var copy = unsafe StreamedCopy(
      target: target, space: space, buffer: buffer, watch: watch, expectedByteCount: byteCount,
      nodeBytesLeft: max(space.fileEnd, space.slabEnd))
    try copy.writeAll(roots, history)
    try target.finish()
  }

  private mutating func writeAll(
    _ roots: VersionRoots, _ history: CopiedHistory?
  ) throws(StorageError) {
    try append(FileHeader.streaming.bytes)
    var topRef = 0
    if !roots.tables.isNull {
      let names = try write(roots.tableNames, depth: 0)
      let tables = try write(roots.tables, depth: 0)
      let more = try history.map { (history) throws(StorageError) in try write(history) } ?? []
      topRef = position
      // The size determines where the top array ends, whose width follows from the size.
      var size = topRef
      var slots = [names, tables, 0] + more
      var header = NodeHeader(flags: .hasRefs, layout: .bits, widthCode: 0, count: slots.count)
      for _ in 0..<3 {
        slots[2] = Tagged.slot(size)
        let code = slots.reduce(0) { max($0, PackedIntegers.widthCode(for: $1)) }
        header = NodeHeader(
          flags: .hasRefs, layout: .bits, widthCode: code, count: slots.count)
        size = topRef + header.nodeByteCount
      }
      slots[2] = Tagged.slot(size)
      try append(header, slots: slots)
    }
    var footer: [UInt8] = []
    for word in [UInt64(topRef), FileHeader.footerCookie] {
      unsafe withUnsafeBytes(of: word.littleEndian) { unsafe footer.append(contentsOf: $0) }
    }
    // The footer is the end of the last page of an encrypted file.
    let gap = -(position + footer.count) & (target.alignment - 1)
    try append([UInt8](repeating: 0, count: gap))
    try append(footer)
    try flush()
  }

  // MARK: History

  /// Writes a history and empty free lists; the slots of the top array from slot 3 on.
  private mutating func write(_ history: CopiedHistory) throws(StorageError) -> [Int64] {
    let root: Int64
    switch history.root {
    case .original(let ref): root = try write(ref, depth: 0)
    case .slots(var slots):
      for (index, slot) in slots.enumerated() {
        if let ref = Ref(slot: slot) { slots[index] = try write(ref, depth: 1) }
      }
      let code = slots.reduce(0) { max($0, PackedIntegers.widthCode(for: $1)) }
      root = Int64(position)
      try append(
        NodeHeader(flags: .hasRefs, layout: .bits, widthCode: code, count: slots.count),
        slots: slots)
    }
    var lists: [Int64] = []
    for _ in 0..<3 {
      lists.append(Int64(position))
      try append(NodeHeader(flags: [], layout: .bits, widthCode: 0, count: 0), slots: [])
    }
    return lists + [
      Tagged.slot(Int(history.version)), Tagged.slot(history.type), root,
      Tagged.slot(history.schemaVersion), Tagged.slot(history.fileIdentifier),
    ]
  }

  // MARK: Nodes

  /// Writes the tree at `ref`; the slot that leads to it.
  private mutating func write(_ ref: Ref, depth: Int) throws(StorageError) -> Int64 {
    if ref.isNull { return 0 }
    guard depth < 512 else { throw .corrupted("a tree of nodes does not end") }
    let node = try space.node(at: ref)
    nodeBytesLeft -= node.header.nodeByteCount
    guard nodeBytesLeft >= 0 else { throw .corrupted("a tree of nodes does not end") }
    let isDamaged = isDamaged(node, at: ref)
    // The slots of a node without bits are null, and may be claimed to be millions.
    let isEmpty = node.header.layout == .bits && node.header.width == 0
    guard node.header.hasRefs, !isEmpty else {
      let place = position
      let checksum = unsafe NodeChecksum.value(ofUnpadded: node.payload, node.header, at: place)
      let stored = isDamaged ? NodeChecksum.spoiled(checksum) : checksum
      try append(bits: node.header.with(checksum: stored).bits)
      try unsafe append(
        UnsafeRawBufferPointer(start: node.payload, count: node.header.payloadByteCount))
      try pad()
      return Int64(place)
    }
    guard node.header.layout == .bits else {
      throw .corrupted("the node at \(ref.offset) has refs and no slots")
    }
    var slots: [Int64] = []
    slots.reserveCapacity(node.count)
    var code = 0
    for index in 0..<node.count {
      var slot = node.uncheckedInteger(at: index)
      if slot & 1 == 0 { slot = try write(Ref(Int(slot)), depth: depth + 1) }
      slots.append(slot)
      code = max(code, PackedIntegers.widthCode(for: slot))
    }
    let place = position
    let header = NodeHeader(
      flags: node.header.flags, layout: .bits, widthCode: code, count: slots.count)
    try append(header, slots: slots, isDamaged: isDamaged)
    return Int64(place)
  }

  /// Nodes of a transaction have their capacity where others have a checksum.
  private func isDamaged(_ node: Node, at ref: Ref) -> Bool {
    if space.isWritable(ref) { return false }
    return unsafe NodeChecksum.state(of: node.address, node.header, at: ref.offset) == .different
  }

  private mutating func append(
    _ header: NodeHeader, slots: [Int64], isDamaged: Bool = false
  ) throws(StorageError) {
    let packed = UnsafeMutableRawBufferPointer.allocate(
      byteCount: header.nodeByteCount, alignment: 8)
    defer { unsafe packed.deallocate() }
    unsafe packed.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe packed.storeBytes(of: header.bits, as: UInt64.self)
    if let payload = unsafe packed.baseAddress.map({ unsafe $0 + NodeHeader.byteCount }) {
      for (index, slot) in slots.enumerated() {
        unsafe PackedIntegers.store(slot, to: payload, widthCode: header.widthCode, at: index)
      }
    }
    if let start = packed.baseAddress {
      let checksum = unsafe NodeChecksum.value(of: start, header, at: position)
      let stored = isDamaged ? NodeChecksum.spoiled(checksum) : checksum
      unsafe packed.storeBytes(of: header.with(checksum: stored).bits, as: UInt64.self)
    }
    try unsafe append(UnsafeRawBufferPointer(packed))
  }

  // MARK: Bytes

  private var position: Int { bufferStart + buffered }

  private mutating func pad() throws(StorageError) {
    let rest = -position & 7
    if rest > 0 { try append([UInt8](repeating: 0, count: rest)) }
  }

  private mutating func append(bits: UInt64) throws(StorageError) {
    var bytes: [UInt8] = []
    unsafe withUnsafeBytes(of: bits.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    try append(bytes)
  }

  private mutating func append(_ bytes: [UInt8]) throws(StorageError) {
    if unsafe buffered + bytes.count > buffer.count { try flush() }
    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[buffered...]).copyBytes(from: bytes)
    buffered += bytes.count
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    if unsafe buffered + bytes.count > buffer.count { try flush() }
    guard unsafe bytes.count <= buffer.count else {
      try unsafe target.write(bytes, at: bufferStart)
      bufferStart += bytes.count
      return
    }
    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[buffered...]).copyMemory(from: bytes)
    buffered += bytes.count
  }

  private mutating func flush() throws(StorageError) {
    guard buffered > 0 else { return }
    try unsafe target.write(UnsafeRawBufferPointer(rebasing: buffer[..<buffered]), at: bufferStart)
    bufferStart += buffered
    buffered = 0
    watch.progress(min(1, Double(bufferStart) / Double(max(expectedByteCount, bufferStart))))
    if watch.isCancelled() {
      throw .system(operation: "Copying", path: target.path, code: ECANCELED)
    }
  }
}

extension Snapshot {
  /// Writes the version to `file`, which is empty, as a database of its own without free space;
  /// encrypted, if there is a key.
  ///
  /// - Parameter history: What the copy of a synchronised file takes along; nil for what another
  ///   device needs, if the file was opened as synchronised. A copy of a local file has no history.
  /// - Throws: `StorageError.pendingUploads` if another device could not continue with the copy,
  ///   and `.system` with ECANCELED.
  package func write(
    to target: any StorageFile, key: EncryptionKey? = nil, history: HistoryCopy? = nil,
    _ watch: WorkWatch = WorkWatch()
  ) throws(StorageError) {
    let usual: HistoryCopy = file.options.history == .syncClient ? .forAnotherDevice : .none
    let copied = try CopiedHistory(history ?? usual, of: self)
    try StreamedCopy.write(
      roots, copied, in: space, to: CopyTarget(target, key), watch,
      expecting: (try? usedByteCount()) ?? space.fileEnd)
  }
}

extension WriteTransaction {
  /// Writes what the transaction made so far to `file`, which is empty, as a local database of its
  /// own; encrypted, if there is a key.
  ///
  /// It has no history, of a synchronised file neither: no server knows what is not committed.
  package func write(to file: any StorageFile, key: EncryptionKey? = nil) throws(StorageError) {
    try StreamedCopy.write(roots, nil, in: allocator.space, to: CopyTarget(file, key))
  }

  /// Writes what the transaction made so far to `file`, which is empty, with the history and the
  /// version from which the transaction started.
  func write(
    to file: any StorageFile, key: EncryptionKey?, history: HistoryCopy
  ) throws(StorageError) {
    let copied = try CopiedHistory(history, of: base)
    try StreamedCopy.write(roots, copied, in: allocator.space, to: CopyTarget(file, key))
  }
}
