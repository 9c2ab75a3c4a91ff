// SPDX-License-Identifier: Apache-2.0

// Rows V1 to V8 of the merge tables.

import TestExtensions
import Testing

@testable import RealmSyncProtocol

struct MergeRuleValueTests {
  private static let objectValue = RuleScript.Value.plain(.objectValue)
  private static let list = RuleScript.Value.plain(.list)
  private static let dictionary = RuleScript.Value.plain(.dictionary)

  @Test func v1TheLaterAssignmentStays() throws {
    let other = RuleScript.update([], .text("b"))
    try expectMerge(earlier: .update(), later: other, give: [], [other])
    try expectMerge(earlier: other, later: .update(), give: [], [.update()])
    try expectIndependent(.update(), .update(field: "g"))
    try expectIndependent(.update(), .update(key: "two"))
    try expectIndependent(.update(["a"]), .update(["b"]))
    try expectMerge(earlier: .update(["a"]), later: .update(["a"]), give: [], [.update(["a"])])
    try expectMerge(earlier: .update([1]), later: .update([1]), give: [], [.update([1])])
    try expectIndependent(.update([1]), .update([2]))
  }

  @Test func v1ADefaultYields() throws {
    let assigned = RuleScript.update([], .text("b"))
    try expectMergeAtAnyTime(.update(isDefault: true), with: assigned, give: [], [assigned])
    try expectMerge(
      earlier: .update(isDefault: true), later: .update(isDefault: true), give: [],
      [.update(isDefault: true)])
  }

  @Test func v1AnObjectValueYieldsToAnotherType() throws {
    let null = RuleScript.update([], .plain(.null))
    try expectMergeAtAnyTime(.update([], Self.objectValue), with: null, give: [], [null])
    try expectMerge(
      earlier: .update([], Self.objectValue), later: .update([], Self.objectValue), give: [], [])
  }

  @Test func v1TheSameCollectionStaysOnBothSides() throws {
    try expectIndependent(.update([], Self.list), .update([], Self.list))
    try expectIndependent(.update([], Self.dictionary), .update([], Self.dictionary))
    try expectMerge(
      earlier: .update([], Self.list), later: .update([], Self.dictionary), give: [],
      [.update([], Self.dictionary)])
  }

  @Test func v1ListSizesMustAgree() {
    expectError(
      .sizeMismatch(.init(table: "T", field: "f"), 3, 4), .update([1], prior: 3),
      .update([1], prior: 4))
  }

  @Test func v2ALaterSumIsAddedToTheAssignedNumber() throws {
    try expectMerge(
      earlier: .update(), later: .add(5), give: [.update([], .plain(.int(12)))], [.add(5)])
    try expectMerge(
      earlier: .update([], .plain(.int(.max))), later: .add(1),
      give: [.update([], .plain(.int(.min)))], [.add(1)])
    try expectIndependent(.add(), .update(field: "g"))
  }

  @Test func v2AnEarlierSumIsLost() throws {
    try expectMerge(earlier: .add(5), later: .update(), give: [], [.update()])
  }

  @Test func v2ASumIsAddedToADefault() throws {
    try expectMergeAtAnyTime(
      .add(5), with: .update(isDefault: true), give: [.add(5)],
      [.update([], .plain(.int(12)), isDefault: true)])
  }

  @Test func v2ALaterSumStaysOnNullAndIsLostOnOtherValues() throws {
    let null = RuleScript.update([], .plain(.null))
    try expectMerge(earlier: null, later: .add(5), give: [null], [.add(5)])
    let text = RuleScript.update([], .text("b"))
    try expectMerge(earlier: text, later: .add(5), give: [text], [])
  }

  @Test func v3SumsAddUp() throws {
    try expectIndependent(.add(1), .add(2))
  }

  @Test func v4TheLaterOfClearAndAssignmentStays() throws {
    try expectMerge(earlier: .clear(), later: .update(), give: [], [.update()])
    try expectMerge(earlier: .update(), later: .clear(), give: [], [.clear()])
    try expectIndependent(.clear(.list), .update([], Self.list))
    try expectIndependent(.clear(.dictionary), .update([], Self.dictionary))
    try expectMerge(
      earlier: .clear(.list), later: .update([], Self.dictionary), give: [],
      [.update([], Self.dictionary)])
    try expectIndependent(.clear(), .update(field: "g"))
  }

