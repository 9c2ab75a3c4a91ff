// SPDX-License-Identifier: Apache-2.0

// Rows L1 to L9 of the merge tables.

import Testing

@testable import RealmSyncProtocol

struct MergeRuleListTests {
  @Test func l1AnInsertionMovesAnUpdate() throws {
    try expectMergeAtAnyTime(
      .insert(1), with: .update([0]), give: [.insert(1)], [.update([0], prior: 4)])
    for index: UInt32 in 1...2 {
      try expectMergeAtAnyTime(
        .insert(1), with: .update([.index(index)]), give: [.insert(1)],
        [.update([.index(index + 1)], prior: 4)])
    }
  }

  @Test func l2AnUpdateFollowsAMove() throws {
    for (index, after) in [(0, 2), (1, 0), (2, 1)] as [(UInt32, UInt32)] {
      try expectMergeAtAnyTime(
        .move(0, to: 2), with: .update([.index(index)]), give: [.move(0, to: 2)],
        [.update([.index(after)])])
    }
    for (index, after) in [(0, 1), (1, 2), (2, 0)] as [(UInt32, UInt32)] {
      try expectMergeAtAnyTime(
        .move(2, to: 0), with: .update([.index(index)]), give: [.move(2, to: 0)],
        [.update([.index(after)])])
    }
  }

  /// Histories of lists of lists lead to such pairs (N6).
  @Test func movesMeetUpdatesAndInsertionsOfListsOfOtherSizes() throws {
    try expectMergeAtAnyTime(
      .move(0, to: 2), with: .update([0], prior: 5), give: [.move(0, to: 2)],
      [.update([2], prior: 5)])
    try expectMergeAtAnyTime(
      .move(1, to: 2), with: .insert(0, prior: 7), give: [.move(2, to: 3, prior: 4)],
      [.insert(0, prior: 7)])
  }

  @Test func l3AnErasureDiscardsOrMovesAnUpdate() throws {
    try expectMergeAtAnyTime(
      .erase(1), with: .update([0]), give: [.erase(1)], [.update([0], prior: 2)])
    try expectMergeAtAnyTime(.erase(1), with: .update([1]), give: [.erase(1)], [])
    try expectMergeAtAnyTime(
      .erase(1), with: .update([2]), give: [.erase(1)], [.update([1], prior: 2)])
  }

  @Test func l4TheEarlierOfTwoInsertionsComesFirst() throws {
    let (first, second) = (RuleScript.insert(1), RuleScript.insert(1, value: .text("b")))
    try expectMerge(
      earlier: first, later: second, give: [.insert(1, prior: 4)],
      [.insert(2, prior: 4, value: .text("b"))])
    try expectMergeAtAnyTime(
      .insert(0), with: .insert(3), give: [.insert(0, prior: 4)], [.insert(4, prior: 4)])
  }

  @Test func l5AMoveAndAnInsertion() throws {
    // Behind the element that moves away, before the place where it goes.
    try expectMergeAtAnyTime(
      .move(0, to: 2), with: .insert(1), give: [.move(0, to: 3, prior: 4)], [.insert(0)])
    // Before both.
    try expectMergeAtAnyTime(
      .move(1, to: 2), with: .insert(0), give: [.move(2, to: 3, prior: 4)], [.insert(0)])
    // Behind both.
    try expectMergeAtAnyTime(
      .move(0, to: 1), with: .insert(3), give: [.move(0, to: 1, prior: 4)], [.insert(3)])
    // Down, before the element that moves.
    try expectMergeAtAnyTime(
      .move(2, to: 0), with: .insert(1), give: [.move(3, to: 0, prior: 4)], [.insert(2)])
  }

  @Test func l5AtTheSameIndexTheLaterComesFirst() throws {
    // The insertion at 2 becomes 1 when 0 is taken out, which is where the element goes.
    try expectMerge(
      earlier: .move(0, to: 1), later: .insert(2), give: [.move(0, to: 2, prior: 4)],
      [.insert(1)])
    try expectMerge(
      earlier: .insert(2), later: .move(0, to: 1), give: [.insert(2)],
      [.move(0, to: 1, prior: 4)])
  }

