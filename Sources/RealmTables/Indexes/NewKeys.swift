// SPDX-License-Identifier: Apache-2.0

// Integer primary keys of new objects on their way into the index.

/// The integers of new objects that the index of the primary key does not have yet.
///
/// Indexes order integers by their lowest byte first, so ascending keys land all over the tree.
/// Collected and entered in the order of the index, neighbours share one visit of their node.
struct NewKeys {
  /// An integer as it is ordered in the index, and the object that has it.
  struct Entry {
    /// The two chunks of the integer, the first in the upper half, as unsigned numbers.
    let order: UInt64
    let object: ObjectKey

    init(_ value: Int64, _ object: ObjectKey) {
      let bits = UInt64(bitPattern: value)
      let first = UInt64(UInt32(truncatingIfNeeded: bits).byteSwapped)
      let second = UInt64(UInt32(truncatingIfNeeded: bits &>> 32).byteSwapped)
      // Chunks are signed: turning the sign bit over makes their order that of unsigned numbers.
      order = (first &<< 32 | second) ^ Self.signs
      self.object = object
    }

    private static let signs: UInt64 = 0x8000_0000_8000_0000

    var value: Int64 {
      let bits = order ^ Self.signs
      let low = UInt32(truncatingIfNeeded: bits &>> 32).byteSwapped
      let high = UInt32(truncatingIfNeeded: bits).byteSwapped
      return Int64(bitPattern: UInt64(high) &<< 32 | UInt64(low))
    }

    /// The lowest byte, by which entries are ordered first.
    var lowestByte: UInt8 { UInt8(truncatingIfNeeded: order &>> 56) ^ 0x80 }

    /// The chunk by which the nodes of the top level are ordered.
    var chunk: Int32 {
      Int32(bitPattern: UInt32(truncatingIfNeeded: (order ^ Self.signs) &>> 32))
    }
  }

  /// All keys in the order of the index.
  struct Batch {
    let entries: [Entry]
    /// Whether each key was larger than the one before when they came.
    let areAscending: Bool
  }

  /// More are not collected, so that memory stays bounded.
  static let maximumCount = 1 << 20

  private var entries: [Entry] = []
  /// The integers; they arrive as object keys do, mostly ascending.
  private var values = ObjectKeySet()
  private var areAscending = true

  var isEmpty: Bool { entries.isEmpty }
  var isFull: Bool { entries.count >= Self.maximumCount }

  func contains(_ value: Int64) -> Bool { values.contains(ObjectKey(value)) }

  mutating func insert(_ value: Int64, _ object: ObjectKey) {
    if areAscending, let last = entries.last { areAscending = last.value < value }
    entries.append(Entry(value, object))
    values.insert(ObjectKey(value))
  }

  /// Takes out all keys, in the order of the index.
  mutating func takeSorted() -> Batch {
    var sorted = entries
    let areAscending = areAscending
    self = NewKeys()
    Self.sort(&sorted)
    assert(
      sorted.count > 256 || zip(sorted, sorted.dropFirst()).allSatisfy { $0.order <= $1.order },
      "keys are entered in the order of the index")
    return Batch(entries: sorted, areAscending: areAscending)
  }

  /// Sorts byte by byte, the lowest first, and skips bytes that all have in common.
  private static func sort(_ entries: inout [Entry]) {
    guard let first = entries.first, entries.count > 64 else {
      return entries.sort { $0.order < $1.order }
    }
    var varying: UInt64 = 0
    for entry in entries { varying |= entry.order ^ first.order }
    var other = entries
    for shift in stride(from: UInt64(0), to: 64, by: 8) where varying &>> shift & 0xFF != 0 {
      var starts = [Int](repeating: 0, count: 257)
      for entry in entries { starts[Int(entry.order &>> shift & 0xFF) &+ 1] &+= 1 }
      for byte in 1..<256 { starts[byte] &+= starts[byte &- 1] }
      for entry in entries {
        let byte = Int(entry.order &>> shift & 0xFF)
        other[starts[byte]] = entry
        starts[byte] &+= 1
      }
      swap(&entries, &other)
    }
  }
}
