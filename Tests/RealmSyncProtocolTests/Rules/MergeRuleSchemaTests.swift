// SPDX-License-Identifier: Apache-2.0

// Rows S1 to S8 and O1 to O3 of the merge tables.

import Testing

@testable import RealmSyncProtocol

struct MergeRuleSchemaTests {
  private static let table = MergeError.tableMismatch(.init(table: "T"))
  private static let column = MergeError.columnMismatch(.init(table: "T", field: "f"))

  @Test func s1AddingAClassTwice() throws {
    try expectMergeAtAnyTime(.addTable(), with: .addTable(), give: [], [])
    try expectMergeAtAnyTime(
      .addTable(kind: .embedded), with: .addTable(kind: .embedded), give: [], [])
    try expectIndependent(.addTable(), .addTable("U", type: .string))
    for other: RuleScript in [
      .addTable(key: "other"), .addTable(type: .string), .addTable(isNullable: true),
      .addTable(kind: .embedded), .addTable(kind: .asymmetric),
    ] {
      expectError(Self.table, .addTable(), other)
    }
  }

  @Test func s2ErasingAClassThatIsAdded() throws {
    try expectMergeAtAnyTime(.eraseTable(), with: .addTable(), give: [.eraseTable()], [])
    try expectIndependent(.eraseTable(), .addTable("U"))
  }

  @Test func s3ErasingAClassTwice() throws {
    try expectMergeAtAnyTime(.eraseTable(), with: .eraseTable(), give: [], [])
    try expectIndependent(.eraseTable(), .eraseTable("U"))
  }

  @Test func s4ErasingTheTargetOfANewLink() throws {
    let link = RuleScript.addColumn("U", "link", .link, isNullable: true, to: "T")
    try expectMergeAtAnyTime(
      .eraseTable(), with: link, give: [.eraseColumn("U", "link"), .eraseTable()], [])
    try expectIndependent(.eraseTable(), .addColumn("U", "link", .link, to: "V"))
    try expectIndependent(.eraseTable(), .addColumn("U", "f", .int))
  }

  /// What is put before a local instruction meets the incoming ones that follow.
  @Test func s4ThePrependedErasureIsMergedToo() throws {
    let link = RuleScript.addColumn("U", "link", .link, isNullable: true, to: "T")
    try expectMergeAtAnyTime(
      .eraseTable(), with: link, .eraseColumn("U", "link"), give: [.eraseTable()], [])
    try expectMergeAtAnyTime(
      .eraseTable(), with: link, .addColumn("U", "other", .link, to: "T"),
      give: [.eraseColumn("U", "link"), .eraseColumn("U", "other"), .eraseTable()], [])
  }

  @Test func s5AddingAPropertyTwice() throws {
    try expectMergeAtAnyTime(.addColumn(), with: .addColumn(), give: [], [])
    try expectMergeAtAnyTime(
      .addColumn("T", "f", .link, to: "U"), with: .addColumn("T", "f", .link, to: "U"),
      give: [], [])
    try expectIndependent(.addColumn(), .addColumn("U", "f", .string))
    try expectIndependent(.addColumn(), .addColumn("T", "g", .string))
    for other: RuleScript in [
      .addColumn("T", "f", .string), .addColumn(isNullable: true),
      .addColumn("T", "f", .int, .list), .addColumn("T", "f", .link, to: "U"),
    ] {
      expectError(Self.column, .addColumn(), other)
    }
    expectError(
      Self.column, .addColumn("T", "f", .link, to: "V"), .addColumn("T", "f", .link, to: "U"))
  }

  @Test func s6ErasingAPropertyThatIsAdded() throws {
    try expectMergeAtAnyTime(.eraseColumn(), with: .addColumn(), give: [.eraseColumn()], [])
    try expectIndependent(.eraseColumn(), .addColumn("T", "g"))
  }

  @Test func s7ErasingAPropertyTwice() throws {
    try expectMergeAtAnyTime(.eraseColumn(), with: .eraseColumn(), give: [], [])
    try expectIndependent(.eraseColumn(), .eraseColumn("U"))
  }

  @Test func s8AssigningAnErasedProperty() throws {
    try expectMergeAtAnyTime(.eraseColumn(), with: .update(), give: [.eraseColumn()], [])
    try expectMergeAtAnyTime(.eraseColumn(), with: .update([1]), give: [.eraseColumn()], [])
    try expectIndependent(.eraseColumn(), .update(field: "g"))
    try expectIndependent(.eraseColumn(), .add())
  }

  @Test func o1CreatingAnObjectTwice() throws {
    try expectIndependent(.create(), .create())
  }

  @Test func o2ErasingAnObjectThatIsCreated() throws {
    try expectMergeAtAnyTime(.eraseObject(), with: .create(), give: [.eraseObject()], [])
    try expectIndependent(.eraseObject(), .create("two"))
  }

  @Test func o3ErasingAnObjectTwice() throws {
    try expectMerge(
      earlier: .eraseObject(), later: .eraseObject(), give: [], [.eraseObject()])
    try expectIndependent(.eraseObject(), .eraseObject("two"))
  }

  /// Keys of different types are different objects, and the same text in another changeset is the
  /// same object.
  @Test func objectsAreComparedByClassAndKey() throws {
    let other = RuleScript { changeset in
      .createObject(
        ObjectReference(table: changeset.intern("U"), key: .string(changeset.intern("one"))))
    }
    let null = RuleScript { .createObject(ObjectReference(table: $0.intern("T"), key: .null)) }
    try expectIndependent(.eraseObject(), other)
    try expectIndependent(.eraseObject(), null)
  }
}
