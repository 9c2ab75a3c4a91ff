// SPDX-License-Identifier: Apache-2.0

// Bisection: where something is, or would be, among what ascends.

extension Range<Int> {
  /// The first position that is not before what is looked for; the upper bound if all are.
  ///
  /// - Parameter isBefore: Whether a position is before it: true up to a position, then false.
  /// - Complexity: O(log n) calls of `isBefore`.
  @inlinable @inline(__always)
  package func partitionPoint<Failure>(
    _ isBefore: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low &+ high) &>> 1
      if try isBefore(middle) { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}
