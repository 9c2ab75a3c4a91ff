// SPDX-License-Identifier: Apache-2.0

// Where the elements of one list are that a replay inserted (P5 6): in the list of this file, as it
// was then, and in the list of the fresh copy.
//
// 1. Once the list is to be copied, nothing is known of its elements, and nothing is applied to it.

/// The places of the elements of a list that a replay inserted.
struct ListPlaces {
  private struct Pair {
    var local: Int
    var remote: Int
  }

  private var pairs: [Pair] = []
  /// Whether the list of the copy is to become that of the file, as its elements were changed of
  /// which the copy may have others.
  private(set) var isToBeCopied = false
  /// How many links could not be copied, as their objects were not there yet; nil before a copy.
  private(set) var missingLinkCount: Int?

  /// Whether a copy would bring nothing more.
  var isCopied: Bool { missingLinkCount == 0 }

  /// The place in the copy of an inserted element; nil for others, after which the list is to be
  /// copied.
  mutating func find(_ local: Int) -> Int? {
    guard let pair = pairs.first(where: { $0.local == local }) else {
      markForCopy()
      return nil
    }
    return pair.remote
  }

  private mutating func markForCopy() {
    isToBeCopied = true
    pairs = []
  }

  /// Notes that the list was copied, but for some links.
  mutating func noteCopy(without missingLinkCount: Int) {
    self.missingLinkCount = missingLinkCount
  }

  /// The place in the copy for a new element; nil if the list is to be copied.
  ///
  /// - Parameter size: The size of the list in the copy.
  func placeOfInsertion(at local: Int, size: Int) -> Int? {
    isToBeCopied ? nil : min(local, size)
  }

  /// Notes an inserted element.
  mutating func insert(_ local: Int, remote: Int) {
    assert(!isToBeCopied, "ListPlaces 1")
    shift(by: 1) { $0 >= local }
    pairs.append(Pair(local: local, remote: remote))
  }

  /// Notes the erasure of an inserted element.
  mutating func erase(_ local: Int) {
    pairs.removeAll { $0.local == local }
    shift(by: -1) { $0 > local }
  }

  /// Notes that an element has left the list of the copy alone.
  mutating func noteErasure(remote: Int) {
    pairs.removeAll { $0.remote == remote }
    for index in pairs.indices where pairs[index].remote > remote { pairs[index].remote -= 1 }
  }

  /// The places of a move in the copy, which is noted; nil if an end of it is not of the replay.
  mutating func move(from source: Int, to target: Int) -> (from: Int, to: Int)? {
    guard let from = pairs.first(where: { $0.local == source })?.remote,
      let to = pairs.first(where: { $0.local == target })?.remote
    else {
      markForCopy()
      return nil
    }
    guard source != target else { return (from, to) }
    pairs.removeAll { $0.local == source }
    if source < target {
      shift(by: -1) { $0 > source && $0 <= target }
    } else {
      shift(by: 1) { $0 >= target && $0 < source }
    }
    pairs.append(Pair(local: target, remote: to))
    return (from, to)
  }

  private mutating func shift(by step: Int, where isMoved: (Int) -> Bool) {
    for index in pairs.indices where isMoved(pairs[index].local) {
      pairs[index].local += step
      pairs[index].remote += step
    }
  }
}
