// SPDX-License-Identifier: Apache-2.0

// Queries as the command line takes them.

#if Tools
import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables
import RealmTestSupport
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
    let ages = try QueryAggregates([], by: "age", of: keys, run.schema, in: classes).groups
    expectEqual(ages.map(\.count).reduce(0, +), 47)
    expectEqual(ages[0].text, "0")
    expectEqual(ages.first { $0.text == "5" }?.count, 3)
    expectTrue(ages.last?.text == nil)
    expectEqual(ages.last?.count, 1)
    let owners = try QueryAggregates([], by: "owner", of: keys, run.schema, in: classes).groups
    expectEqual(owners.map(\.text), [nil, "7"])
    #expect(throws: ToolFailure.self) {
      try QueryAggregates([], by: "none", of: keys, run.schema, in: classes)
    }
  }

  /// A fraction in a condition is the number that the property can hold.
  @Test(arguments: [
    ("value == 0.1", 1), ("value != 0.1", 2), ("value >= 19.99", 2), ("value > 19.99", 1),
    ("value IN {0.1, 19.99}", 2), ("value BETWEEN {0.1, 19.99}", 2),
    ("ANY values == 19.99", 1), ("NONE values == 0.1", 2), ("values.@max >= 19.99", 2),
  ])
  func fractionsMeetFloatProperties(_ condition: String, _ count: Int) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("floats.realm")
    _ = try RealmWriter(path: path, key: nil, creates: true).write { group in
      let gauges = try group.createTable(named: "class_Gauge")
      let value = try gauges.addColumn(named: "value", type: .float)
      let values = try gauges.addColumn(named: "values", type: .float, collection: .list)
      for number in [0.1, 19.99, 20.5] as [Float] {
        let key = try gauges.createObject().key
        try gauges.set(.float(number), value, key)
        try gauges.set(.list([.float(number)]), values, key)
      }
    }
    let run = try QueryRun("Gauge WHERE \(condition)", in: RealmReader(path: path).classes())
    expectEqual(try run.keys().count, count)
  }

  /// Aggregates of the sample's dogs and of 45 others.
  @Test(
    arguments: [
      ("Dog", nil, [("sum", "age"), ("avg", "age")], [["395", "\(395.0 / 46)"]]),
      ("Dog", nil, [("min", "weight"), ("max", "weight")], [["0.0", "31.5"]]),
      (
        "Dog WHERE age == nil", nil, [("sum", "age"), ("avg", "age"), ("min", "age")],
        [["0", nil, nil]]
      ),
      ("Dog WHERE name == 'none'", nil, [("sum", "weight")], [["0"]]),
      (
        "Dog WHERE age > 17", "age", [("max", "weight")],
        [["18", "2", "9.5"], ["19", "2", "9.75"]]
      ),
      ("Dog WHERE age == 5", "owner", [("sum", "age")], [[nil, "2", "10"], ["7", "1", "5"]]),
      ("Dog WHERE name == 'none'", "age", [("sum", "weight")], []),
      (
        "Person", nil, [("min", "born"), ("max", "born"), ("max", "id")],
        [["1970-01-02T00:00:00.25Z", "1970-01-02T00:00:00.25Z", "8"]]
      ),
    ] as [(String, String?, [(String, String)], [[String?]])])
  func numbersAreAggregated(
    _ query: String, _ property: String?, _ terms: [(String, String)], _ expected: [[String?]]
  ) throws {
    let sample = try SampleRealm(dogCount: 45)
    let classes = try RealmReader(path: sample.path).classes()
    let run = try QueryRun(query, in: classes)
    let aggregates = try QueryAggregates(
      try terms.map { .init(try #require(.init(rawValue: $0.0)), of: $0.1) }, by: property,
      of: try run.keys(), run.schema, in: classes)
    expectEqual(aggregates.groups.map { aggregates.row($0) }, expected)
    expectEqual(
      aggregates.header,
      (property.map { [$0, "count"] } ?? []) + terms.map { "\($0.0)(\($0.1))" })
  }

  @Test func aggregatesAreJSONToo() throws {
    let sample = try SampleRealm()
    let classes = try RealmReader(path: sample.path).classes()
    let run = try QueryRun("Dog", in: classes)
    let aggregates = try QueryAggregates(
      [.init(.sum, of: "weight"), .init(.avg, of: "age")], by: "name", of: try run.keys(),
      run.schema, in: classes)
    expectEqual(
      aggregates.groups.map { JSONWriter.text(aggregates.json($0)) },
      [
        #"{"name":"Fido","count":1,"sum(weight)":0.0,"avg(age)":null}"#,
        #"{"name":"Rex","count":1,"sum(weight)":31.5,"avg(age)":5.0}"#,
      ])
  }

  @Test(arguments: [
    ("sum", "name"), ("avg", "owner"), ("min", "tags"), ("max", "scores"), ("sum", "none"),
    ("min", "name"),
  ])
  func whatHasNoNumbersIsNotAggregated(_ function: String, _ property: String) throws {
    let sample = try SampleRealm()
    let classes = try RealmReader(path: sample.path).classes()
    let run = try QueryRun("Dog", in: classes)
    let error = #expect(throws: ToolFailure.self) {
      try QueryAggregates(
        [.init(try #require(.init(rawValue: function)), of: property)], by: nil,
        of: try run.keys(), run.schema, in: classes)
    }
    expectEqual(error?.status, .usage)
    expectEqual(error?.message.contains("'Dog"), true, "\(error?.message ?? "")")
  }

  /// Classes with other characters in their names, quoted or not.
  @Test func namesOfClassesMayHaveSpaces() throws {
    let sample = try SampleRealm()
    let writer = try RealmWriter(path: sample.path, creates: false)
    _ = try writer.write { group in
      for name in ["My Dog", "My Dog WHERE", "a-b", "My"] {
        let table = try group.createTable(named: "class_" + name)
        let age = try table.addColumn(named: "age", type: .int)
        try table.set(.int(Int64(name.count)), age, table.createObject().key)
      }
      return true
    }
    let classes = try RealmReader(path: sample.path).classes()
    for (query, age) in [
      ("My Dog", 6), ("`My Dog`", 6), ("My Dog WHERE age == 6", 6), ("My Dog SORT(age ASC)", 6),
      ("`My Dog` WHERE age > 0 LIMIT(1)", 6), ("a-b", 3), ("a-b WHERE age == 3", 3), ("My", 2),
      ("My WHERE age == 2", 2), ("`My Dog WHERE`", 12),
    ] {
      let run = try QueryRun(query, in: classes)
      let output = try QueryOutput(run.schema, in: classes, columns: ["age"])
      try expectEqual(run.keys().map { try output.row(of: $0) }, [["\(age)"]], "\(query)")
    }
    let session = try ShellSession(path: sample.path, key: nil)
    for (line, expected) in [
      (#"INSERT My Dog {"age": 1}"#, "inserted #1"),
      (#"INSERT INTO `My Dog` {"age": 2}"#, "inserted #2"),
      (#"UPDATE My Dog SET {"age": 7} WHERE age == 1"#, "1 changed"),
      (#"UPDATE `My Dog` SET {"age": 8} WHERE age == 7"#, "1 changed"),
      ("DELETE FROM My Dog WHERE age == 8", "1 deleted"),
      ("DELETE `My Dog` WHERE age == 2", "1 deleted"),
    ] {
      guard case .message(let text) = try session.run(line) else {
        Issue.record("\(line) gives no message")
        continue
      }
      expectEqual(text, expected, "\(line)")
    }
    guard case .message(let code) = try session.run(".schema `My Dog`") else { return }
    expectTrue(code.contains("My Dog"), "\(code)")
    expectEqual(session.completions(of: "My"), ["My", "My Dog", "My Dog WHERE"])
    expectEqual(session.completions(of: "`My"), ["My Dog WHERE`", "My Dog`", "My`"])
  }

  /// Words of SQL get a word of ours, and its order of LIMIT and OFFSET too.
  @Test(arguments: [
    ("Dog LIMIT(1) OFFSET(1)", "OFFSET(20) LIMIT(10)"),
    ("Dog WHERE age > 3 SORT(age ASC) LIMIT(1) offset (1)", "OFFSET(20) LIMIT(10)"),
    ("Dog LIMIT 5", "OFFSET(20) LIMIT(10)"),
    ("Dog WHERE age > 3 LIMIT 5 OFFSET 2", "in parentheses"),
    ("Dog ORDER BY age", "SORT(age DESC"), ("Dog WHERE age > 3 ORDER BY age DESC", "SORT(age DESC"),
    ("Dog GROUP BY age", "--count-by"),
  ])
  func wordsOfSQLAreExplained(_ query: String, _ expected: String) throws {
    let sample = try SampleRealm()
    let error = #expect(throws: ToolFailure.self) { try names(query, sample) }
    expectEqual(error?.status, .usage)
    expectEqual(error?.message.contains(expected), true, "\(error?.message ?? "")")
  }

  @Test func textsAreNoWordsOfSQL() throws {
    let sample = try SampleRealm()
    try expectEqual(names("Dog OFFSET(1) LIMIT(1)", sample), ["Fido"])
    try expectEqual(names("Dog WHERE name != 'LIMIT(1) OFFSET(1)' LIMIT(1)", sample), ["Rex"])
    try expectEqual(names(#"Dog WHERE name != "a\"LIMIT(" OFFSET(1)"#, sample), ["Fido"])
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
    ("dog", "Did you mean 'Dog'?"), ("Dgo", "Did you mean 'Dog'?"),
    ("Dog WHERE agee > 3", "'Dog'. Did you mean 'age'?\n  Dog WHERE agee > 3\n            ^"),
    ("Dog WHERE age > 'x'", "without quotes. Documentation/QueryLanguage.md has all literals."),
    ("Dog WHERE", "no condition after WHERE"),
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
#endif
