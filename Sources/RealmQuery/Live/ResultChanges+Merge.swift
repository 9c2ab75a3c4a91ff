// SPDX-License-Identifier: Apache-2.0

// Joining the changes of two steps, for observers that were not notified of the first.

import RealmStorage

extension ResultChanges {
  /// The changes of this and then `next`, joined.
  ///
  /// - Complexity: O(k log k) for k changed positions.
  package func followed(by next: ResultChanges) -> ResultChanges {
    if isEmpty { return next }
    if next.isEmpty { return self }
    var joined = ResultChanges()
    joined.deletions = (deletions + next.deletions.compactMap(oldIndex)).sorted()
    joined.insertions = (next.insertions + insertions.compactMap(next.newIndex)).sorted()
    let gone = Set(joined.deletions)
    joined.modifications = Set(modifications + next.modifications.compactMap(oldIndex))
      .subtracting(gone).sorted()
    joined.reordered = Set(reordered + next.reordered.compactMap(oldIndex))
      .subtracting(gone).sorted()
    assert(
      [joined.deletions, joined.insertions].allSatisfy { zip($0, $0.dropFirst()).allSatisfy(<) },
      "`ResultChanges` 1: the second step does not begin where the first one ends")
    return joined
  }

  /// The position in the old state of an element of the new one; nil if it came.
  package func oldIndex(_ index: Int) -> Int? {
    let (came, isNew) = ResultChanges.find(index, in: insertions)
    return isNew ? nil : ResultChanges.index(of: index - came, besides: deletions)
  }

  /// The position in the new state of an element of the old one; nil if it went.
  private func newIndex(_ index: Int) -> Int? {
    let (gone, isGone) = ResultChanges.find(index, in: deletions)
    return isGone ? nil : ResultChanges.index(of: index - gone, besides: insertions)
  }

  /// The count of `numbers`, which ascend, below `number`, and whether it is one of them.
  private static func find(_ number: Int, in numbers: [Int]) -> (below: Int, isThere: Bool) {
    let low = (0..<numbers.count).partitionPoint { numbers[$0] < number }
    return (low, low < numbers.count && numbers[low] == number)
  }

  /// The index of the element number `position` outside of `others`.
  private static func index(of position: Int, besides others: [Int]) -> Int {
    let low = (0..<others.count).partitionPoint { others[$0] - $0 <= position }
    return position + low
  }
}
