// SPDX-License-Identifier: Apache-2.0

// Sorting by distribution, which costs the same for any order.

/// Sorts items by rank and prefix; items that are level keep their order.
enum RadixSort {
  private static let digitBits: UInt64 = 11
  private static let bucketCount = 1 << 11
  private static let digitCount = 6
  /// Below so many items, passing over the counters costs more than comparing.
  private static let smallCount = 4096

  static func sort(_ items: inout [SortItem]) {
    guard items.count > smallCount else {
      return items.sort {
        $0.isLevel(with: $1) ? $0.position < $1.position : $0.precedes($1)
      }
    }
    var counts = [UInt32](repeating: 0, count: digitCount * bucketCount)
    var ranks = [UInt32](repeating: 0, count: 256)
    for item in items {
      var rest = item.prefix
      for digit in 0..<digitCount {
        counts[digit &* bucketCount &+ Int(rest & 0x7FF)] &+= 1
        rest &>>= digitBits
      }
      ranks[Int(item.rank)] &+= 1
    }
    var other = items
    for digit in 0..<digitCount {
      let shift = UInt64(digit) &* digitBits
      let range = digit * bucketCount..<(digit + 1) * bucketCount
      distribute(&items, &other, counts[range]) { Int($0.prefix &>> shift & 0x7FF) }
    }
    distribute(&items, &other, ranks[...]) { Int($0.rank) }
  }

  /// One pass: moves all items to `other` by one digit, and swaps the arrays. A digit that all
  /// items have in common is passed over.
  @inline(__always)
  private static func distribute(
    _ items: inout [SortItem], _ other: inout [SortItem], _ counts: ArraySlice<UInt32>,
    _ digit: (SortItem) -> Int
  ) {
    let count = items.count
    if counts.contains(where: { Int($0) == count }) { return }
    var starts: [Int] = []
    starts.reserveCapacity(counts.count)
    var start = 0
    for bucket in counts {
      starts.append(start)
      start += Int(bucket)
    }
    items.withUnsafeBufferPointer { source in
      other.withUnsafeMutableBufferPointer { target in
        for item in source {
          let bucket = digit(item)
          target[starts[bucket]] = item
          starts[bucket] &+= 1
        }
      }
    }
    swap(&items, &other)
  }
}
