// SPDX-License-Identifier: Apache-2.0

// Filtering, sorting and aggregates of results and lists, against the same in plain Swift.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private final class Sample: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var name = ""
  @Persisted var nickname: String?
  @Persisted var size = 0
  @Persisted var height: Double?
  @Persisted var isOpen = false
  @Persisted var day = Date(timeIntervalSince1970: 0)
  @Persisted(indexed: true) var group = 0
  @Persisted var parent: Sample?
  @Persisted var children: List<Sample>
  @Persisted var numbers: List<Int>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same values outside of the database.
private struct Plain {
  var id: Int
  var name: String
  var nickname: String?
  var size: Int
  var height: Double?
  var isOpen: Bool
  var group: Int
  var parent: Int?
}

struct ResultsQueryTests {
  private let file: TemporaryRealm
  private let realm: Realm
  private let plain: [Plain]

  init() throws {
    file = try TemporaryRealm([Sample.self])
    realm = try file.open()
    var random = SeededGenerator(seed: 97)
    var rows: [Plain] = []
    for id in 0..<700 {
      rows.append(
        Plain(
          id: id, name: "n\(Int.random(in: 0..<90, using: &random))",
          nickname: Bool.random(using: &random) ? nil : "N\(Int.random(in: 0..<9, using: &random))",
          size: Int.random(in: -20...20, using: &random),
          height: Bool.random(using: &random) ? nil : Double.random(in: 0...2, using: &random),
          isOpen: .random(using: &random), group: Int.random(in: 0..<12, using: &random),
          parent: id == 0 || Bool.random(using: &random)
            ? nil : Int.random(in: 0..<id, using: &random)))
    }
    plain = rows
    let realm = realm
    try realm.write {
      var objects: [Sample] = []
      for row in rows {
        let object = Sample()
        object.id = row.id
        object.name = row.name
        object.nickname = row.nickname
        object.size = row.size
        object.height = row.height
        object.isOpen = row.isOpen
        object.day = Date(timeIntervalSince1970: Double(row.size))
        object.group = row.group
        object.numbers.append(objectsIn: [row.size, row.group])
        if let parent = row.parent {
          object.parent = objects[parent]
          objects[parent].children.append(object)
        }
        realm.add(object)
        objects.append(object)
      }
    }
  }

  private func expect(
    _ results: Results<Sample>, _ matches: (Plain) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let expected = plain.filter(matches).map(\.id)
    // Keys of tables with a primary key are handed out in order.
    #expect(results.count == expected.count, sourceLocation: sourceLocation)
    #expect(results.first?.id == expected.first, sourceLocation: sourceLocation)
    #expect(results.map(\.id) == expected, sourceLocation: sourceLocation)
  }

  @Test func conditionsSelectWhatPlainSwiftDoes() {
    let all = realm.objects(Sample.self)
    expect(all.where { $0.size > 3 }) { $0.size > 3 }
    expect(all.where { $0.size.contains(-3..<3) && $0.isOpen }) {
      (-3..<3).contains($0.size) && $0.isOpen
    }
    expect(all.where { !$0.isOpen || $0.name == "n7" }) { !$0.isOpen || $0.name == "n7" }
    expect(all.where { $0.height == nil }) { $0.height == nil }
    expect(all.where { $0.height != 1 }) { $0.height != 1 }
    expect(all.where { $0.height <= 1 }) { $0.height.map { $0 <= 1 } ?? false }
    expect(all.where { $0.name.starts(with: "n1") }) { $0.name.hasPrefix("n1") }
    expect(all.where { $0.name.ends(with: "5") }) { $0.name.hasSuffix("5") }
    expect(all.where { $0.nickname.contains("n", options: .caseInsensitive) }) {
      $0.nickname != nil
    }
    expect(all.where { $0.group == 5 }) { $0.group == 5 }
    expect(all.where { $0.group.in([1, 4]) && $0.size < 0 }) {
      [1, 4].contains($0.group) && $0.size < 0
    }
    expect(all.where { $0.id == 300 }) { $0.id == 300 }
    expect(all.where { $0.size == $0.group }) { $0.size == $0.group }
    expect(all.where { $0.day > Date(timeIntervalSince1970: 2) }) { $0.size > 2 }
    expect(all.where { $0.parent == nil }) { $0.parent == nil }
    expect(all.where { $0.parent.size > 10 }) { $0.parent.map { plain[$0].size > 10 } ?? false }
    expect(all.where { $0.numbers.contains(7) }) { $0.size == 7 || $0.group == 7 }
    expect(all.where { $0.children.count >= 2 }) { row in
      plain.filter { $0.parent == row.id }.count >= 2
    }
    expect(all.where { $0.children.size > 15 }) { row in
      plain.contains { $0.parent == row.id && $0.size > 15 }
    }
    expect(all.where { $0.size > 0 }.where { $0.size < 5 }) { (1..<5).contains($0.size) }
  }

  @Test func severalBoundsOfOnePropertyActTogether() {
    let all = realm.objects(Sample.self)
    for low in [-21, -20, -3, 20, 21] {
      for high in [-21, -4, -3, 0, 21] {
        expect(all.where { $0.size >= low && $0.size < high }) { $0.size >= low && $0.size < high }
        expect(all.where { $0.size > low && $0.isOpen && $0.size <= high && $0.size != 1 }) {
          $0.size > low && $0.isOpen && $0.size <= high && $0.size != 1
        }
        expect(all.where { $0.size >= low && $0.size < high || $0.size == 7 }) {
          $0.size >= low && $0.size < high || $0.size == 7
        }
      }
    }
  }

