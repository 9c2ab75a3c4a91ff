// SPDX-License-Identifier: Apache-2.0

// Comparing two lists of keys that share most of their chunks.

import RealmTables

extension ResultChanges {
  /// The changes from one list of keys to another, in which no key is twice.
  ///
  /// - Complexity: O(n / 1024) and the length of the chunks that differ, where the second list was
  ///   made from the first.
  package init(from old: ChunkedKeys, to new: ChunkedKeys) {
    var indexes: [UInt: Int] = [:]
    for (index, chunk) in old.chunks.enumerated() { indexes[Self.address(of: chunk)] = index }
    var (oldIndex, newIndex) = (0, 0)
    var (oldStart, newStart) = (0, 0)
    for (index, chunk) in new.chunks.enumerated() {
      // Both lists are alive, so chunks at the same address are the same.
      guard let same = indexes[Self.address(of: chunk)], same >= oldIndex else { continue }
      let before = (old.chunks[oldIndex..<same], new.chunks[newIndex..<index])
      add(before.0, before.1, &oldStart, &newStart)
      oldStart += chunk.count
      newStart += chunk.count
      (oldIndex, newIndex) = (same + 1, index + 1)
    }
    add(old.chunks[oldIndex...], new.chunks[newIndex...], &oldStart, &newStart)
    assert(oldStart == old.count && newStart == new.count, "each chunk is compared once")
    assert(isWhole(from: old.count, to: new.count), "`ResultChanges` 1, 2")
  }

  private static func address(of chunk: [ObjectKey]) -> UInt {
    unsafe chunk.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
  }

  /// Compares some chunks, and moves on past them.
  private mutating func add(
    _ old: ArraySlice<[ObjectKey]>, _ new: ArraySlice<[ObjectKey]>, _ oldStart: inout Int,
    _ newStart: inout Int
  ) {
    if old.isEmpty, new.isEmpty { return }
    let (oldKeys, newKeys) = (Array(old.joined()), Array(new.joined()))
    let found = ResultChanges(
      from: oldKeys, to: newKeys, isModified: { _ in false }, isReplaced: { _ in false })
    for index in found.deletions { deletions.append(oldStart + index) }
    for index in found.insertions { insertions.append(newStart + index) }
    oldStart += oldKeys.count
    newStart += newKeys.count
  }
}
