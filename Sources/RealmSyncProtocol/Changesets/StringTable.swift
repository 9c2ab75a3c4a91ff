// SPDX-License-Identifier: Apache-2.0

// The interned strings of a changeset.

/// Strings by index, and indices by string.
///
/// Invariants:
/// 1. No two strings have the same bytes, and an index never changes.
/// 2. The slots, if there are any, have each string once, and at least half of them are empty.
///    Tables of a few strings have none: comparing the hashes is faster.
package struct StringTable: Sendable {
  private struct Entry {
    /// The index after the string's last byte; it begins where the entry before ends.
    var end: Int
    var hash: UInt32
    /// The number of instructions before the definition.
    var position: UInt32
  }

  private var bytes: [UInt8] = []
  private var entries: [Entry] = []
  /// Indices plus one, by hash; 0 is an empty slot. A power of two, or none.
  private var slots: [UInt32] = []

  private static let slotlessMax = 8

  package init() {}

  package var count: Int { entries.count }

  /// The bytes of a string.
  package func bytes(of string: InternedString) -> ArraySlice<UInt8> {
    bytes[range(Int(string.index))]
  }

  /// The string of an index.
  package func text(of string: InternedString) -> String {
    String(decoding: bytes(of: string), as: UTF8.self)
  }

  /// The number of instructions before the definition of a string.
  func position(of index: Int) -> Int { Int(entries[index].position) }

  /// The index of a string. Adds it to the table if needed. `position` is the number of
  /// instructions before it.
  package mutating func intern(_ text: String, position: Int = 0) -> InternedString {
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    return internTail(from: start, position: position).string
  }

  /// The index of the string with these bytes, and whether the table did not have it before.
  mutating func intern(
    _ text: ArraySlice<UInt8>, position: Int
  ) -> (string: InternedString, isNew: Bool) {
    let start = bytes.count
    bytes.append(contentsOf: text)
    return internTail(from: start, position: position)
  }

  /// The index of a string of another table; added if need be.
  mutating func intern(_ string: InternedString, of other: StringTable) -> InternedString {
    if let known = find(string, of: other) { return known }
    return intern(other.bytes(of: string), position: 0).string
  }

  /// The index of a string of another table, or nil. Costs about 10 ns.
  func find(_ string: InternedString, of other: StringTable) -> InternedString? {
    let range = other.range(Int(string.index))
    let hash = other.entries[Int(string.index)].hash
    return find(hash: hash) { candidate in
      guard candidate.count == range.count else { return false }
      for offset in 0..<range.count
      where bytes[candidate.lowerBound + offset] != other.bytes[range.lowerBound + offset] {
        return false
      }
      return true
    }
  }

  /// Removes all strings and keeps the memory.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
    slots.removeAll(keepingCapacity: true)
  }

  private func range(_ index: Int) -> Range<Int> {
    (index == 0 ? 0 : entries[index - 1].end)..<entries[index].end
  }

  /// Makes the bytes from `start` on an entry, or drops them if there is one with the same bytes.
  private mutating func internTail(
    from start: Int, position: Int
  ) -> (string: InternedString, isNew: Bool) {
    let tail = start..<bytes.count
    let hash = hash(tail)
    let known = find(hash: hash) { candidate in
      guard candidate.count == tail.count else { return false }
      for offset in 0..<tail.count
      where bytes[candidate.lowerBound + offset] != bytes[tail.lowerBound + offset] {
        return false
      }
      return true
    }
    if let known {
      bytes.removeLast(tail.count)
      return (known, false)
    }
    let index = entries.count
    entries.append(
      Entry(end: bytes.count, hash: hash, position: UInt32(truncatingIfNeeded: position)))
    if index >= Self.slotlessMax { insertSlot(index) }
    return (InternedString(UInt32(index)), true)
  }

  @inline(__always)
  private func find(hash: UInt32, isEqual: (Range<Int>) -> Bool) -> InternedString? {
    if slots.isEmpty {
      for index in entries.indices where entries[index].hash == hash && isEqual(range(index)) {
        return InternedString(UInt32(index))
      }
      return nil
    }
    var slot = Int(hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      if entries[index].hash == hash, isEqual(range(index)) { return InternedString(UInt32(index)) }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private mutating func insertSlot(_ index: Int) {
    guard 2 * (index + 1) > slots.count else { return fillSlot(index) }
    slots = Array(repeating: 0, count: max(32, 2 * slots.count))
    for index in entries.indices { fillSlot(index) }
  }

  private mutating func fillSlot(_ index: Int) {
    var slot = Int(entries[index].hash) & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt32(index) + 1
  }

  /// A number unknown to peers, so they cannot send strings of one slot. Results do not depend on
  /// it.
  private static let seed: UInt64 = {
    var hasher = Hasher()
    hasher.combine(0)
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }()

  private func hash(_ range: Range<Int>) -> UInt32 {
    var state = Self.seed ^ UInt64(truncatingIfNeeded: range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      var word: UInt64 = 0
      let end = min(index + 8, range.upperBound)
      while index < end {
        word = word << 8 | UInt64(bytes[index])
        index += 1
      }
      let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
      state = product.high ^ product.low ^ Self.seed
    }
    return UInt32(truncatingIfNeeded: state ^ state >> 32)
  }
}