  @Test func l6AnErasureAndAnInsertion() throws {
    try expectMergeAtAnyTime(
      .erase(1), with: .insert(1), give: [.erase(2, prior: 4)], [.insert(1, prior: 2)])
    try expectMergeAtAnyTime(
      .erase(1), with: .insert(2), give: [.erase(1, prior: 4)], [.insert(1, prior: 2)])
  }

  @Test func l7MovesOfDifferentElements() throws {
    try expectMerge(
      earlier: .move(0, to: 2), later: .move(2, to: 0), give: [.move(1, to: 2)],
      [.move(1, to: 0)])
    try expectMerge(
      earlier: .move(0, to: 1, prior: 4), later: .move(2, to: 3, prior: 4),
      give: [.move(0, to: 1, prior: 4)], [.move(2, to: 3, prior: 4)])
    // Two elements change places, by which both are where they were to go.
    let (down, up) = (RuleScript.move(1, to: 0, prior: 2), RuleScript.move(0, to: 1, prior: 2))
    try expectMerge(earlier: down, later: up, give: [], [])
    try expectMerge(earlier: up, later: down, give: [down], [up])
  }

  @Test func l7TheLaterMoveOfAnElementWins() throws {
    try expectMerge(
      earlier: .move(0, to: 1), later: .move(0, to: 2), give: [], [.move(1, to: 2)])
    try expectMerge(
      earlier: .move(0, to: 2), later: .move(0, to: 2), give: [], [])
  }

  @Test func l8AnErasureFollowsAMove() throws {
    try expectMergeAtAnyTime(
      .erase(0), with: .move(0, to: 2), give: [.erase(2)], [])
    try expectMergeAtAnyTime(
      .erase(1), with: .move(0, to: 2), give: [.erase(0)], [.move(0, to: 1, prior: 2)])
    try expectMergeAtAnyTime(
      .erase(0), with: .move(2, to: 1), give: [.erase(0)], [.move(1, to: 0, prior: 2)])
    try expectMergeAtAnyTime(
      .erase(2), with: .move(0, to: 1), give: [.erase(2)], [.move(0, to: 1, prior: 2)])
    // The move is over with the element that it would have passed.
    try expectMergeAtAnyTime(
      .erase(1), with: .move(0, to: 1), give: [.erase(0)], [])
  }

  @Test func l9ErasuresOfAList() throws {
    try expectMergeAtAnyTime(.erase(1), with: .erase(1), give: [], [])
    try expectMergeAtAnyTime(
      .erase(0), with: .erase(2), give: [.erase(0, prior: 2)], [.erase(1, prior: 2)])
  }

  @Test func listsOfOtherPlacesAreIndependent() throws {
    try expectIndependent(.insert(1), .insert("below", 1))
    try expectIndependent(.insert("a", 1), .insert("b", 1))
    try expectIndependent(.erase(0, 1), .insert(2, 1))
    try expectIndependent(.erase(1), .clear(.list, [1]))
  }

  @Test func sizesMustAgree() {
    let mismatch = MergeError.sizeMismatch(.init(table: "T", field: "f"), 3, 4)
    let atThree: [RuleScript] = [.insert(0), .erase(0), .move(0, to: 1), .update([0])]
    let atFour: [RuleScript] = [
      .insert(0, prior: 4), .erase(0, prior: 4), .move(0, to: 1, prior: 4), .update([0], prior: 4),
    ]
    // Inserts, erasures, moves and updates; L2 and L5 compare no sizes.
    let exceptions: [[Int]] = [[0, 2], [2, 0], [2, 3], [3, 2]]
    for (row, first) in atThree.enumerated() {
      for (column, second) in atFour.enumerated() where !exceptions.contains([row, column]) {
        expectError(mismatch, first, second)
      }
    }
  }

  @Test func aPositionCannotLeaveItsRange() {
    let error = MergeError.positionOutOfRange(.init(table: "T", field: "f"))
    expectError(error, .insert(0, prior: .max), .insert(0, prior: .max))
    expectError(error, .erase(0, prior: 0), .erase(1, prior: 0))
    expectError(error, .insert(0), .insert(.index(.max)))
    expectError(error, .insert(0), .insert(.index(.max), 1))
  }
}
