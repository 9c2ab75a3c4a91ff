// SPDX-License-Identifier: Apache-2.0

// Queries as the command line takes them.

import RealmStorage
import RealmTables
import RealmTools
import Testing

@Suite struct QueryRunTests {
  private func names(_ query: String, _ sample: SampleRealm) throws -> [String?] {
    let group = try RealmReader(path: sample.path).group
    let classes = try StoredClasses(group)
    let run = try QueryRun(query, in: group, classes)
    let output = try QueryOutput(run.schema, in: group, classes)
    let column = try #require(output.header.firstIndex(of: "name"))
    return try run.keys(in: group).map { try output.row(of: $0)?[column] }
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
    #expect(try names(query, SampleRealm()) == expected)
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
    #expect(error?.status == .usage)
    #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
  }

  @Test func theMarkIsBelowTheMistake() throws {
    let sample = try SampleRealm()
    let error = #expect(throws: ToolFailure.self) { try names("Dog WHERE age > > 3", sample) }
    #expect(error?.message.hasSuffix("  Dog WHERE age > > 3\n                  ^") == true)
  }

  @Test func plansNameIndexes() throws {
    let sample = try SampleRealm()
    let group = try RealmReader(path: sample.path).group
    let run = try QueryRun("Person WHERE name == 'Bob'", in: group, StoredClasses(group))
    #expect(try run.explanation(in: group).first?.hasPrefix("index: ") == true)
  }
}