  @Test func v5AClearDiscardsASum() throws {
    try expectMergeAtAnyTime(.clear(), with: .add(), give: [.clear()], [])
  }

  @Test func v6TheLaterClearStays() throws {
    try expectMerge(
      earlier: .clear(.list), later: .clear(.dictionary), give: [], [.clear(.dictionary)])
    try expectIndependent(.clear(.list, ["a"]), .clear(.list, ["b"]))
  }

  @Test func v7AClearDiscardsChangesOfASet() throws {
    try expectMergeAtAnyTime(
      .clear(.set), with: .setInsert(.text("a")), .setErase(.text("b")), give: [.clear(.set)], [])
  }

  @Test func v8ChangesOfTheSameSetValue() throws {
    let values: [RuleScript.Value] = [
      .text("a"), .plain(.int(1)), .link("two"), .plain(.double(0.5)), .plain(.null),
    ]
    for value in values {
      for (first, second): (RuleScript, RuleScript) in [
        (.setInsert(value), .setInsert(value)), (.setInsert(value), .setErase(value)),
        (.setErase(value), .setInsert(value)), (.setErase(value), .setErase(value)),
      ] {
        try expectMerge(earlier: first, later: second, give: [], [second])
      }
    }
    try expectIndependent(.setInsert(.text("a")), .setErase(.text("b")))
    try expectIndependent(.setInsert(.plain(.int(1))), .setErase(.plain(.double(1))))
    try expectIndependent(.setInsert(.link("two")), .setErase(.link("three")))
    try expectIndependent(.setInsert(.text("a")), .setErase(.text("a"), ["below"]))
    try expectMerge(
      earlier: .setInsert(.plain(.double(0))), later: .setErase(.plain(.double(-0.0))), give: [],
      [.setErase(.plain(.double(-0.0)))])
    try expectIndependent(
      .setInsert(.plain(.double(.nan))), .setErase(.plain(.double(.nan))))
  }

  /// 10 and 1E1 are one element of a set, and so are the zeros.
  @Test func v8DecimalsAreEqualByValue() throws {
    func decimal(
      _ coefficient: UInt64, _ exponent: Int64, _ isNegative: Bool = false
    ) throws
      -> RuleScript.Value
    {
      .plain(
        .decimal(
          try #require(
            Decimal128Bits(
              coefficientHigh: 0, coefficientLow: coefficient, exponent: exponent,
              isNegative: isNegative))))
    }
    let infinity = Decimal128Bits(low: 0, high: 0x7800_0000_0000_0000)
    let nan = Decimal128Bits(low: 0, high: 0x7C00_0000_0000_0000)
    for (first, second) in try [
      (decimal(10, 0), decimal(1, 1)), (decimal(1, 1), decimal(1000, -2)),
      (decimal(0, 0), decimal(0, 7, true)), (decimal(25, -1, true), decimal(250, -2, true)),
      (.plain(.decimal(infinity)), .plain(.decimal(infinity))),
    ] {
      try expectMerge(
        earlier: .setInsert(first), later: .setErase(second), give: [], [.setErase(second)])
    }
    for (first, second) in try [
      (decimal(10, 0), decimal(10, 1)), (decimal(1, 0), decimal(1, 0, true)),
      (.plain(.decimal(nan)), .plain(.decimal(nan))), (.plain(.decimal(infinity)), decimal(1, 0)),
    ] {
      try expectIndependent(.setInsert(first), .setErase(second))
    }
  }

  /// Of changesets with the same time the one of the file with the higher number is later; in the
  /// client's own history file 0 is its own.
  @Test func theFileDecidesAtTheSameTime() throws {
    for (ident, winner) in [(4, 0), (2, 1)] as [(UInt64, Int)] {
      var local = [changeset([.update([], .text("mine"))], file: 0)]
      var incoming = [changeset([.update([], .text("other"))], file: 3)]
      var transformer = Transformer()
      let outcome = try transformer.merge(
        local: &local, incoming: &incoming, ownIdent: FileIdentifier(ident))
      expectEqual([local[0], incoming[0]].map(\.isEmpty), [winner == 1, winner == 0])
      expectEqual(outcome.alteredLocal, (winner == 1 ? [0] : []))
      expectEqual(outcome.alteredIncoming, (winner == 0 ? [0] : []))
    }
  }
}
