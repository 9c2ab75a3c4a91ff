// SPDX-License-Identifier: Apache-2.0

// The difference of two sequences of keys, for collections whose log does not tell the steps.

import RealmTables

/// Finds which elements of a sequence stayed in place, relative to each other; the others went or
/// came. Of the elements that both have, the longest run in common order stays, so a moved element
/// costs one deletion and one insertion.
enum KeySequenceDifference {
  /// The changes that lead from `old` to `new`; elements that stayed and are in `modified` count as
  /// modified.
  static func changes(
    from old: [ObjectKey], to new: [ObjectKey], modified: Set<ObjectKey> = []
  ) -> CollectionChangeSet {
    // What both begin and end with needs no search.
    var start = 0
    while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
    var tail = 0
    while tail < old.count - start, tail < new.count - start,
      old[old.count - 1 - tail] == new[new.count - 1 - tail]
    { tail += 1 }

    let pairs = kept(old[start..<old.count - tail], new[start..<new.count - tail])
    var set = CollectionChangeSet()
    var oldIndex = start
    var newIndex = start
    for pair in pairs + [(old.count - tail, new.count - tail)] {
      set.deletions += oldIndex..<pair.0
      set.insertions += newIndex..<pair.1
      (oldIndex, newIndex) = (pair.0 + 1, pair.1 + 1)
    }
    if !modified.isEmpty {
      let stayed = Array(0..<start) + pairs.map(\.0) + Array((old.count - tail)..<old.count)
      set.modifications = stayed.filter { modified.contains(old[$0]) }
    }
    return set
  }

  /// The pairs of indexes of elements that stay: ascending on both sides.
  private static func kept(
    _ old: ArraySlice<ObjectKey>, _ new: ArraySlice<ObjectKey>
  ) -> [(Int, Int)] {
    // Equal keys are matched in order of appearance.
    var places: [ObjectKey: [Int]] = [:]
    for index in new.indices.reversed() { places[new[index], default: []].append(index) }
    var pairs: [(old: Int, new: Int)] = []
    for index in old.indices {
      if let place = places[old[index]]?.popLast() { pairs.append((index, place)) }
    }
    return longestAscending(pairs)
  }

  /// The longest subsequence whose new indexes ascend.
  private static func longestAscending(_ pairs: [(old: Int, new: Int)]) -> [(Int, Int)] {
    // `ends[n]` is the pair that ends the best subsequence of length n + 1 found so far.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: pairs.count)
    for (position, pair) in pairs.enumerated() {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if pairs[ends[middle]].new < pair.new { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[position] = ends[low - 1] }
      if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var result: [(Int, Int)] = []
    var position = ends.last ?? -1
    while position >= 0 {
      result.append(pairs[position])
      position = previous[position]
    }
    return result.reversed()
  }
}
