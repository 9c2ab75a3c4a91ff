// SPDX-License-Identifier: Apache-2.0

// Sorting compares the first bytes of values first.

/// The part of a value that a sort compares first, side by side in memory.
struct SortItem {
  var prefix: UInt64
  var position: UInt32
  var rank: UInt8

  /// Descending is ascending by complements, so that the hot comparison has one form.
  @inline(__always)
  init(prefix: UInt64, position: UInt32, rank: UInt8, isAscending: Bool = true) {
    self.prefix = isAscending ? prefix : ~prefix
    self.position = position
    self.rank = isAscending ? rank : ~rank
  }

  /// Whether this comes first by rank and prefix.
  @inline(__always)
  func precedes(_ other: SortItem) -> Bool {
    rank != other.rank ? rank < other.rank : prefix < other.prefix
  }

  @inline(__always)
  func isLevel(with other: SortItem) -> Bool { rank == other.rank && prefix == other.prefix }
}
