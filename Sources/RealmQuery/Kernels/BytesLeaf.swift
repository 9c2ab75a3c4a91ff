// SPDX-License-Identifier: Apache-2.0

// Scanning leaves of strings and binaries: the form is read once for each leaf, not for each
// value.

package import RealmStorage

/// A leaf of strings or binaries, taken apart.
///
/// Invariant: every form holds at least the number of values it was made for; `bytes(at:)` takes
/// indexes below that.
package struct BytesLeaf {
  @safe
  enum Form {
    /// Cells of `1 << shift` bytes; width 0 is `allNull`.
    case short(UnsafeRawPointer, width: Int)
    case medium(offsets: Node, blob: Node, nulls: Node)
    case big(Node)
    case allNull
  }

  let form: Form
  let terminator: Int
  private let space: NodeSpace

  /// - Parameter terminator: bytes after each value: 1 for strings, 0 for binaries.
  package init(
    _ node: Node, count: Int, terminator: Int, in space: NodeSpace
  ) throws(StorageError) {
    self.terminator = terminator
    self.space = space
    if !node.header.hasRefs {
      guard node.header.layout == .multiply, node.count >= count, node.header.width <= 16 else {
        throw .corrupted("a leaf of short strings does not match its cluster")
      }
      form =
        unsafe node.header.width == 0 ? .allNull : .short(node.payload, width: node.header.width)
      return
    }
    if node.header.hasContext {
      guard node.count >= count else { throw .corrupted("a leaf of strings is too short") }
      form = .big(node)
      return
    }
    let offsets = try space.node(at: try node.ref(at: 0))
    let blob = try space.node(at: try node.ref(at: 1))
    let nulls = try space.node(at: try node.ref(at: 2))
    guard offsets.count >= count, nulls.count >= count, offsets.header.layout == .bits,
      nulls.header.layout == .bits
    else { throw .corrupted("the parts of a leaf of bytes do not match their cluster") }
    form = .medium(offsets: offsets, blob: blob, nulls: nulls)
  }

  /// The value at `index`, which is below the count that the leaf was made for.
  @inline(__always)
  package func bytes(at index: Int) throws(StorageError) -> ByteView? {
    switch form {
    case .short(let cells, let width):
      let cell = unsafe cells + index &* width
      let padding = unsafe Int(cell.load(fromByteOffset: width &- 1, as: UInt8.self))
      return unsafe padding < width ? ByteView(start: cell, count: width &- 1 &- padding) : nil
    case .medium(let offsets, let blob, let nulls):
      if nulls.header.widthCode != 0, nulls.uncheckedInteger(at: index) != 0 { return nil }
      let end = Int(offsets.uncheckedInteger(at: index))
      let start = index == 0 ? 0 : Int(offsets.uncheckedInteger(at: index &- 1))
      guard start >= 0, end <= blob.count, end &- start >= terminator else {
        throw StorageError.offsetsOutOfOrder()
      }
      return unsafe ByteView(start: blob.payload + start, count: end &- start &- terminator)
    case .big(let outer):
      let ref = try outer.ref(at: index)
      if ref.isNull { return nil }
      let blob = try space.node(at: ref)
      guard blob.count >= terminator, blob.header.layout == .bytes else {
        throw StorageError.offsetsOutOfOrder()
      }
      return unsafe ByteView(start: blob.payload, count: blob.count &- terminator)
    case .allNull: return nil
    }
  }

  /// The rows of `rows`, all below `count`, whose value is `value`.
  ///
  /// - Parameter upcoming: memory to ask for meanwhile, if any.
  package func mask(
    equalTo value: ByteView?, count: Int, rows: LeafMask, upcoming: UnsafeRawPointer? = nil
  ) throws(StorageError) -> LeafMask {
    switch form {
    case .allNull: return value == nil ? rows : .none
    case .short(let cells, let width):
      guard let cell = ShortCell(value, width: width) else { return .none }
      return unsafe cell.mask(cells, count: count, upcoming: upcoming ?? cells) & rows
    case .medium(let offsets, let blob, let nulls):
      guard let value else { return PackedRange.nonzero(nulls, count: count) & rows }
      let found = try MediumScan.mask(
        offsets, blob, count: count, equalTo: value, terminator: terminator)
      guard nulls.header.widthCode != 0, !found.isEmpty else { return found & rows }
      return found & rows - PackedRange.nonzero(nulls, count: count)
    case .big:
      var found = LeafMask.none
      for row in rows {
        let bytes = try bytes(at: row)
        if bytes == value { found.insert(row) }
      }
      return found
    }
  }
}

