// SPDX-License-Identifier: Apache-2.0

// Inner nodes of B+ trees: where children are, and where their elements start.

/// Reads and writes the inner node of a B+ tree.
///
/// ```
/// slot 0         tag(elementsPerChild), or the ref of an unsigned array of starts
/// slots 1...m    children
/// slot m + 1     tag(total elements below)
/// ```
/// An instance is the decoded form, used where the structure changes; reads and changes of one
/// element's worth work on the node itself.
package struct BTreeInner {
  var children: [Ref]
  /// Where each child's elements start, relative to this node; `starts[0]` is 0.
  var starts: [Int]
  var total: Int
  /// The number of elements in a child that has no room, while the node is compact.
  var elementsPerChild: Int?

  /// The number of children, after checking the node's shape.
  static func childCount(of node: Node) throws(StorageError) -> Int {
    guard node.header.hasRefs, node.header.isInner, node.count >= 3 else {
      throw .corrupted("an inner node of a B+ tree is malformed")
    }
    return node.count - 2
  }

  /// The child that holds element `index` (the last one for the end), and where it starts.
  static func child(
    holding index: Int, of node: Node, in space: NodeSpace
  ) throws(StorageError) -> (child: Int, start: Int) {
    let count = try childCount(of: node)
    let first = try node.integer(at: 0)
    if let perChild = Tagged.number(first) {
      guard perChild > 0, index >= 0 else {
        throw .corrupted("an inner node of a B+ tree is malformed")
      }
      let child = min(index / perChild, count - 1)
      return (child, child * perChild)
    }
    let offsets = try offsets(of: node, children: count, in: space)
    var low = 0
    var high = count - 1
    while low < high {
      let middle = (low + high) / 2
      if try start(middle, offsets) <= index { low = middle + 1 } else { high = middle }
    }
    return (low, low == 0 ? 0 : try start(low - 1, offsets))
  }

  private static func offsets(
    of node: Node, children: Int, in space: NodeSpace
  ) throws(StorageError) -> Node {
    let offsets = try space.node(at: try node.ref(at: 0))
    guard offsets.header.layout == .bits, offsets.count == children - 1 else {
      throw .corrupted("the offsets of a B+ tree node do not match its children")
    }
    return offsets
  }

  /// Element `index` of an offsets array, which its count covers.
  private static func start(_ index: Int, _ offsets: Node) throws(StorageError) -> Int {
    let value = unsafe PackedIntegers.loadUnsigned(
      offsets.payload, widthCode: offsets.header.widthCode, at: index)
    guard value < UInt64(Int32.max) * 4096 else {
      throw .corrupted("an offset of a B+ tree node is out of range")
    }
    return Int(value)
  }

  init(_ node: Node, in space: NodeSpace) throws(StorageError) {
    let count = try Self.childCount(of: node)
    children = []
    for index in 1...count { children.append(try node.ref(at: index)) }
    total = try node.taggedNumber(at: count + 1)
    starts = [0]
    if let perChild = Tagged.number(try node.integer(at: 0)) {
      elementsPerChild = perChild
      for index in 1..<max(count, 1) { starts.append(index * perChild) }
    } else {
      let offsets = try Self.offsets(of: node, children: count, in: space)
      for index in 0..<count - 1 { starts.append(try Self.start(index, offsets)) }
    }
    for index in starts.indices {
      let end = index + 1 < starts.count ? starts[index + 1] : total
      guard starts[index] < end else { throw .corrupted("a child of a B+ tree node is empty") }
    }
  }

  init(children: [Ref], starts: [Int], total: Int, elementsPerChild: Int?) {
    self.children = children
    self.starts = starts
    self.total = total
    self.elementsPerChild = elementsPerChild
  }

  func size(of child: Int) -> Int {
    (child + 1 < starts.count ? starts[child + 1] : total) - starts[child]
  }

  /// Whether the children are such that their starts need not be stored.
  private var fitsCompact: Bool {
    guard let perChild = elementsPerChild else { return false }
    for index in starts.indices where starts[index] != index * perChild { return false }
    return size(of: children.count - 1) <= perChild
  }

  /// Writes the node again in place of `old`, whose children are taken over.
  func write(replacing old: Ref, _ allocator: NodeAllocator) throws(StorageError) -> Ref {
    assert(children.count == starts.count && starts.first == 0, "`BTree` 1: there are children")
    if !old.isNull {
      if let offsets = Ref(slot: try allocator.node(at: old).integer(at: 0)) {
        try allocator.free(offsets)
      }
      try allocator.free(old)
    }
    var slots: [Int64] = []
    slots.reserveCapacity(children.count + 2)
    if fitsCompact, let perChild = elementsPerChild {
      slots.append(Tagged.slot(perChild))
    } else {
      slots.append(try Self.makeOffsets(starts.dropFirst(), total: total, allocator).slot)
    }
    for child in children { slots.append(child.slot) }
    slots.append(Tagged.slot(total))
    return try IntegerNode.make(slots, flags: [.hasRefs, .inner], in: allocator).ref
  }

  private static func makeOffsets(
    _ starts: ArraySlice<Int>, total: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    // Twice the total, so that the width lasts while elements are added one by one.
    let code = PackedIntegers.unsignedWidthCode(for: UInt64(total) * 2)
    let header = NodeHeader(flags: [], layout: .bits, widthCode: code, count: starts.count)
    let node = try allocator.allocate(header, capacity: 0)
    for (index, start) in starts.enumerated() {
      unsafe PackedIntegers.store(Int64(start), to: node.payload, widthCode: code, at: index)
    }
    return node.ref
  }

  /// Adds `change` (1 or -1) to the size of one child of the node at `ref` and stores where that
  /// child is now.
  ///
  /// - Returns: where the node is now; nil if the node's form must change first.
  static func adjust(
    _ ref: Ref, child: Int, isAt newChild: Ref, by change: Int, atEnd: Bool,
    _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref? {
    let node = try allocator.node(at: ref)
    let count = try childCount(of: node)
    let total = try node.taggedNumber(at: count + 1) + change
    let first = try node.integer(at: 0)
    if let perChild = Tagged.number(first) {
      guard atEnd, total - child * perChild <= perChild else { return nil }
    } else {
      let old = try offsets(of: node, children: count, in: allocator.space)
      guard PackedIntegers.unsignedWidthCode(for: UInt64(total)) <= old.header.widthCode else {
        return nil
      }
    }
    assert(abs(change) == 1 && child < count && !newChild.isNull)
    let new = try allocator.makeWritable(ref)
    new.store(newChild.slot, at: child + 1)
    new.store(Tagged.slot(total), at: count + 1)
    guard let offsetsRef = Ref(slot: first) else { return new.ref }
    let offsets = try allocator.makeWritable(offsetsRef)
    new.store(offsets.ref.slot, at: 0)
    let code = offsets.header.widthCode
    for index in child..<count - 1 {
      let start = unsafe PackedIntegers.loadUnsigned(offsets.payload, widthCode: code, at: index)
      unsafe PackedIntegers.store(
        Int64(bitPattern: start) + Int64(change), to: offsets.payload, widthCode: code, at: index)
    }
    return new.ref
  }
}
