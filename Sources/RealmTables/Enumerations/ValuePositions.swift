// SPDX-License-Identifier: Apache-2.0

// Finding the position of a value in a leaf of distinct values.
//
// Invariants:
// 1. `entries` has what identifies each value of the leaf, by its position.
// 2. Each position, plus one, is in a slot of `slots` that a search for its hash comes to before it
//    comes to a 0.

import RealmStorage

/// A hash table over the values of an enumeration, of which those of up to 16 bytes are not read
/// again.
struct ValuePositions {
  /// What two values are compared by first.
  private struct Entry: Equatable {
    /// -1 for null.
    let byteCount: Int
    /// The first eight bytes, and the last eight or, in values that are shorter than 16, the rest.
    let head: UInt64
    let tail: UInt64

    /// Costs no loop over the bytes.
    @inline(__always)
    init(_ value: ByteView?) {
      guard let value else {
        (byteCount, head, tail) = (-1, 0, 0)
        return
      }
      byteCount = value.count
      if value.count >= 8 {
        head = unsafe value.bytes.loadUnaligned(as: UInt64.self)
        tail = unsafe value.bytes.loadUnaligned(
          fromByteOffset: value.count &- 8, as: UInt64.self)
      } else {
        var word: UInt64 = 0
        for index in 0..<value.count { word = word &<< 8 | UInt64(value[index]) }
        (head, tail) = (word, 0)
      }
    }

    /// Whether the value is known from this alone.
    @inline(__always)
    var isWhole: Bool { byteCount <= 16 }

    @inline(__always)
    var hash: Int {
      var word = (head ^ UInt64(truncatingIfNeeded: byteCount)) &* 0x9E37_79B9_7F4A_7C15
      word = (word ^ word &>> 32 ^ tail) &* 0xD6E8_FEB8_6659_FD93
      return Int(truncatingIfNeeded: word &>> 32)
    }
  }

  private var entries: [Entry] = []
  private var slots: [UInt32] = Array(repeating: 0, count: 16)

  /// The positions of no values.
  init() {}

  /// The positions of the values of a leaf.
  init(ofLeaf leaf: Ref, in space: NodeSpace) throws(StorageError) {
    let count = try StringLeaf.count(leaf, in: space)
    for index in 0..<count { append(try StringLeaf.value(at: index, of: leaf, in: space)) }
  }

  /// The number of values.
  var count: Int { entries.count }

  /// The position of a value in the leaf; nil if it has none.
  func position(
    of value: ByteView?, in leaf: Ref, _ space: NodeSpace
  ) throws(StorageError) -> Int? {
    let entry = Entry(value)
    var slot = entry.hash & (slots.count &- 1)
    while slots[slot] != 0 {
      let position = Int(slots[slot]) &- 1
      if entries[position] == entry {
        if entry.isWhole { return position }
        if try StringLeaf.value(at: position, of: leaf, in: space) == value { return position }
      }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
    return nil
  }

  /// Notes the value that the leaf gets at its end.
  mutating func append(_ value: ByteView?) {
    entries.append(Entry(value))
    if entries.count * 2 > slots.count {
      slots = Array(repeating: 0, count: slots.count * 2)
      for position in entries.indices { enter(position) }
    } else {
      enter(entries.count - 1)
    }
    assert(slots.count >= entries.count * 2, "`ValuePositions` 2: there is a free slot")
  }

  private mutating func enter(_ position: Int) {
    var slot = entries[position].hash & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt32(position + 1)
  }
}