extension BytesLeaf {
  /// The rows of `rows`, all below `count`, whose value contains `part`, which is not empty.
  package func mask(
    containing part: ByteView, count: Int, rows: LeafMask
  ) throws(StorageError) -> LeafMask {
    switch form {
    case .allNull: return .none
    case .short(let cells, let width): return unsafe short(cells, width, part, count) & rows
    case .medium(let offsets, let blob, let nulls):
      let found = try medium(offsets, blob, part, count)
      guard nulls.header.widthCode != 0, !found.isEmpty else { return found & rows }
      return found & rows - PackedRange.nonzero(nulls, count: count)
    case .big:
      var found = LeafMask.none
      for row in rows {
        if let bytes = try bytes(at: row), bytes.contains(part) { found.insert(row) }
      }
      return found
    }
  }

  /// A position counts if the value that begins in the same cell reaches as far.
  private func short(
    _ cells: UnsafeRawPointer, _ width: Int, _ part: ByteView, _ count: Int
  ) -> LeafMask {
    var found = LeafMask.none
    unsafe SubstringScan.forEach(part, in: cells, count: count &* width) { place in
      let row = place / width
      let padding = unsafe Int(
        cells.load(fromByteOffset: row &* width &+ width &- 1, as: UInt8.self))
      if place &+ part.count <= row &* width &+ width &- 1 &- padding { found.insert(row) }
      return true
    }
    return found
  }

  /// A position counts if the value that it is in reaches as far.
  private func medium(
    _ offsets: Node, _ blob: Node, _ part: ByteView, _ count: Int
  ) throws(StorageError) -> LeafMask {
    var found = LeafMask.none
    var row = 0
    var end = count > 0 ? Int(offsets.uncheckedInteger(at: 0)) : 0
    unsafe SubstringScan.forEach(part, in: blob.payload, count: blob.count) { place in
      while end <= place, row &+ 1 < count {
        row &+= 1
        end = Int(offsets.uncheckedInteger(at: row))
      }
      if place < end, place &+ part.count <= end &- terminator { found.insert(row) }
      return true
    }
    return found
  }
}

extension BytesLeaf {
  /// The rows below `count` whose first eight bytes, as a big-endian number, may lie in a range:
  /// nulls, and values that are shorter, are among them.
  package func mask(
    headsIn heads: ClosedRange<UInt64>, count: Int
  ) throws(StorageError) -> LeafMask {
    switch form {
    case .medium(let offsets, let blob, let nulls):
      let found = MediumScan.mask(
        offsets, blob, count: count, headsIn: heads, terminator: terminator)
      guard nulls.header.widthCode != 0 else { return found }
      return found | PackedRange.nonzero(nulls, count: count)
    case .short(let cells, let width) where width == 16:
      return unsafe ShortCell.mask(cells, count: count, headsIn: heads)
    case .short, .big, .allNull: return LeafMask(firstRows: count)
    }
  }
}

extension PackedRange {
  /// The elements that are not zero.
  ///
  /// - Safety: as for `mask`.
  static func nonzero(_ node: Node, count: Int) -> LeafMask {
    unsafe LeafMask(firstRows: count) - mask(node, first: 0, count: count, lower: 0, upper: 0)
  }
}
