// SPDX-License-Identifier: Apache-2.0

// Conditions of subscriptions: those that are refused, and their texts (P4 B.2).

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct ViewTests {
  private func makeFile() throws -> (DatabaseFile, TableGroup) {
    let file = try SimulatedFileSystem().openDatabase()
    let group = try WriteGroup(file.beginWrite())
    try RandomChanges.makeSchema(in: group)
    let table = try #require(try group.table(named: "class_Thing"))
    let count = try #require(table.schema.column(named: "count"))
    for number in 0..<5 {
      let (key, _) = try table.createObject(primaryKey: .string("t\(number)"))
      try table.set(.int(Int64(number)), count, key)
    }
    return (file, try TableGroup(group.commit()))
  }

  private func refusal(_ condition: String, ofClass name: String = "Thing") throws -> String? {
    let (_, objects) = try makeFile()
    switch try View.bind(EffectiveQuery([name: condition]), to: objects) {
    case .success: return nil
    case .failure(let refusal):
      expectEqual(refusal.code, .badQuery)
      return refusal.document.message
    }
  }

  @Test func whatMatchesIsSeen() throws {
    let (_, objects) = try makeFile()
    let view = try View.bind(
      EffectiveQuery(["Thing": "count > 1 and count < 4"]), to: objects
    ).get()
    try expectEqual(view.keys(ofClass: "Thing", in: objects).count, 2)
    #expect(try view.keys(ofClass: "Note", in: objects).isEmpty)
  }

  @Test(arguments: [
    "TRUEPREDICATE", "(count > 4)", "count between {1, 4}", "!(count > 1 and count < 3)",
    "name == \"a\"", "name ==[c] \"O'Neil\"", "name IN {\"b\", \"a\"}", "\"x\" IN tags",
    "ALL numbers > 3", "NONE numbers == 1", "numbers.@size > 2", "numbers.@count > 2",
    "id == \"t1\"",
  ])
  func conditionsOfScalarsAreAccepted(_ condition: String) throws {
    try expectEqual(refusal(condition), nil)
  }

  @Test(arguments: [
    "other.count > 1", "others.@count > 1", "any == 1", "@links.Note.thing.@count > 0",
    "numbers.@sum > 1", "count > 1 SORT(count ASC)", "count > 1 LIMIT(1)", "missing == 1",
    "part.x == 1", "count ==", "map.@count > 0", "count + 1 == 2", "count == \"text\"",
  ])
  func otherConditionsAreRefused(_ condition: String) throws {
    let text = try #require(try refusal(condition), "\(condition) was accepted")
    expectTrue(text.hasPrefix("Invalid query: "))
  }

  @Test func theTextNamesTheField() throws {
    try expectEqual(
      refusal("any == 1"),
      "Invalid query: \"Thing\": key \"any\" is not a queryable field")
  }

  @Test func embeddedClassesCannotBeQueried() throws {
    #expect(try refusal("TRUEPREDICATE", ofClass: "Part") != nil)
    try expectEqual(refusal("count > 1", ofClass: "Unknown"), nil)
    #expect(try refusal("count >", ofClass: "Unknown") != nil)
  }
}
