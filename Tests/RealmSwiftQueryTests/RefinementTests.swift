// SPDX-License-Identifier: Apache-2.0

// Filters, orders, `distinct` and cuts one after the other, against the same on arrays.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private final class Piece: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var name = ""
  @Persisted var size: Int?
  @Persisted var weight = 0.0
  @Persisted var box: Box?
  @Persisted var marks: List<Int>
  @Persisted var prices: Map<String, Int>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Box: Object {
  @Persisted var color: String?
  @Persisted var pieces: List<Piece>
  @Persisted var numbers: List<Int>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What sorting compares: nil comes first, what no link leads to last.
private enum Key: Comparable {
  case null
  case number(Double)
  case text(String)
  case missing
}

/// A piece outside of the database.
private struct Plain {
  let id: Int
  let keys: [String: Key]

  init(_ piece: Piece) {
    id = piece.id
    let marks = Array(piece.marks)
    func number(_ value: Int?) -> Key { value.map { .number(Double($0)) } ?? .null }
    keys = [
      "name": .text(piece.name), "size": number(piece.size), "weight": .number(piece.weight),
      "box.color": piece.box.map { $0.color.map { .text($0) } ?? .null } ?? .missing,
      "marks.@count": number(marks.count), "marks.@sum": number(marks.reduce(0, +)),
      "marks.@min": number(marks.min()), "marks.@max": number(marks.max()),
      "marks.@avg": marks.isEmpty
        ? .null : .number(Double(marks.reduce(0, +)) / Double(marks.count)),
      "prices[a]": number(piece.prices["a"] ?? nil),
      "box.pieces.@count": piece.box.map { number($0.pieces.count) } ?? .null,
      "box.pieces.@min.weight": piece.box?.pieces.map(\.weight).min().map { .number($0) } ?? .null,
    ]
  }
}

struct RefinementTests {
  private let file: TemporaryRealm
  private let realm: Realm

  init() throws {
    file = try TemporaryRealm([Piece.self, Box.self])
    realm = try file.open()
    var random = SeededGenerator(seed: 5)
    let realm = realm
    try realm.write {
      let boxes = (0..<7).map { index in
        realm.create(Box.self, value: ["color": index == 0 ? nil : "color \(index % 4)"])
      }
      for id in 0..<150 {
        let piece = realm.create(Piece.self, value: ["id": id])
        piece.name = "n\(Int.random(in: 0..<20, using: &random))"
        piece.size = random.chance(0.2) ? nil : Int.random(in: -4...4, using: &random)
        piece.weight = Double(Int.random(in: 0..<12, using: &random)) / 4
        if random.chance(0.8) { piece.box = boxes.randomElement(using: &random) }
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
          piece.marks.append(Int.random(in: -3...3, using: &random))
        }
        if random.chance(0.6) { piece.prices["a"] = Int.random(in: 0..<5, using: &random) }
        for _ in 0..<Int.random(in: 0..<3, using: &random) {
          boxes.randomElement(using: &random)?.pieces.append(piece)
        }
      }
      boxes[1].numbers.append(
        objectsIn: (0..<40).map { _ in Int.random(in: 0..<9, using: &random) })
    }
  }

  /// Takes one random step with both.
  private func step(
    _ results: Results<Piece>, _ plain: [Plain], _ random: inout SeededGenerator
  ) -> (Results<Piece>, [Plain], String) {
    func key(_ random: inout SeededGenerator) -> String {
      plain.first?.keys.keys.sorted().randomElement(using: &random) ?? "name"
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      let least = Double(Int.random(in: 0..<4, using: &random)) / 4
      return (
        results.where { $0.weight >= least },
        plain.filter { $0.keys["weight", default: .null] >= .number(least) }, "filter \(least)"
      )
    case 1, 2:
      let descriptors = (0..<Int.random(in: 1...2, using: &random)).map { _ in
        SortDescriptor(keyPath: key(&random), ascending: random.chance(0.6))
      }
      let sorted = plain.indices.sorted { left, right in
        for descriptor in descriptors {
          let first = plain[left].keys[descriptor.keyPath, default: .null]
          let second = plain[right].keys[descriptor.keyPath, default: .null]
          if first != second { return descriptor.ascending ? first < second : first > second }
        }
        return left < right
      }
      return (results.sorted(by: descriptors), sorted.map { plain[$0] }, "\(descriptors)")
    case 3:
      let paths = (0..<Int.random(in: 1...2, using: &random)).map { _ in key(&random) }
      var seen: [[Key]] = []
      let firsts = plain.filter { piece in
        let values = paths.map { piece.keys[$0, default: .null] }
        if values.contains(.missing) { return false }
        if seen.contains(values) { return false }
        seen.append(values)
        return true
      }
      return (results.distinct(by: paths), firsts, "distinct \(paths)")
    case 4:
      let count = Int.random(in: 0...plain.count + 3, using: &random)
      return (results.limit(count), Array(plain.prefix(count)), "limit \(count)")
    default:
      let count = Int.random(in: 0...4, using: &random)
      return (results.offset(count), Array(plain.dropFirst(count)), "offset \(count)")
    }
  }

  @Test(.heavy, arguments: RandomRuns.seeds(40)) func stepsApplyInTheirSequence(seed: UInt64) throws
  {
    var random = SeededGenerator(seed: seed)
    let box = try #require(realm.objects(Box.self).max { $0.pieces.count < $1.pieces.count })
    let sources = [
      realm.objects(Piece.self), box.pieces.where { $0.id >= 0 },
    ]
    for source in sources {
      var (results, plain) = (source, Array(source.map(Plain.init)))
      var steps: [String] = []
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        let (next, expected, name) = step(results, plain, &random)
        steps.append(name)
        (results, plain) = (next, expected)
        expectEqual(results.first?.id, plain.first?.id, "\(steps)")
        expectEqual(results.count, plain.count, "\(steps)")
        expectEqual(results.map(\.id), plain.map(\.id), "\(steps)")
        expectEqual(results.freeze().map(\.id), plain.map(\.id), "\(steps)")
        expectEqual(results.sum(ofProperty: "id"), plain.map(\.id).reduce(0, +), "\(steps)")
      }
    }
  }

  @Test func stringsAskForTheSame() {
    let all = realm.objects(Piece.self)
    func expect(
      _ format: String, _ args: Any..., equals results: Results<Piece>,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let found = all.filter(NSPredicate(format: format, argumentArray: args))
      #expect(found.map(\.id) == results.map(\.id), sourceLocation: sourceLocation)
    }
    let heavy = all.where { $0.weight > 1 }
    expect(
      "weight > 1 SORT(name ASC) DISTINCT(name)",
      equals: heavy.sorted(byKeyPath: "name").distinct(by: ["name"]))
    expect(
      "weight > 1 DISTINCT(name) SORT(name DESC)",
      equals: heavy.distinct(by: ["name"]).sorted(byKeyPath: "name", ascending: false))
    expect(
      "weight > 1 DISTINCT(name, box.color) OFFSET(2) LIMIT(%@)", 7,
      equals: heavy.distinct(by: ["name", "box.color"]).offset(2).limit(7))
    expect("TRUEPREDICATE LIMIT(3) LIMIT(5)", equals: all.limit(3))
    expect(
      "weight > 1 SORT(marks.@count DESC, prices['a'] ASC)",
      equals: heavy.sorted(by: [
        SortDescriptor(keyPath: "marks.@count", ascending: false), "prices[a]",
      ]))
    let few = Array(all.filter("weight > 1 LIMIT(5)").where { $0.size > 0 }.map(\.id))
    let expected = Array(heavy).prefix(5).filter { ($0.size ?? 0) > 0 }.map(\.id)
    expectEqual(few, expected)
    let byKeyPath = Array(all.distinct(by: [\Piece.name]))
    expectEqual(byKeyPath, Array(all.distinct(by: ["name"])))
  }

  @Test func valuesAreRefinedLikeObjects() throws {
    let box = try #require(realm.objects(Box.self).first { $0.numbers.count > 0 })
    let numbers = Array(box.numbers)
    var seen: Set<Int> = []
    let firsts = numbers.filter { seen.insert($0).inserted }
    expectEqual(Array(box.numbers.distinct()), firsts)
    expectEqual(Array(box.numbers.distinct().sorted(ascending: false)), firsts.sorted(by: >))
    expectEqual(Array(box.numbers.sorted().limit(3)), Array(numbers.sorted().prefix(3)))
    expectEqual(Array(box.numbers.offset(30)), Array(numbers.dropFirst(30)))
    expectEqual(Array(box.numbers.where { $0 > 3 }), numbers.filter { $0 > 3 })
    expectEqual(
      Array(box.numbers.where { $0 > 3 && !$0.in([5, 6]) }.sorted()),
      numbers.filter { $0 > 3 && ![5, 6].contains($0) }.sorted())
    expectEqual(
      Array(box.numbers.filter("self > 3 AND NOT SELF IN %@", [5, 6])),
      numbers.filter { $0 > 3 && ![5, 6].contains($0) })
    expectEqual(
      Array(box.numbers.filter("self BETWEEN {2, 5} SORT(self DESC) DISTINCT(self) LIMIT(2)")),
      Array(Set(numbers.filter { (2...5).contains($0) }).sorted(by: >).prefix(2)))
    expectEqual(box.numbers.where { $0 > 3 }.sum(), numbers.filter { $0 > 3 }.reduce(0, +))
  }

  @Test(arguments: [
    ("marks", "property 'Piece.marks' is of unsupported type 'list<int>'"),
    ("box", "property 'Piece.box' of type 'object' cannot be the final property in the key path"),
    ("box.nothing", "property 'Box.nothing' does not exist"),
    ("marks.@first", "the operator '@first' is not supported"),
  ])
  func whatCannotBeComparedIsRefused(keyPath: String, reason: String) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [keyPath] in
      let realm = try TemporaryRealm([Piece.self, Box.self]).open()
      _ = realm.objects(Piece.self).distinct(by: [keyPath]).count
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(output.contains("Cannot sort on key path '\(keyPath)': \(reason)."), "\(output)")
  }
}
