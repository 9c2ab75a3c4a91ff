// SPDX-License-Identifier: Apache-2.0

// Queries as the command line takes them.

import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables
import RealmTools
import TestExtensions
import Testing

struct QueryRunTests {
  @Test func objectsAreCountedByTheirValues() throws {
    let sample = try SampleRealm(dogCount: 45)
    let group = try RealmReader(path: sample.path).group
    let classes = try StoredSchema(group)
    let run = try QueryRun("Dog", in: classes)
    let keys = try run.keys()
    let ages = try GroupCounts(of: "age", keys, run.schema, in: classes)
    expectEqual(ages.all.map(\.count).reduce(0, +), 47)
    expectEqual(ages.all[0].text, "0")
    expectEqual(ages.all.first { $0.text == "5" }?.count, 3)
    expectTrue(ages.all.last?.text == nil)
    expectEqual(ages.all.last?.count, 1)
    let owners = try GroupCounts(of: "owner", keys, run.schema, in: classes)
    expectEqual(owners.all.map(\.text), [nil, "7"])
    #expect(throws: ToolFailure.self) {
      try GroupCounts(of: "none", keys, run.schema, in: classes)
    }
  }

  @Test func columnsAreChosen() throws {
    let sample = try SampleRealm()
    let group = try RealmReader(path: sample.path).group
    let classes = try StoredSchema(group)
    let run = try QueryRun("Dog", in: classes)
    let key = try #require(try run.keys().first)
    let output = try QueryOutput(run.schema, in: classes, columns: ["age", "name"])
    expectEqual(output.header, ["age", "name"])
    try expectEqual(output.row(of: key), ["5", "Rex"])
    try expectEqual(
      output.object(of: key).map { JSONWriter.text($0) }, #"{"age":5,"name":"Rex"}"#)
    #expect(throws: ToolFailure.self) {
      try QueryOutput(run.schema, in: classes, columns: ["none"])
    }
  }

  private func names(_ query: String, _ sample: SampleRealm) throws -> [String?] {
    let group = try RealmReader(path: sample.path).group
    let classes = try StoredSchema(group)
    let run = try QueryRun(query, in: classes)
    let output = try QueryOutput(run.schema, in: classes)
    let column = try #require(output.header.firstIndex(of: "name"))
    return try run.keys().map { try output.row(of: $0)?[column] }
  }

  @Test(arguments: [
    ("Dog", ["Rex", "Fido"]), ("  Dog  ", ["Rex", "Fido"]), ("`Dog`", ["Rex", "Fido"]),
    ("Dog WHERE age > 3", ["Rex"]), ("Dog where age == nil", ["Fido"]),
    ("Dog SORT(name ASC)", ["Fido", "Rex"]), ("Dog SORT(name DESC) LIMIT(1)", ["Rex"]),
    ("Dog WHERE owner.name BEGINSWITH 'Ann'", ["Rex"]),
    ("Dog WHERE owner == obj(Person, 7)", ["Rex"]), ("Dog WHERE owner == obj(Person, 9)", []),
    ("Dog WHERE ANY tags == 'big'", ["Rex"]), ("Dog WHERE scores['run'] == 2", ["Fido"]),
    ("Person WHERE @links.Dog.owner.@count > 0", ["Ann, \"the\" boss"]),
    ("Dog WHERE TRUEPREDICATE DISTINCT(age)", ["Rex", "Fido"]),
  ])
  func classesConditionsAndOrders(_ query: String, _ expected: [String]) throws {
    try expectEqual(names(query, SampleRealm()), expected)
  }

  @Test(arguments: [
    ("", "begins with the name of a class"), ("Cat", "There is no class 'Cat'"),
    ("dog", "Did you mean 'Dog'?"), ("Dog WHERE", "no condition after WHERE"),
    ("Dog age > 3", "at column 5"), ("Dog WHERE age >", "at column 16"),
    ("Dog SORT(age", "at column 13"), ("Dog WHERE size > 3", "size"),
    ("Dog WHERE age > 'x'", "age"), ("`Dog", "no second"),
  ])
  func mistakesSayWhere(_ query: String, _ expected: String) throws {
    let sample = try SampleRealm()
    let error = #expect(throws: ToolFailure.self) { try names(query, sample) }
    expectEqual(error?.status, .usage)
    expectEqual(error?.message.contains(expected), true, "\(error?.message ?? "")")
  }

  @Test func theMarkIsBelowTheMistake() throws {
    let sample = try SampleRealm()
    let error = #expect(throws: ToolFailure.self) { try names("Dog WHERE age > > 3", sample) }
    expectEqual(error?.message.hasSuffix("  Dog WHERE age > > 3\n                  ^"), true)
  }

  @Test func plansNameIndexes() throws {
    let sample = try SampleRealm()
    let group = try RealmReader(path: sample.path).group
    let run = try QueryRun("Person WHERE name == 'Bob'", in: StoredSchema(group))
    try expectEqual(run.explanation().first?.hasPrefix("index: "), true)
  }
}
