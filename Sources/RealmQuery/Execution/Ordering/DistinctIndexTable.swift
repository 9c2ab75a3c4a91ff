// SPDX-License-Identifier: Apache-2.0

// A hash table over the indexes of an array, which finds equal elements.

/// The indexes 0, 1, 2, … of distinct elements that the caller keeps and compares: open addressing,
/// with at least twice as many slots as indexes.
struct DistinctIndexTable: Sendable {
  /// Indexes plus one; zero is a free slot.
  private var places = [UInt32](repeating: 0, count: 64)
  /// By index.
  private var hashes: [UInt64] = []

  /// Adds the next index for an element, unless an index in the table is that of an equal one.
  ///
  /// - Parameters:
  ///   - hash: the same for equal elements; all of its bits differ for others.
  ///   - isEqual: whether an index is that of an element equal to the new one.
  /// - Returns: Whether the index was added.
  @inline(__always)
  mutating func insert(_ hash: UInt64, unless isEqual: (Int) -> Bool) -> Bool {
    var place = Int(truncatingIfNeeded: hash) & (places.count &- 1)
    while places[place] != 0 {
      if isEqual(Int(places[place] &- 1)) { return false }
      place = (place &+ 1) & (places.count &- 1)
    }
    add(hash, at: place)
    return true
  }

  @inline(never)
  private mutating func add(_ hash: UInt64, at place: Int) {
    hashes.append(hash)
    places[place] = UInt32(hashes.count)
    if hashes.count * 2 > places.count { grow() }
    assert(hashes.count * 2 <= places.count, "a search ends at a free slot")
  }

  private mutating func grow() {
    places = [UInt32](repeating: 0, count: places.count * 2)
    for (number, hash) in hashes.enumerated() {
      var place = Int(truncatingIfNeeded: hash) & (places.count &- 1)
      while places[place] != 0 { place = (place &+ 1) & (places.count &- 1) }
      places[place] = UInt32(number + 1)
    }
  }
}
