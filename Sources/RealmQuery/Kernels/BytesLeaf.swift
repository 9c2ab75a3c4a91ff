// SPDX-License-Identifier: Apache-2.0

// Scanning leaves of strings and binaries: the form is looked at once for each leaf, not for each
// value.

package import RealmStorage

/// A leaf of strings or binaries, taken apart.
///
/// Invariant: every form holds at least the number of values it was made for; `bytes(at:)` takes
/// indexes below that.
package struct BytesLeaf {
  private enum Form {
    /// Cells of `1 << shift` bytes; width 0 is `allNull`.
    case short(UnsafeRawPointer, width: Int)
    case medium(offsets: Node, blob: Node, nulls: Node)
    case big(Node)
    case allNull
  }

  private let form: Form
  private let terminator: Int
  private let space: NodeSpace

  /// - Parameter terminator: bytes behind each value: 1 for strings, 0 for binaries.
  package init(
    _ node: Node, count: Int, terminator: Int, in space: NodeSpace
  ) throws(StorageError) {
    self.terminator = terminator
    self.space = space
    if !node.header.hasRefs {
      guard node.header.layout == .multiply, node.count >= count, node.header.width <= 16 else {
        throw .corrupted("a leaf of short strings does not match its cluster")
      }
      form = node.header.width == 0 ? .allNull : .short(node.payload, width: node.header.width)
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
      let cell = cells + index &* width
      let padding = Int(cell.load(fromByteOffset: width &- 1, as: UInt8.self))
      return padding < width ? ByteView(start: cell, count: width &- 1 &- padding) : nil
    case .medium(let offsets, let blob, let nulls):
      if nulls.header.widthCode != 0, nulls.uncheckedInteger(at: index) != 0 { return nil }
      let end = Int(offsets.uncheckedInteger(at: index))
      let start = index == 0 ? 0 : Int(offsets.uncheckedInteger(at: index &- 1))
      guard start >= 0, end <= blob.count, end &- start >= terminator else {
        throw StorageError.badOffsets()
      }
      return ByteView(start: blob.payload + start, count: end &- start &- terminator)
    case .big(let outer):
      let ref = try outer.ref(at: index)
      if ref.isNull { return nil }
      let blob = try space.node(at: ref)
      guard blob.count >= terminator, blob.header.layout == .bytes else {
        throw StorageError.badOffsets()
      }
      return ByteView(start: blob.payload, count: blob.count &- terminator)
    case .allNull: return nil
    }
  }

  /// The rows of `rows`, all below `count`, whose value is `value`.
  package func mask(
    equalTo value: ByteView?, count: Int, rows: LeafMask
  ) throws(StorageError) -> LeafMask {
    switch form {
    case .allNull: return value == nil ? rows : .none
    case .short(let cells, let width):
      guard let cell = ShortCell(value, width: width) else { return .none }
      return cell.mask(cells, count: count) & rows
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

extension PackedRange {
  /// The elements that are not zero.
  ///
  /// - Safety: as for `mask`.
  static func nonzero(_ node: Node, count: Int) -> LeafMask {
    LeafMask(firstRows: count) - mask(node, first: 0, count: count, lower: 0, upper: 0)
  }
}

extension StorageError {
  @inline(never)
  static func badOffsets() -> StorageError {
    .corrupted("the offsets of a leaf of bytes are out of order")
  }
}

/// A short string as the cells of a leaf hold it, so that cells are compared as integers.
struct ShortCell {
  private let low: UInt64
  private let high: UInt64
  private let width: Int

  /// Nil if no cell of that width can hold the value.
  init?(_ value: ByteView?, width: Int) {
    var low: UInt64 = 0
    var high: UInt64 = 0
    func put(_ byte: UInt8, at index: Int) {
      let shifted = UInt64(byte) &<< UInt64(truncatingIfNeeded: (index & 7) &* 8)
      if index < 8 { low |= shifted } else { high |= shifted }
    }
    if let value {
      guard value.count < width else { return nil }
      for index in 0..<value.count { put(value[index], at: index) }
      put(UInt8(width - 1 - value.count), at: width - 1)
    } else {
      put(UInt8(width), at: width - 1)
    }
    self.low = low
    self.high = high
    self.width = width
  }

  /// Bit i tells whether cell i is this one.
  func mask(_ cells: UnsafeRawPointer, count: Int) -> LeafMask {
    switch width {
    case 1: PackedRange.bytes(cells, count, UInt8(truncatingIfNeeded: low), 0)
    case 2: PackedRange.halves(cells, count, UInt16(truncatingIfNeeded: low), 0)
    case 4: PackedRange.words(cells, count, UInt32(truncatingIfNeeded: low), 0)
    case 8: PackedRange.doubleWords(cells, count, low, 0)
    default: ShortCell.pairs(cells, count, low, high)
    }
  }

  /// Rows in which the half that was looked at first matches, few enough to look at the other half
  /// one by one.
  private static let fewCandidates = 32

  /// Most cells differ from the wanted one in the half that tells values apart, so only that half is
  /// read for all cells.
  private static func pairs(
    _ cells: UnsafeRawPointer, _ count: Int, _ low: UInt64, _ high: UInt64
  ) -> LeafMask {
    // The first half says more, but among many equal beginnings the second decides.
    var found = half(cells, count, low)
    guard !found.isEmpty else { return .none }
    guard found.count <= fewCandidates else { return found & half(cells + 8, count, high) }
    for row in found
    where cells.load(fromByteOffset: row &* 16 &+ 8, as: UInt64.self) != high {
      found.words[row &>> 6] &= ~(1 &<< UInt64(truncatingIfNeeded: row & 63))
    }
    return found
  }

  /// Bit i tells whether the word at byte `16 * i` is `wanted`.
  private static func half(
    _ start: UnsafeRawPointer, _ count: Int, _ wanted: UInt64
  ) -> LeafMask {
    LeafMask(
      words: SIMD4(
        sixtyFour(start, count, wanted), sixtyFour(start + 1024, count &- 64, wanted),
        sixtyFour(start + 2048, count &- 128, wanted),
        sixtyFour(start + 3072, count &- 192, wanted)))
  }

  /// The same for the first 64 of `count` words, if that many.
  @inline(never)
  private static func sixtyFour(
    _ start: UnsafeRawPointer, _ count: Int, _ wanted: UInt64
  ) -> UInt64 {
    @inline(__always) func isWanted(_ index: Int) -> Bool {
      start.load(fromByteOffset: index &* 16, as: UInt64.self) == wanted
    }
    let end = min(count, 64)
    var bits: UInt64 = 0
    var index = 0
    while index &+ 8 <= end {
      // Most eights hold no match: one branch that is nearly always foreseen.
      let isAny =
        isWanted(index) || isWanted(index &+ 1) || isWanted(index &+ 2) || isWanted(index &+ 3)
        || isWanted(index &+ 4) || isWanted(index &+ 5) || isWanted(index &+ 6)
        || isWanted(index &+ 7)
      if isAny {
        for position in index..<index &+ 8 {
          bits |= (isWanted(position) ? 1 : 0) &<< UInt64(truncatingIfNeeded: position)
        }
      }
      index &+= 8
    }
    while index < end {
      bits |= (isWanted(index) ? 1 : 0) &<< UInt64(truncatingIfNeeded: index)
      index &+= 1
    }
    return bits
  }
}
