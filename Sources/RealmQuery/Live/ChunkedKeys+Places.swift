// SPDX-License-Identifier: Apache-2.0

// Finding keys in a list.

import RealmStorage
import RealmTables

extension ChunkedKeys {
  /// The positions of some keys, ascending; those that are not in the list are left out.
  ///
  /// - Parameters:
  ///   - keys: ascending.
  ///   - isAscending: whether the list is.
  ///   - order: the order of the list, in the version that it is from; nil if that version is not
  ///     at hand.
  func positions(
    of keys: [ObjectKey], isAscending: Bool, _ order: RowOrder?
  ) throws(StorageError) -> [Int] {
    if keys.isEmpty { return [] }
    assert(
      keys.count > 256 || zip(keys, keys.dropFirst()).allSatisfy(<), "keys are looked for in order")
    var positions: [Int] = []
    if isAscending {
      for key in keys {
        let position = try partitionPoint { $0 < key }
        if position < count, self[position] == key { positions.append(position) }
      }
      return positions
    }
    if let order {
      for key in keys {
        if let index = try order.index(of: key, in: self) { positions.append(index) }
      }
      return positions.sorted()
    }
    return keys.count <= 8 ? self.positions(ofFew: keys) : self.positions(ofMany: keys)
  }

  /// Looks for each key by itself, until it is found.
  private func positions(ofFew keys: [ObjectKey]) -> [Int] {
    keys.compactMap { key in
      var start = 0
      for chunk in chunks {
        if let index = ChunkedKeys.index(of: key, in: chunk) { return start + index }
        start += chunk.count
      }
      return nil
    }.sorted()
  }

  /// Compares blocks of keys without a branch for each.
  private static func index(of key: ObjectKey, in chunk: [ObjectKey]) -> Int? {
    unsafe chunk.withUnsafeBufferPointer { keys in
      let block = 32
      var start = 0
      while start &+ block <= keys.count {
        var hits = 0
        for offset in 0..<block {
          unsafe hits &+= keys[start &+ offset].rawValue == key.rawValue ? 1 : 0
        }
        if hits > 0 { break }
        start &+= block
      }
      while start < keys.count {
        if unsafe keys[start] == key { return start }
        start &+= 1
      }
      return nil
    }
  }

  /// Scans all keys, of which a table of bits lets few pass that are not wanted.
  private func positions(ofMany wanted: [ObjectKey]) -> [Int] {
    let bitCount = UInt64(64 - (wanted.count * 16).leadingZeroBitCount)
    let shift = 64 - bitCount
    var bits = [UInt64](repeating: 0, count: 1 << Int(bitCount - 6))
    @inline(__always)
    func place(of key: ObjectKey) -> (word: Int, bit: UInt64) {
      let hash = (UInt64(bitPattern: key.rawValue) &* 0x9E37_79B9_7F4A_7C15) &>> shift
      return (Int(truncatingIfNeeded: hash &>> 6), 1 &<< (hash & 63))
    }
    for key in wanted {
      let (word, bit) = place(of: key)
      bits[word] |= bit
    }
    var positions: [Int] = []
    var start = 0
    for chunk in chunks {
      unsafe chunk.withUnsafeBufferPointer { keys in
        unsafe bits.withUnsafeBufferPointer { bits in
          for index in keys.indices {
            let (word, bit) = unsafe place(of: keys[index])
            if unsafe bits[word] & bit != 0, unsafe wanted.containsAscending(keys[index]) {
              positions.append(start &+ index)
            }
          }
        }
      }
      start += chunk.count
    }
    return positions
  }
}

extension [ObjectKey] {
  /// Whether a key is among these, which ascend.
  fileprivate func containsAscending(_ key: ObjectKey) -> Bool {
    let low = (0..<count).partitionPoint { self[$0] < key }
    return low < count && self[low] == key
  }
}

extension [Int] {
  /// The count of the numbers below another, of ascending ones.
  func count(below number: Int) -> Int {
    return (0..<count).partitionPoint { self[$0] < number }
  }
}
