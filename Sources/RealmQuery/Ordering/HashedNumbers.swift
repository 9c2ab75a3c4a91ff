// SPDX-License-Identifier: Apache-2.0

// Telling things apart that are kept elsewhere.

/// A set of the numbers 0, 1, 2, …, each of which stands for a thing that its owner can compare:
/// open addressing, with at least twice as many places as numbers.
struct HashedNumbers: Sendable {
  /// Numbers plus one; zero is a free place.
  private var places = [UInt32](repeating: 0, count: 64)
  /// By number.
  private var hashes: [UInt64] = []

  /// Adds the next number for a thing, unless a number that is there stands for an equal one.
  ///
  /// - Parameters:
  ///   - hash: the same for equal things, all bits of which differ for others.
  ///   - isEqual: whether a number stands for the thing.
  /// - Returns: Whether the number was added.
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
