// SPDX-License-Identifier: Apache-2.0

// Replaying the composed change set on the old list results in the new one.

import RealmQuery
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession

struct ListChangeComposerTests {
  private func changes(_ oldCount: Int, _ edits: CollectionEdit...) -> ResultChanges {
    var composer = ListChangeComposer(oldCount: oldCount)
    for edit in edits {
      let fits = composer.apply(edit)
      expectTrue(fits)
    }
    return composer.changes(oldCount: oldCount)
  }

  @Test func anElementThatCameAndWentLeavesNoTrace() {
    expectTrue(changes(3, .insert(at: 1, count: 1), .erase(at: 1, count: 1)).isEmpty)
  }

  /// `ListChangeComposer` 2.
  @Test func aMoveIsADeletionAndAnInsertion() {
    let moved = changes(4, .move(from: 0, to: 3))
    expectEqual(moved, ResultChanges(deletions: [0], insertions: [3]))
    expectTrue(changes(4, .move(from: 2, to: 2)).isEmpty)
  }

  @Test func modificationsAreIndexesOfTheOldList() {
    let result = changes(3, .insert(at: 0, count: 2), .set(at: 3), .set(at: 0))
    expectEqual(result, ResultChanges(insertions: [0, 1], modifications: [1]))
  }

  @Test func aDeletedElementIsNotModified() {
    expectEqual(changes(2, .set(at: 1), .erase(at: 1, count: 1)), ResultChanges(deletions: [1]))
  }

  @Test func clearingDeletesWhatTheOldListHad() {
    let result = changes(3, .insert(at: 3, count: 2), .clear(oldCount: 5), .insert(at: 0, count: 1))
    expectEqual(result, ResultChanges(deletions: [0, 1, 2], insertions: [0]))
  }

  @Test func editsThatDoNotFitAreRefused() {
    for edit: CollectionEdit in [
      .insert(at: 3, count: 1), .erase(at: 1, count: 2), .set(at: 2), .move(from: 2, to: 0),
      .insert(at: -1, count: 1), .erase(at: -1, count: 1), .move(from: 0, to: 2),
    ] {
      var composer = ListChangeComposer(oldCount: 2)
      let fits = composer.apply(edit)
      expectFalse(fits)
    }
  }

  /// An element and how often it was assigned; `id` distinguishes elements that were moved.
  private struct Element: Equatable {
    var id: Int
    var assignments = 0
  }

  /// `ListChangeComposer` 1 and 2.
  @Test(arguments: 0..<40)
  func replayingTheChangesGivesTheNewList(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let old = (0..<Int.random(in: 0...30, using: &random)).map { Element(id: $0) }
    var list = old
    var nextID = old.count
    var composer = ListChangeComposer(oldCount: old.count)
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      let edit = randomEdit(of: &list, nextID: &nextID, &random)
      let fits = composer.apply(edit)
      expectTrue(fits)
      expectEqual(composer.count, list.count)
    }
    let changes = composer.changes(oldCount: old.count)
    expectReplay(of: changes, from: old, gives: list)
  }

  private func expectReplay(
    of changes: ResultChanges, from old: [Element], gives new: [Element]
  ) {
    var replayed: [Element?] = old
    for index in changes.modifications { replayed[index]?.assignments = -1 }
    for index in changes.deletions.reversed() { replayed.remove(at: index) }
    for index in changes.insertions { replayed.insert(nil, at: index) }
    expectEqual(replayed.count, new.count)
    for (was, now) in zip(replayed, new) {
      guard let was else { continue }  // an insertion may be anything
      expectEqual(was.id, now.id)
      expectEqual((was.assignments == -1), (now.assignments > 0))
    }
    // Nothing that stayed is reported as deleted and inserted again.
    expectEqual(changes.deletions.count, old.count - new.count { $0.id < old.count })
    expectTrue(Set(changes.deletions).isDisjoint(with: changes.modifications))
  }

  /// Edits `list` at random; an element that is moved gets a new identity, as in the log.
  private func randomEdit(
    of list: inout [Element], nextID: inout Int, _ random: inout SeededGenerator
  ) -> CollectionEdit {
    let kind = list.isEmpty ? 0 : Int.random(in: 0..<20, using: &random)
    switch kind {
    case 0..<8:
      let index = Int.random(in: 0...list.count, using: &random)
      let count = Int.random(in: 1...3, using: &random)
      list.insert(contentsOf: (nextID..<nextID + count).map { Element(id: $0) }, at: index)
      nextID += count
      return .insert(at: index, count: count)
    case 8..<12:
      let index = Int.random(in: 0..<list.count, using: &random)
      let count = Int.random(in: 1...min(3, list.count - index), using: &random)
      list.removeSubrange(index..<index + count)
      return .erase(at: index, count: count)
    case 12..<16:
      let index = Int.random(in: 0..<list.count, using: &random)
      list[index].assignments += 1
      return .set(at: index)
    case 16..<19:
      let source = Int.random(in: 0..<list.count, using: &random)
      let target = Int.random(in: 0..<list.count, using: &random)
      guard source != target else { return .move(from: source, to: target) }
      list.remove(at: source)
      list.insert(Element(id: nextID), at: target)
      nextID += 1
      return .move(from: source, to: target)
    default:
      let count = list.count
      list = []
      return .clear(oldCount: count)
    }
  }
}
