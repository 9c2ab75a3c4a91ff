// SPDX-License-Identifier: Apache-2.0

// Sorting by distribution, which costs the same for any order.

/// Sorts items by rank and prefix; items that are level keep their order.
///
/// Moving an item costs a miss of the caches, so only the upper bits in which prefixes differ are
/// sorted by; the few items that are level in these are compared.
enum RadixSort {
  private static let digitBits: UInt64 = 11
  private static let bucketCount = 1 << 11
  private static let digitCount = 3
  /// Below so many items, passing over the counters costs more than comparing.
  private static let smallCount = 4096

  static func sort(_ items: inout [SortItem]) {
    guard items.count > smallCount else { return items.sort(by: precedesOrWasBefore) }
    let first = items[0]
    var differing: UInt64 = 0
    var hasRanks = false
    for item in items {
      differing |= item.prefix ^ first.prefix
      if item.rank != first.rank { hasRanks = true }
    }
    // The bits below `shift` are left to comparison.
    let significant = UInt64(64 - differing.leadingZeroBitCount)
    let sorted = UInt64(digitCount) * digitBits
    let shift = significant > sorted ? significant - sorted : 0
    var other = items
    for digit in 0..<UInt64(digitCount) where significant > digit * digitBits {
      let shift = shift + digit * digitBits
      distribute(&items, &other) { Int($0.prefix &>> shift & 0x7FF) }
    }
    if hasRanks { distribute(&items, &other) { Int($0.rank) } }
    if differing & (1 << shift - 1) != 0 { settle(&items, shift) }
  }

  private static func precedesOrWasBefore(_ left: SortItem, _ right: SortItem) -> Bool {
    left.isLevel(with: right) ? left.position < right.position : left.precedes(right)
  }

  /// Sorts the runs of items whose upper bits are the same.
  private static func settle(_ items: inout [SortItem], _ shift: UInt64) {
    unsafe items.withUnsafeMutableBufferPointer { items in
      var start = 0
      while start < items.count {
        var end = start &+ 1
        while end < items.count, unsafe items[end].rank == items[start].rank,
          unsafe items[end].prefix &>> shift == items[start].prefix &>> shift
        { end &+= 1 }
        if end &- start > 1 { unsafe items[start..<end].sort(by: precedesOrWasBefore) }
        start = end
      }
    }
  }

  /// One pass: moves all items to `other` by one digit, and swaps the arrays.
  @inline(__always)
  private static func distribute(
    _ items: inout [SortItem], _ other: inout [SortItem], _ digit: (SortItem) -> Int
  ) {
    let isMoved = unsafe items.withUnsafeMutableBufferPointer { source in
      unsafe other.withUnsafeMutableBufferPointer { unsafe distribute(source, $0, digit) }
    }
    if isMoved { swap(&items, &other) }
  }

  /// Copies all elements to `target` by one digit; false if all have the digit in common, and
  /// nothing was copied.
  @inline(__always)
  private static func distribute<Element: BitwiseCopyable>(
    _ source: UnsafeMutableBufferPointer<Element>, _ target: UnsafeMutableBufferPointer<Element>,
    _ digit: (Element) -> Int
  ) -> Bool {
    var starts = [Int](repeating: 0, count: bucketCount)
    return unsafe starts.withUnsafeMutableBufferPointer { starts in
      for index in source.indices { unsafe starts[digit(source[index])] &+= 1 }
      guard let first = unsafe source.first, unsafe starts[digit(first)] < source.count else {
        return false
      }
      var start = 0
      for bucket in starts.indices {
        let count = unsafe starts[bucket]
        unsafe starts[bucket] = start
        start &+= count
      }
      for index in source.indices {
        let element = unsafe source[index]
        let bucket = digit(element)
        unsafe target[starts[bucket]] = element
        unsafe starts[bucket] &+= 1
      }
      return true
    }
  }

  // MARK: Words

  /// Sorts words by the lower `bitCount` bits of their upper halves; words that are level keep
  /// their order.
  ///
  /// - Parameter other: as much memory, which need not be initialised.
  /// - Returns: where the words are now: one of the two.
  static func sort(
    _ words: UnsafeMutableBufferPointer<UInt64>, _ other: UnsafeMutableBufferPointer<UInt64>,
    byUpper bitCount: UInt64
  ) -> UnsafeMutableBufferPointer<UInt64> {
    assert(words.count <= other.count && bitCount <= 32, "a target too small for the words")
    var (source, target) = unsafe (words, other)
    let passes = (bitCount + digitBits - 1) / digitBits
    for pass in 0..<passes {
      // Digits of about the same length: fewer buckets miss the caches less.
      let width = (bitCount + passes - 1) / passes
      let shift = 32 + pass * width
      let mask: UInt64 = 1 << width - 1
      if unsafe distribute(source, target, { Int(truncatingIfNeeded: $0 &>> shift & mask) }) {
        unsafe swap(&source, &target)
      }
    }
    return unsafe source
  }
}
