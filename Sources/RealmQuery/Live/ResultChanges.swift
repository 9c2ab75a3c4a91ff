// SPDX-License-Identifier: Apache-2.0

// The changes of a result, as indexes.

import RealmStorage
package import RealmTables

/// The indexes of the elements that went, came and changed between two states of a result.
///
/// Invariants:
/// 1. Each list is ascending and without repetition.
/// 2. `deletions` and `modifications` are indexes of the old state and have none in common;
///    `insertions` are indexes of the new one. Deleting, then inserting, makes the new from the
///    old; an element that moved is deleted and inserted.
/// 3. `reordered` are those of `modifications` whose values of the order are others than before,
///    though they kept their place among the elements that stay.
package struct ResultChanges: Equatable, Sendable {
  package var deletions: [Int] = []
  package var insertions: [Int] = []
  package var modifications: [Int] = []
  package var reordered: [Int] = []

  package init(deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = []) {
    self.deletions = deletions
    self.insertions = insertions
    self.modifications = modifications
  }

  package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

  /// Compares two states in full.
  ///
  /// A key may stand in a state several times; its occurrences are matched in order.
  ///
  /// - Parameter isReplaced: whether the key names another object than before.
  /// - Complexity: O(n log n), O(n) where what stayed kept its order.
  package init(
    from old: [ObjectKey], to new: [ObjectKey], isModified: (ObjectKey) -> Bool,
    isReplaced: (ObjectKey) -> Bool
  ) {
    // The common beginning and end of both states need no table.
    var start = 0
    var oldEnd = old.count
    var newEnd = new.count
    while start < oldEnd, start < newEnd, old[start] == new[start], !isReplaced(old[start]) {
      start += 1
    }
    while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1],
      !isReplaced(old[oldEnd - 1])
    {
      oldEnd -= 1
      newEnd -= 1
    }
    var matches = ResultChanges.matches(old[start..<oldEnd], new[start..<newEnd], isReplaced)
    IncreasingRun.keepLongest(&matches)

    for index in 0..<start where isModified(old[index]) { modifications.append(index) }
    var stays = [Bool](repeating: false, count: oldEnd - start)
    for (position, match) in matches.enumerated() {
      if match < 0 {
        insertions.append(start + position)
      } else {
        stays[match] = true
      }
    }
    for (offset, stays) in stays.enumerated() {
      let index = start + offset
      if !stays {
        deletions.append(index)
      } else if isModified(old[index]) {
        modifications.append(index)
      }
    }
    for index in oldEnd..<old.count where isModified(old[index]) { modifications.append(index) }
    assert(isWhole(from: old.count, to: new.count), "`ResultChanges` 1, 2")
  }

  /// Whether the lists are as the invariants say, for assertions.
  ///
  /// - Complexity: O(n) of the changes.
  package func isWhole(from oldCount: Int, to newCount: Int) -> Bool {
    func isAscending(_ indexes: [Int], _ count: Int) -> Bool {
      zip(indexes, indexes.dropFirst()).allSatisfy(<) && indexes.first.map { $0 >= 0 } ?? true
        && indexes.last.map { $0 < count } ?? true
    }
    return isAscending(deletions, oldCount) && isAscending(modifications, oldCount)
      && isAscending(insertions, newCount)
      && oldCount - deletions.count + insertions.count == newCount
      && Set(deletions).isDisjoint(with: modifications)
      && Set(reordered).isSubset(of: modifications)
  }

  /// For each element of `new` the offset in `old` of the element it was, or -1.
  private static func matches(
    _ old: ArraySlice<ObjectKey>, _ new: ArraySlice<ObjectKey>, _ isReplaced: (ObjectKey) -> Bool
  ) -> [Int] {
    guard !old.isEmpty, !new.isEmpty else { return [Int](repeating: -1, count: new.count) }
    var first = [ObjectKey: Int](minimumCapacity: old.count)
    var next = [Int](repeating: -1, count: old.count)
    for (offset, key) in old.enumerated().reversed() where !isReplaced(key) {
      next[offset] = first[key] ?? -1
      first[key] = offset
    }
    return new.map { key in
      guard let offset = first[key], offset >= 0 else { return -1 }
      first[key] = next[offset]
      return offset
    }
  }
}

/// The elements of a sequence that can stay where they are while the others move.
enum IncreasingRun {
  /// Replaces by -1 what does not belong to one longest increasing subsequence of the numbers that
  /// are not -1.
  ///
  /// - Complexity: O(n) if all increase, else O(n log n).
  static func keepLongest(_ numbers: inout [Int]) {
    var last = -1
    var isIncreasing = true
    for number in numbers where number >= 0 {
      if number < last { isIncreasing = false }
      last = number
    }
    if isIncreasing { return }
    // ends[k] is the position of the smallest number that ends an increasing run of k + 1.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: numbers.count)
    for (position, number) in numbers.enumerated() where number >= 0 {
      let low = (0..<ends.count).partitionPoint { numbers[ends[$0]] < number }
      if low > 0 { before[position] = ends[low - 1] }
      if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var kept = [Bool](repeating: false, count: numbers.count)
    var position = ends.last ?? -1
    while position >= 0 {
      kept[position] = true
      position = before[position]
    }
    for position in numbers.indices where !kept[position] { numbers[position] = -1 }
  }
}