  @Test func objectsAreComparedByIdentity() throws {
    let all = realm.objects(Sample.self)
    let first = try #require(all.first)
    expect(all.where { $0.parent == first }) { $0.parent == first.id }
    expect(all.where { $0.parent == Sample() }) { _ in false }
    expect(all.where { $0.parent != Sample() }) { _ in true }
  }

  @Test func sortingIsStableAndPutsNilFirst() {
    let all = realm.objects(Sample.self)
    let byHeight = plain.sorted {
      ($0.height ?? -1, $0.id) < ($1.height ?? -1, $1.id)
    }
    expectEqual(all.sorted(byKeyPath: "height").map(\.id), byHeight.map(\.id))
    let byGroupThenName = plain.sorted {
      ($0.group, $1.name, $0.id) < ($1.group, $0.name, $1.id)
    }
    expectEqual(
      all.sorted(by: ["group", SortDescriptor(keyPath: \Sample.name, ascending: false)]).map(\.id),
      byGroupThenName.map(\.id))
    expectEqual(
      all.sorted(by: \.name, ascending: false).sorted(by: \.group).map(\.id),
      byGroupThenName.map(\.id))
    let byParent = plain.sorted { left, right in
      (left.parent.map { plain[$0].size } ?? 100, left.id)
        < (right.parent.map { plain[$0].size } ?? 100, right.id)
    }
    expectEqual(all.sorted(byKeyPath: "parent.size").map(\.id), byParent.map(\.id))
    expectEqual(
      all.where { $0.isOpen }.sorted(byKeyPath: "size").map(\.id),
      plain.filter(\.isOpen).sorted { ($0.size, $0.id) < ($1.size, $1.id) }.map(\.id))
  }

  @Test func aggregatesLeaveNilOut() {
    let all = realm.objects(Sample.self)
    let heights = plain.compactMap(\.height)
    expectEqual(all.sum(of: \.size), plain.map(\.size).reduce(0, +))
    expectEqual(all.min(of: \.size), plain.map(\.size).min())
    expectEqual(all.max(ofProperty: "size"), plain.map(\.size).max())
    expectTrue(all.min(of: \.height) == heights.min())
    expectTrue(all.max(of: \.height) == heights.max())
    let mean = heights.reduce(0, +) / Double(heights.count)
    let meanHeight: Double? = all.average(ofProperty: "height")
    expectTrue(abs((meanHeight ?? 0) - mean) < 1e-9)
    let average: Double? = all.average(ofProperty: "size")
    expectTrue(abs((average ?? 99) - Double(plain.map(\.size).reduce(0, +)) / 700) < 1e-9)
    expectEqual(
      all.max(of: \.day), Date(timeIntervalSince1970: Double(plain.map(\.size).max() ?? 0)))
    let none = all.where { $0.size > 1_000 }
    expectEqual(none.sum(of: \.size), 0)
    expectEqual(none.min(of: \.size), nil)
    expectEqual(none.average(of: \.height), nil)
    expectEqual(
      all.where { $0.isOpen }.sum(of: \.size), plain.filter(\.isOpen).map(\.size).reduce(0, +))
  }

  @Test func listsAreFilteredSortedAndFolded() throws {
    let all = realm.objects(Sample.self)
    let parent = try #require(all.where { $0.children.count >= 3 }.first)
    let children = plain.filter { $0.parent == parent.id }
    expectEqual(
      parent.children.where { $0.size > 0 }.map(\.id), children.filter { $0.size > 0 }.map(\.id))
    expectEqual(
      parent.children.sorted(byKeyPath: "size", ascending: false).map(\.id),
      children.sorted { ($1.size, $0.id) < ($0.size, $1.id) }.map(\.id))
    expectEqual(parent.children.sum(of: \.size), children.map(\.size).reduce(0, +))
    expectEqual(parent.numbers.sum(), parent.size + parent.group)
    expectEqual(parent.numbers.max(), max(parent.size, parent.group))
    expectEqual(Array(parent.numbers.sorted()), [parent.size, parent.group].sorted())
  }

  @Test func resultsFollowTheOpenTransaction() throws {
    let open = realm.objects(Sample.self).where { $0.size == 1_000 }
    expectTrue(open.isEmpty)
    realm.beginWrite()
    realm.create(Sample.self, value: ["id": 9_000, "size": 1_000])
    expectEqual(open.count, 1)
    expectEqual(open.first?.id, 9_000)
    realm.delete(open)
    expectEqual(open.count, 0)
    realm.cancelWrite()
  }

  @Test func queriesThatDoNotFitTellWhy() async throws {
    let unknown = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let realm = try TemporaryRealm([Sample.self]).open()
      _ = realm.objects(Sample.self).sorted(byKeyPath: "nothing").count
    }
    #expect(
      String(decoding: unknown.standardErrorContent, as: UTF8.self).contains(
        "Cannot sort on key path 'nothing': property 'Sample.nothing' does not exist."))
    let unsupported = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let realm = try TemporaryRealm([Sample.self]).open()
      let _: Int = realm.objects(Sample.self).sum(ofProperty: "name")
    }
    #expect(
      String(decoding: unsupported.standardErrorContent, as: UTF8.self).contains(
        "sum is not supported for string property 'Sample.name'"))
  }
}
