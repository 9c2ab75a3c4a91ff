// SPDX-License-Identifier: Apache-2.0

// Composes the edits of a list into the change set that observers get.
//
// The list is kept as a piece table: runs of elements of the old list, in their old order, and runs
// of new elements. An edit cuts at most two pieces; the elements themselves are never read, so the
// cost is the edits', whatever the size of the list.
//
// Invariants:
// 1. The pieces, in order, are the list after the edits applied so far; their counts add up to
//    `count`, and none is empty.
// 2. An old element outside of all pieces was deleted. A moved one counts as deleted, and as
//    inserted at its new position.

import RealmQuery
import RealmTables

/// Applies edits in order to a list of known size, and composes them into one change set.
package struct ListChangeComposer {
  /// A run of elements of the present list.
  package enum Piece: Equatable {
    /// Elements that were at these indexes of the old list.
    case old(Range<Int>)
    /// New elements.
    case new(Int)

    var count: Int {
      switch self {
      case .old(let range): range.count
      case .new(let count): count
      }
    }
  }

  package private(set) var pieces: [Piece]
  /// The number of elements of the present list.
  package private(set) var count: Int
  /// Indexes, in the old list, of old elements that were assigned.
  private var assigned: Set<Int> = []

  init(oldCount: Int) {
    pieces = oldCount > 0 ? [.old(0..<oldCount)] : []
    count = oldCount
  }

  /// Applies one edit; returns false if it does not fit the list: then the log and the list are not
  /// of the same version.
  mutating func apply(_ edit: CollectionEdit) -> Bool {
    switch edit {
    case .insert(let index, let added):
      guard index >= 0, index <= count, added >= 0 else { return false }
      insert(.new(added), at: index)
    case .erase(let index, let erased):
      guard index >= 0, erased >= 0, index + erased <= count else { return false }
      erase(index..<index + erased)
    case .set(let index):
      guard index >= 0, index < count else { return false }
      let (position, offset) = locate(index)
      if case .old(let range) = pieces[position] { assigned.insert(range.lowerBound + offset) }
    case .move(let source, let target):
      guard source >= 0, source < count, target >= 0, target < count else { return false }
      guard source != target else { return true }
      erase(source..<source + 1)
      insert(.new(1), at: target)
    case .clear:
      pieces = []
      count = 0
    }
    assert(pieces.count > 64 || isWhole, "`ListChangeComposer` 1")
    return true
  }

  /// Whether the pieces are the list, for assertions.
  private var isWhole: Bool {
    pieces.allSatisfy { $0.count > 0 } && pieces.reduce(0) { $0 + $1.count } == count
  }

  /// The change set, with further old indexes to count as modified; deleted elements are left out.
  func changes(oldCount: Int, alsoModified: [Int] = []) -> ResultChanges {
    var result = ResultChanges()
    var kept: [Range<Int>] = []
    var position = 0
    for piece in pieces {
      switch piece {
      case .old(let range): kept.append(range)
      case .new(let added): result.insertions += position..<position + added
      }
      position += piece.count
    }
    // Old runs keep their order: they are only cut, never exchanged.
    var next = 0
    for range in kept {
      result.deletions += next..<range.lowerBound
      next = range.upperBound
    }
    result.deletions += next..<oldCount
    var modified = assigned.union(alsoModified)
    for index in result.deletions { modified.remove(index) }
    result.modifications = modified.sorted()
    assert(result.isWhole(from: oldCount, to: count), "`ListChangeComposer` 1, 2")
    return result
  }

  /// The index in the old list of an element of the present one; nil if it is new.
  func oldIndex(_ index: Int) -> Int? {
    let (position, offset) = locate(index)
    guard position < pieces.count, case .old(let range) = pieces[position] else { return nil }
    return range.lowerBound + offset
  }

  // MARK: - Pieces

  /// The position of the piece with the element at `index`, and the element's offset in it.
  private func locate(_ index: Int) -> (position: Int, offset: Int) {
    if index >= count / 2 {
      var start = count
      for position in pieces.indices.reversed() {
        start -= pieces[position].count
        if index >= start { return (position, index - start) }
      }
    }
    var start = 0
    for position in pieces.indices {
      let end = start + pieces[position].count
      if index < end { return (position, index - start) }
      start = end
    }
    return (pieces.count, 0)
  }

  /// Cuts at `index`, and returns the position of the piece from there on.
  private mutating func cut(at index: Int) -> Int {
    guard index < count else { return pieces.count }
    let (position, offset) = locate(index)
    guard offset > 0 else { return position }
    switch pieces[position] {
    case .old(let range):
      let middle = range.lowerBound + offset
      pieces[position] = .old(range.lowerBound..<middle)
      pieces.insert(.old(middle..<range.upperBound), at: position + 1)
    case .new(let length):
      pieces[position] = .new(offset)
      pieces.insert(.new(length - offset), at: position + 1)
    }
    return position + 1
  }

  private mutating func insert(_ piece: Piece, at index: Int) {
    guard piece.count > 0 else { return }
    let position = cut(at: index)
    count += piece.count
    if position > 0, case .new(let before) = pieces[position - 1] {
      pieces[position - 1] = .new(before + piece.count)
    } else {
      pieces.insert(piece, at: position)
    }
  }

  private mutating func erase(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    let first = cut(at: range.lowerBound)
    let end = cut(at: range.upperBound)
    pieces.removeSubrange(first..<end)
    count -= range.count
  }
}
