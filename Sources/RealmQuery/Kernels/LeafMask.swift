// SPDX-License-Identifier: Apache-2.0

// The rows of a leaf that match: four machine words.

/// A set of rows of one cluster, bit i for row i.
///
/// A leaf has at most 256 rows, so AND, OR and NOT of whole conditions are four instructions.
package struct LeafMask: Equatable, Sendable {
  package var words: SIMD4<UInt64>

  @inline(__always)
  package init(words: SIMD4<UInt64>) { self.words = words }

  /// The rows below `count`, which is at most 256.
  @inline(__always)
  package init(firstRows count: Int) {
    words = SIMD4(
      LeafMask.low(count), LeafMask.low(count &- 64), LeafMask.low(count &- 128),
      LeafMask.low(count &- 192))
  }

  /// One row.
  @inline(__always)
  package init(row: Int) {
    words = .zero
    insert(row)
  }

  /// No row.
  @inline(__always)
  package static var none: LeafMask { LeafMask(words: .zero) }

  /// A word whose lowest `count` bits are set; `count` may lie outside 0...64.
  @inline(__always)
  private static func low(_ count: Int) -> UInt64 {
    count <= 0 ? 0 : count >= 64 ? .max : (1 &<< UInt64(truncatingIfNeeded: count)) &- 1
  }

  @inline(__always)
  package var isEmpty: Bool { words[0] | words[1] | words[2] | words[3] == 0 }

  /// The number of rows in the set.
  @inline(__always)
  package var count: Int {
    words[0].nonzeroBitCount &+ words[1].nonzeroBitCount &+ words[2].nonzeroBitCount
      &+ words[3].nonzeroBitCount
  }

  /// Whether the row is in the mask.
  @inline(__always)
  package func contains(_ row: Int) -> Bool {
    words[row &>> 6] &>> UInt64(truncatingIfNeeded: row & 63) & 1 == 1
  }

  /// Adds a row.
  @inline(__always)
  package mutating func insert(_ row: Int) {
    words[row &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: row & 63)
  }

  /// The lowest row, or nil if there is none.
  @inline(__always)
  package var first: Int? {
    for word in 0..<4 where words[word] != 0 {
      return word &<< 6 &+ words[word].trailingZeroBitCount
    }
    return nil
  }

  /// The rows that are in both.
  @inline(__always)
  package static func & (left: LeafMask, right: LeafMask) -> LeafMask {
    LeafMask(words: left.words & right.words)
  }

  /// The rows that are in one or both.
  @inline(__always)
  package static func | (left: LeafMask, right: LeafMask) -> LeafMask {
    LeafMask(words: left.words | right.words)
  }

  /// The rows of `left` that are not in `right`.
  @inline(__always)
  package static func - (left: LeafMask, right: LeafMask) -> LeafMask {
    LeafMask(words: left.words & ~right.words)
  }

  /// The set with every row one lower; row 0 falls out.
  @inline(__always)
  package func shiftedDown() -> LeafMask {
    LeafMask(
      words: SIMD4(
        words[0] &>> 1 | words[1] &<< 63, words[1] &>> 1 | words[2] &<< 63,
        words[2] &>> 1 | words[3] &<< 63, words[3] &>> 1))
  }
}

extension LeafMask: Sequence {
  /// Gives the rows in ascending order.
  package struct Iterator: IteratorProtocol {
    private var words: SIMD4<UInt64>
    private var word = 0

    @inline(__always)
    init(_ mask: LeafMask) { words = mask.words }

    @inline(__always)
    package mutating func next() -> Int? {
      while word < 4 {
        let bits = words[word]
        if bits != 0 {
          words[word] = bits & (bits &- 1)
          return word &<< 6 &+ bits.trailingZeroBitCount
        }
        word &+= 1
      }
      return nil
    }
  }

  @inline(__always)
  package func makeIterator() -> Iterator { Iterator(self) }
}
