// SPDX-License-Identifier: Apache-2.0

// Changes as they are shown.

#if Tools
import Foundation
import RealmFormats
import RealmStorage
import RealmTables
import RealmTestSupport
import RealmTools
import TestExtensions
import Testing

struct WatchTests {
  private func table(_ group: WriteGroup) throws -> (WritableTable, Column) {
    let dogs = try #require(try group.table(named: "class_Dog"))
    return (dogs, try #require(try dogs.table.schema.column(named: "age")))
  }

  private func events(_ watch: ChangeWatch) throws -> [String] {
    var lines: [String] = []
    try watch.advance { lines.append("\($0.kind.rawValue) \($0.key.rawValue) \($0.changed)") }
    return lines
  }

  /// `ChangeWatch` 1
  @Test func commitsInBetweenAreShownTogether() throws {
    let sample = try SampleRealm()
    let writer = try RealmWriter(path: sample.path, creates: false)
    let watch = try ChangeWatch(path: sample.path, key: nil, query: nil)
    #expect(try events(watch).isEmpty)
    for number in 0..<100 {
      _ = try writer.write { group in
        let (dogs, age) = try table(group)
        try dogs.set(.int(Int64(number)), age, ObjectKey(0))
        return true
      }
    }
    _ = try writer.write { try table($0).0.delete(ObjectKey(1)) }
    _ = try writer.write { try table($0).0.createObject() }
    let all = try events(watch)
    expectEqual(all.count, 3)
    expectEqual(all.first, "deleted 1 []")
    expectEqual(all.last, "modified 0 [\"age\"]")
    #expect(try events(watch).isEmpty)
  }

  @Test func objectsComeIntoQueriesAndLeaveThem() throws {
    let sample = try SampleRealm()
    let writer = try RealmWriter(path: sample.path, creates: false)
    let watch = try ChangeWatch(path: sample.path, key: nil, query: "Dog WHERE age > 6")
    for (number, expected) in [
      (6, []), (7, ["inserted 0"]), (8, ["modified 0"]), (1, ["deleted 0"]), (2, []),
    ] as [(Int64, [String])] {
      _ = try writer.write { group in
        let (dogs, age) = try table(group)
        try dogs.set(.int(number), age, ObjectKey(0))
        return true
      }
      try expectEqual(
        events(watch).map { $0.split(separator: " ").prefix(2).joined(separator: " ") },
        expected)
    }
  }

  @Test func eventsAreTextAndJSON() throws {
    let sample = try SampleRealm()
    let writer = try RealmWriter(path: sample.path, creates: false)
    let watch = try ChangeWatch(path: sample.path, key: nil, query: "Dog")
    _ = try writer.write { group in
      let (dogs, age) = try table(group)
      try dogs.set(.int(6), age, ObjectKey(0))
      return true
    }
    var found: [ChangeWatch.Event] = []
    try watch.advance { found.append($0) }
    expectEqual(found.map(\.text), ["~ Dog #0  age: 6"])
    expectEqual(found.first?.json["object"]?["name"], .string("Rex"))
    expectEqual(found.first?.json["properties"], .array([.string("age")]))
  }

  @Test func theFileIsNotChangedByWatching() throws {
    let sample = try SampleRealm()
    let before = try sample.state().0
    _ = try ChangeWatch(path: sample.path, key: nil, query: nil)
    try expectEqual(sample.state().0, before)
    let directory = try TemporaryDirectory()
    #expect(throws: ToolFailure.self) {
      try ChangeWatch(path: directory.file("none"), key: nil, query: nil)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }
}
#endif
