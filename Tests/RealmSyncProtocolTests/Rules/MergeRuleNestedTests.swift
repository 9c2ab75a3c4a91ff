// SPDX-License-Identifier: Apache-2.0

// Rows N1 to N9 of the merge tables.

import RealmSyncProtocol
import Testing

struct MergeRuleNestedTests {
  /// Instructions below the element 1 of the property, or below the key "k".
  private static var belowElement: [RuleScript] {
    [
      .update([1, 0]), .update([1, "k"]), .insert(1, 0), .erase(1, 0), .move(1, 0, to: 1),
      .clear(.list, [1, "k"]), .setInsert(.text("a"), [1, "k"]), .add(1, [1, "k"]),
    ]
  }

  @Test func n1ErasingAClassDiscardsWhatIsInIt() throws {
    let inner: [RuleScript] = [
      .addColumn(), .eraseColumn(), .create(), .eraseObject(), .update(), .insert(1), .add(),
      .clear(), .setInsert(.text("a")), .addColumn("T", "self", .link, to: "T"),
    ]
    for script in inner {
      try expectMergeAtAnyTime(.eraseTable(), with: script, give: [.eraseTable()], [])
      try expectIndependent(.eraseTable("U"), script)
    }
  }

  @Test func n2ErasingAnObjectDiscardsItsChanges() throws {
    for script in Self.belowElement + [.update(), .add(), .insert(1), .clear(), .move(1, to: 0)] {
      try expectMergeAtAnyTime(.eraseObject(), with: script, give: [.eraseObject()], [])
      try expectIndependent(.eraseObject("two"), script)
    }
  }

  @Test func n3AnAssignmentDiscardsWhatLiesBelow() throws {
    for script in Self.belowElement + [.insert(1), .erase(1), .update([1]), .update(["k"])] {
      try expectMergeAtAnyTime(.update(), with: script, give: [.update()], [])
      try expectIndependent(.update(field: "g"), script)
      try expectIndependent(.update([], .plain(.objectValue)), script)
    }
    for script in Self.belowElement {
      try expectMergeAtAnyTime(.update([1]), with: script, give: [.update([1])], [])
      try expectIndependent(.update([2]), script)
    }
  }

  @Test func n3ACollectionKeepsWhatFitsIt() throws {
    let list = RuleScript.update([], .plain(.list))
    let dictionary = RuleScript.update([], .plain(.dictionary))
    for script: RuleScript in [.insert(1), .update([1]), .insert(1, 2), .update([1, "k"])] {
      try expectIndependent(list, script)
      try expectMergeAtAnyTime(dictionary, with: script, give: [dictionary], [])
    }
    for script: RuleScript in [.update(["k"]), .insert("k", 1)] {
      try expectIndependent(dictionary, script)
      try expectMergeAtAnyTime(list, with: script, give: [list], [])
    }
  }

  @Test func n4ASumDiscardsWhatLiesBelow() throws {
    for script in Self.belowElement {
      try expectMergeAtAnyTime(.add(), with: script, give: [.add()], [])
    }
  }

  @Test func n5AnInsertionMovesPathsThroughTheList() throws {
    for script: (UInt32) -> RuleScript in [
      { .update([.index($0), "k"]) }, { .insert(.index($0), 0) },
      { .clear(.list, [.index($0), "k"]) },
    ] {
      try expectIndependent(.insert(1), script(0))
      try expectMergeAtAnyTime(.insert(1), with: script(1), give: [.insert(1)], [script(2)])
      try expectMergeAtAnyTime(.insert(1), with: script(2), give: [.insert(1)], [script(3)])
    }
    try expectMergeAtAnyTime(
      .insert("a", 1), with: .insert("a", 1, 5), give: [.insert("a", 1)], [.insert("a", 2, 5)])
    try expectIndependent(.insert(1), .update(["k", "x"]))
  }

  /// The quirk: the index of the move is adjusted, not the inner path.
  @Test func n6AMoveIsAdjustedByAPathThroughTheList() throws {
    try expectMergeAtAnyTime(
      .move(1, to: 2), with: .update([1, "k"]), give: [.move(2, to: 2)], [.update([1, "k"])])
    try expectMergeAtAnyTime(
      .move(2, to: 0), with: .update([1, "k"]), give: [.move(2, to: 0)], [.update([1, "k"])])
    try expectMergeAtAnyTime(
      .move(1, to: 2), with: .update([0, "k"]), give: [.move(0, to: 2)], [.update([0, "k"])])
    try expectIndependent(.move("a", 1, to: 2), .update(["b", 1, "k"]))
  }

  @Test func n7AnErasureDiscardsOrMovesPathsThroughTheList() throws {
    try expectIndependent(.erase(1), .update([0, "k"]))
    for script in Self.belowElement {
      try expectMergeAtAnyTime(.erase(1), with: script, give: [.erase(1)], [])
    }
    try expectMergeAtAnyTime(
      .erase(1), with: .update([2, "k"]), give: [.erase(1)], [.update([1, "k"])])
  }

  @Test func n8AClearDiscardsWhatLiesBelow() throws {
    for script in Self.belowElement + [.insert(1), .erase(1), .update([1])] {
      try expectMergeAtAnyTime(.clear(), with: script, give: [.clear()], [])
    }
    try expectIndependent(.clear(.list, [2]), .insert(1, 0))
  }

  @Test func n9OthersLeaveAloneWhatLiesBelow() throws {
    for script in Self.belowElement {
      for outer: RuleScript in [
        .addTable(), .addColumn(), .create(), .setInsert(.text("a")), .setErase(.text("a")),
      ] {
        try expectIndependent(outer, script)
      }
    }
  }
}
