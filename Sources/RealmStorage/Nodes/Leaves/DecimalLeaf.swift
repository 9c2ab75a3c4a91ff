// SPDX-License-Identifier: Apache-2.0

// Decimals, nullable or not, in the narrowest of four widths that suits all of a leaf.

/// A leaf of decimals (file format 4.6).
///
/// Cells of 4, 8 or 16 bytes, or none while all elements are null (context flag clear) or all are
/// +0 with the exponent 0 (context flag set). A leaf only gets wider.
package enum DecimalLeaf: Leaf {
  package typealias Value = DecimalBits?

  package static func zero(isNullable: Bool) -> DecimalBits? { isNullable ? nil : .zero }

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try CellNode.make(width: 0, in: allocator).ref
  }

  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    try CellNode.checked(ref, in: space).count
  }

  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> DecimalBits? {
    try value(at: index, of: try space.node(at: ref))
  }

  /// The element at `index` of a leaf whose node is at hand.
  package static func value(at index: Int, of node: Node) throws(StorageError) -> DecimalBits? {
    guard node.header.layout == .multiply else { throw malformed }
    let cell = try unsafe CellNode.cell(at: index, of: node)
    switch node.header.width {
    case 0: return node.header.hasContext ? .zero : nil
    case 4: return unsafe DecimalBits(bits32: cell.load(as: UInt32.self))
    case 8: return unsafe DecimalBits(bits64: cell.load(as: UInt64.self))
    case 16:
      let low = unsafe cell.load(as: UInt64.self)
      let high = unsafe cell.load(fromByteOffset: 8, as: UInt64.self)
      return low == 0xAA && high == 0x7C00_0000_0000_0000
        ? nil : DecimalBits(low: low, high: high)
    default: throw malformed
    }
  }

  package static func insert(
    _ value: DecimalBits?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let ref = try prepared(ref, for: value, allocator)
    let width = try allocator.node(at: ref).header.width
    let node = try CellNode.insertGap(at: index, in: ref, width: width, allocator)
    store(value, in: node, at: index, width: width)
    return node.ref
  }

  package static func set(
    _ value: DecimalBits?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    _ = try unsafe CellNode.cell(at: index, of: try allocator.node(at: ref))
    let node = try allocator.makeWritable(try prepared(ref, for: value, allocator))
    store(value, in: node, at: index, width: node.header.width)
    return node.ref
  }

  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try CellNode.remove(at: index, from: ref, allocator)
  }

  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    try CellNode.split(ref, at: index, allocator)
  }

  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    let node = try CellNode.checked(ref, in: space)
    guard [0, 4, 8, 16].contains(node.header.width) else { throw malformed }
  }

  // MARK: Widths

  /// The leaf in a width that can take `value`.
  private static func prepared(
    _ ref: Ref, for value: DecimalBits?, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let node = try CellNode.checked(ref, in: allocator.space)
    let width = node.header.width
    guard [0, 4, 8, 16].contains(width) else { throw malformed }
    guard width == 0 else {
      let needed = value?.leafWidth ?? 0
      return needed <= width ? ref : try widened(ref, node, to: needed, allocator)
    }
    if value == nil || value == .zero {
      let isZero = value != nil
      if node.header.hasContext == isZero { return ref }
      if node.count == 0 {
        let new = try allocator.makeWritable(ref)
        new.setFlag(.context, isZero)
        return new.ref
      }
    }
    return try widened(ref, node, to: max(value?.leafWidth ?? 0, 4), allocator)
  }

  private static func widened(
    _ ref: Ref, _ old: Node, to width: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try allocator.space.requirePossibleCount(of: old, at: ref)
    let header = NodeHeader(
      flags: [], layout: .multiply, widthCode: NodeHeader.widthCode(of: width), count: old.count)
    let room = (old.count + 1) * width
    let new = try allocator.allocate(header, capacity: room + room / 2)
    for index in 0..<old.count {
      store(try value(at: index, of: old), in: new, at: index, width: width)
    }
    try allocator.free(ref)
    return new.ref
  }

  private static func store(
    _ value: DecimalBits?, in node: MutableNode, at index: Int, width: Int
  ) {
    let cell = unsafe node.payload + index * width
    switch width {
    case 4: unsafe cell.storeBytes(of: value?.bits32 ?? 0x7C00_00AA, as: UInt32.self)
    case 8: unsafe cell.storeBytes(of: value?.bits64 ?? 0x7C00_0000_0000_00AA, as: UInt64.self)
    case 16:
      unsafe cell.storeBytes(of: value?.low ?? 0xAA, as: UInt64.self)
      unsafe cell.storeBytes(
        of: value?.high ?? 0x7C00_0000_0000_0000, toByteOffset: 8, as: UInt64.self)
    default: break
    }
  }

  private static var malformed: StorageError {
    .corrupted("a leaf of decimals has cells of an unknown width")
  }
}
