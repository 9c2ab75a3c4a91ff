// SPDX-License-Identifier: Apache-2.0

// Classes, windows, objects and charts.

#if Tools
import Dispatch
import RealmFormats
import RealmPages
import RealmStorage
import RealmTables
import TestExtensions
import Testing

@testable import RealmStudio

struct ReadingTests {
  @Test func theSchemaHasClassesWithCountsAndProperties() async throws {
    let studio = try await TestStudio()
    let classes = try #require(try await studio.get("schema")["classes"]?.array)
    expectEqual(classes.map { $0["name"]?.string }, ["Address", "Person", "Dog"])
    expectEqual(classes.map { $0["count"]?.integer }, [8, 8, 3])
    expectEqual(classes.map { $0["isEmbedded"]?.bool }, [true, false, false])
    expectEqual(classes[1]["primaryKey"]?.string, "id")
    let properties = try #require(classes[1]["properties"]?.array)
    let friends = try #require(properties.first { $0["name"]?.string == "friends" })
    expectEqual(friends["collection"]?.string, "list")
    expectEqual(friends["target"]?.string, "Person")
    expectEqual(friends["type"]?.string, "link")
  }

  @Test func theFiguresOfAFileNameWhoKeepsOldVersions() async throws {
    let studio = try await TestStudio()
    let file = try DatabaseFile.open(path: studio.path)
    let old = try file.snapshot()
    let hold = VersionHold(old, by: .freezing)
    for _ in 0..<3 {
      let write = try WriteGroup(file.beginWrite())
      _ = try #require(try write.table(named: "class_Dog")).createObject()
      _ = try write.commit()
    }
    let answer = try await studio.get("statistics")
    let bytes = try ["bytes", "usedBytes", "freeBytes", "pinnedBytes"].map {
      try #require(answer[$0]?.integer)
    }
    expectTrue(bytes[0] >= bytes[1] + bytes[2] + bytes[3])
    expectTrue(bytes[3] > 0)
    let version = try #require(
      answer["pinnedVersions"]?.array?.first { $0["version"]?.integer == Int64(old.version) })
    expectEqual(version["newerVersions"]?.integer, 3)
    expectEqual(version["holders"]?.array?.first?["call"]?.string, "freeze()")
    expectTrue(hold != nil)
  }

  /// `StudioDatabase` 3
  @Test func aFileIsUsedOnItsOwnQueue() async throws {
    let database = try await TestStudio().database
    database.queue.queue.setSpecific(key: StudioDatabase.mark, value: 7)
    await expectEqual(database.foundMark, 7)
    expectEqual(DispatchQueue.getSpecific(key: StudioDatabase.mark), nil)
  }

  @Test func windowsArePiecesOfTheWhole() async throws {
    let studio = try await TestStudio { try SampleFile.makePeople($0, count: 50) }
    let whole = try await studio.column("id", ["class": "Person", "count": "50"])
    expectEqual(whole, (1...50).map(String.init))
    for start in [0, 1, 17, 48, 50, 60] {
      let piece = try await studio.column(
        "id", ["class": "Person", "start": "\(start)", "count": "9"])
      expectEqual(piece, Array(whole.dropFirst(start).prefix(9)))
    }
  }

  @Test func columnsAreSortedBothWays() async throws {
    let studio = try await TestStudio()
    let names = try await studio.column("name", ["class": "Person", "sort": "name"])
    expectEqual(names, SampleFile.names)
    let ages = try await studio.column(
      "age", ["class": "Person", "sort": "age", "descending": "true"])
    expectEqual(ages, ["55", "50", "45", "40", "30", "25", "20", "null"])
  }

  @Test func queriesFilterSortAndCut() async throws {
    let studio = try await TestStudio()
    let query = "age > 25 AND friends.@count > 0 SORT(age DESC) LIMIT(3)"
    let names = try await studio.column("name", ["class": "Person", "query": query])
    expectEqual(names, ["Hugo", "Gita", "Finn"])
    let byLink = try await studio.column("name", ["class": "Dog", "query": "owner.name == 'Bela'"])
    expectEqual(byLink, ["Fido"])
    let byObject = try await studio.column(
      "name", ["class": "Dog", "query": "owner == obj('Person', 1)"])
    expectEqual(byObject, ["Rex"])
    let byDecimal = try await studio.column(
      "id", ["class": "Person", "query": "balance > 49.99999999999999999999"])
    expectEqual(byDecimal, ["6", "7", "8"])
  }

  /// A fraction in a condition is the number that the property can hold.
  @Test func fractionsMeetFloatProperties() async throws {
    let studio = try await TestStudio { path in
      try SampleFile.makePeople(path)
      try SampleFile.write(path) { group in
        let dog = try #require(try group.table(named: "class_Dog"))
        for weight in [0.1, 19.99] as [Float] {
          let key = try dog.createObject().key
          try dog.set(.float(weight), dog.named("weight"), key)
          try dog.set(.string("\(weight)"), dog.named("name"), key)
        }
      }
    }
    for (query, names) in [
      ("weight == 0.1", ["0.1"]), ("weight == 19.99", ["19.99"]), ("weight <= 0.1", ["0.1"]),
      ("weight IN {0.1, 19.99}", ["0.1", "19.99"]), ("weight BETWEEN {0.1, 0.1}", ["0.1"]),
      ("weight >= 19.99 AND weight <= 19.99", ["19.99"]), ("weight < 0.1", []),
    ] {
      let found = try await studio.column("name", ["class": "Dog", "query": query])
      expectEqual(found, names, "\(query)")
    }
  }

  @Test(arguments: [
    ("age >", 6), ("age > > 3", 7), ("nme == 'x'", 1), ("name == 'Ada' AND agee < 3", 19),
    ("name == 'é' AND ==", 17),
  ])
  func mistakesNameTheirColumn(_ query: String, _ column: Int) async throws {
    let studio = try await TestStudio()
    let (status, json) = try await studio.failure("rows", ["class": "Person", "query": query])
    expectEqual(status, 400)
    expectEqual(json["column"]?.integer, Int64(column), "\(JSONWriter.text(json))")
    expectEqual(json["error"]?.string?.isEmpty, false)
  }

  @Test func thePositionOfAnObjectIsFoundInEveryOrder() async throws {
    let studio = try await TestStudio()
    let key = try await studio.key(of: "Finn")
    for (parameters, position) in [
      (["class": "Person"], 5),
      (["class": "Person", "sort": "name", "descending": "true"], 2),
      (["class": "Person", "query": "age >= 40"], 1),
    ] {
      let found = try await studio.get(
        "position", parameters.merging(["key": key]) { first, _ in first })
      expectEqual(found["position"]?.integer, Int64(position))
    }
    let absent = try await studio.get(
      "position", ["class": "Person", "query": "age < 30", "key": key])
    expectEqual(absent["position"], .null)
  }

  @Test func anObjectHasItsCollectionsLinksAndBacklinks() async throws {
    let studio = try await TestStudio()
    let key = try await studio.key(of: "Cleo")
    let friends = try await studio.value("friends", of: key)
    expectEqual(friends["n"]?.integer, 2)
    expectEqual(friends["v"]?.array?.map { $0["v"]?.string }, ["Ada", "Bela"])
    try await expectEqual(studio.value("friend", of: key)["class"]?.string, "Person")
    try await expectEqual(studio.value("home", of: key)["class"]?.string, "Address")
    let extra = try await studio.value("extra", of: key)
    #expect(JSONWriter.text(extra).contains(#"{"t":"int","v":"1"}"#))
    #expect(JSONWriter.text(extra).contains(#"["a",{"t":"bool","v":"true"}]"#))
    let first = try await studio.key(of: "Ada")
    let ada = try await studio.get("object", ["class": "Person", "key": first])
    let backlinks = try #require(ada["backlinks"]?.array)
    let owner = try #require(backlinks.first { $0["class"]?.string == "Dog" })
    expectEqual(owner["property"]?.string, "owner")
    expectEqual(owner["v"]?.array?.first?["v"]?.string, "Rex")
    let friend = try #require(backlinks.first { $0["property"]?.string == "friend" })
    expectEqual(friend["n"]?.integer, 7)
  }

  @Test func longCollectionsArriveInPieces() async throws {
    let studio = try await TestStudio { path in
      try SampleFile.makePeople(path)
      try SampleFile.write(path) { group in
        let table = try #require(try group.table(named: "class_Person"))
        let key = try #require(try table.findRow(primaryKey: 1)?.key)
        try table.set(.list((0..<250).map { .string("\($0)") }), table.named("tags"), key)
      }
    }
    let key = try await studio.key(of: "Ada")
    let first = try await studio.value("tags", of: key)
    expectEqual(first["n"]?.integer, 250)
    expectEqual(first["v"]?.array?.count, 100)
    let last = try await studio.get(
      "elements", ["class": "Person", "key": key, "property": "tags", "start": "200"])
    expectEqual(last["v"]?.array?.count, 50)
    expectEqual(last["v"]?.array?.first, tagged("string", "200"))
  }

  /// `StudioDatabase` 2.
  @Test func commitsBringKeptResultsUpToDate() async throws {
    let studio = try await TestStudio()
    let query = ["class": "Person", "query": "age > 30", "sort": "age"]
    let before = try await studio.column("name", query)
    expectEqual(before, ["Emil", "Finn", "Gita", "Hugo"])
    try SampleFile.write(studio.path) { group in
      let table = try #require(try group.table(named: "class_Person"))
      let key = try #require(try table.findRow(primaryKey: 1)?.key)
      try table.set(.int(43), table.named("age"), key)
    }
    await studio.database.advance()
    try await expectEqual(studio.column("name", query), ["Emil", "Ada", "Finn", "Gita", "Hugo"])
  }

  @Test func aChartCountsTheValuesOfAQuery() async throws {
    let studio = try await TestStudio()
    let chart = try await studio.get(
      "histogram", ["class": "Person", "property": "age", "bins": "4"])
    expectEqual(chart["counts"]?.array, [2, 1, 2, 2].map { .integer($0) })
    expectEqual(chart["nulls"]?.integer, 1)
    let part = try await studio.get(
      "histogram", ["class": "Person", "property": "born", "query": "age > 40", "bins": "2"])
    expectEqual(part["counts"]?.array, [1, 2].map { .integer($0) })
    let (status, _) = try await studio.failure(
      "histogram", ["class": "Person", "property": "name"])
    expectEqual(status, 400)
  }
}

extension StudioDatabase {
  fileprivate static let mark = DispatchSpecificKey<Int>()

  /// The mark of the queue that runs what is asked of the file.
  fileprivate var foundMark: Int? { DispatchQueue.getSpecific(key: Self.mark) }
}
#endif
