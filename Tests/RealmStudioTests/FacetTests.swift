// SPDX-License-Identifier: Apache-2.0

// How often values occur, and what a damaged class still says.

#if Tools
import Foundation
import RealmFormats
import RealmStorage
import RealmTables
import TestExtensions
import Testing

@testable import RealmStudio

struct FacetTests {
  /// The values of an answer with their numbers, as lines.
  private func lines(_ studio: TestStudio, _ parameters: [String: String]) async throws -> [String]
  {
    let answer = try await studio.get("facet", parameters)
    let values = try #require(answer["values"]?.array)
    return values.map {
      "\(TestStudio.text($0["value"] ?? .null)) \($0["count"]?.integer ?? -1)"
    } + ["of \(answer["distinct"]?.integer ?? -1), others \(answer["others"]?.integer ?? -1)"]
  }

  @Test func theMostFrequentValuesComeFirst() async throws {
    let studio = try await TestStudio()
    try await expectEqual(
      lines(studio, ["class": "Person", "property": "isMember"]),
      ["true 4", "false 4", "of 2, others 0"])
    try await expectEqual(
      lines(studio, ["class": "Person", "property": "extra", "query": "id < 6"]),
      ["a note 2", "42 1", "2 1", "null 1", "of 4, others 0"])
    // Null is a value.
    let ages = try await lines(studio, ["class": "Person", "property": "age"])
    #expect(ages.contains("null 1"))
    try await expectEqual(studio.failure("facet", ["class": "Person", "property": "tags"]).0, 400)
    try await expectEqual(studio.failure("facet", ["class": "Person", "property": "x"]).0, 404)
  }

  @Test func manyValuesAreCutAndCounted() async throws {
    let count = 300
    let studio = try await TestStudio { try SampleFile.makeReadings($0, count: count) }
    let all = try await lines(studio, ["class": "Reading", "property": "index"])
    expectEqual(all.count, StudioDatabase.facetValueCountMax + 1)
    expectEqual(all.first, "0 1")
    expectEqual(all.last, "of \(count), others \(count - StudioDatabase.facetValueCountMax)")
  }

  /// Makes the objects of a class unreadable.
  static func damage(_ name: String, in path: String) throws {
    let file = try DatabaseFile.open(path: path)
    let table = try #require(try TableGroup(file.snapshot()).table(named: "class_\(name)"))
    let url = URL(fileURLWithPath: path)
    var bytes = try Data(contentsOf: url)
    // The cluster says that it is a leaf of numbers.
    for index in 3..<8 { bytes[table.clusterRoot.offset + index] = 0x05 }
    try bytes.write(to: url)
  }

  /// The objects of the other classes, and the edits of a transaction, are there as ever.
  @Test func aDamagedClassIsShownAsDamaged() async throws {
    let studio = try await TestStudio { path in
      try SampleFile.makePeople(path)
      try Self.damage("Dog", in: path)
    }
    let classes = try #require(try await studio.get("schema")["classes"]?.array)
    expectEqual(
      classes.map { $0["count"]?.integer }, [8, 8, nil], "\(classes.map { $0["count"] })")
    let (status, failure) = try await studio.failure("rows", ["class": "Dog"])
    expectEqual(status, 500)
    expectEqual(failure["isDamage"], .bool(true), "\(JSONWriter.text(failure))")
    expectEqual(failure["remedy"]?.string?.contains("realm salvage"), true)
    try await expectEqual(studio.column("name", ["class": "Person"]).count, 8)
    let saved = try #require(try await studio.get("salvageable").array)
    let person = try #require(saved.first { $0["name"]?.string == "Person" })
    expectEqual(person["saved"]?.integer, 8, "\(JSONWriter.text(.array(saved)))")
    let dogs = try #require(saved.first { $0["name"]?.string == "Dog" })
    #expect((dogs["saved"]?.integer ?? -1) >= 0)
  }
}
#endif
