// SPDX-License-Identifier: Apache-2.0

// Many objects added in one transaction, read while it runs and after.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

class PlainItem: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var count: Int
  @Persisted var limit: Int?
  @Persisted var isOn: Bool
  @Persisted var isKnown: Bool?
  @Persisted var weight: Double
  @Persisted var height: Double?
  @Persisted var name: String
  @Persisted var note: String?
  @Persisted var next: PlainItem?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Without links, so that a new object is all in its row at once.
class NamedItem: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted(indexed: true) var rank: Int
  @Persisted var note: String?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class LooseItem: Object {
  @Persisted var rank: Int
  @Persisted var date: Date

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct BulkAddTests {
  /// What an item must hold.
  private struct Item: Equatable {
    var count = 0
    var limit: Int?
    var isOn = false
    var isKnown: Bool?
    var weight = 0.0
    var height: Double?
    var name = ""
    var note: String?
    var next: Int?

    init() {}

    init(_ random: inout SeededGenerator, next: Int?) {
      // Widths grow in the middle of leaves, and values stay away for whole leaves.
      let numbers = [0, 1, 3, -1, 200, 40_000, 3_000_000_000, .max, .min]
      let long = String(repeating: "é", count: 40)
      let texts = ["", "a", "fifteen bytes..", "sixteen bytes...", long]
      count = random.chance(0.90) ? 1 : numbers.randomElement(using: &random) ?? 0
      limit = random.chance(0.50) ? nil : numbers.randomElement(using: &random)
      isOn = random.chance(0.30)
      isKnown = random.chance(0.30) ? nil : random.chance(0.50)
      weight = random.chance(0.50) ? 0 : Double.random(in: -1...1, using: &random)
      height = random.chance(0.50) ? nil : Double.random(in: -1...1, using: &random)
      name = random.chance(0.80) ? "x" : texts.randomElement(using: &random) ?? ""
      note = random.chance(0.80) ? nil : texts.randomElement(using: &random)
      self.next = next
    }

    init(_ item: PlainItem) {
      count = item.count
      limit = item.limit
      isOn = item.isOn
      isKnown = item.isKnown
      weight = item.weight
      height = item.height
      name = item.name
      note = item.note
      next = item.next?.id
    }

    func make(id: Int, _ realm: Realm) -> PlainItem {
      let item = PlainItem()
      item.id = id
      // Properties that are not set have their defaults.
      if self == Item() { return item }
      item.count = count
      item.limit = limit
      item.isOn = isOn
      item.isKnown = isKnown
      item.weight = weight
      item.height = height
      item.name = name
      item.note = note
      item.next = next.flatMap { realm.object(ofType: PlainItem.self, forPrimaryKey: $0) }
      return item
    }
  }

  /// `UnmanagedValues` 1 and 2.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func itemsAreReadAsTheyWereAdded(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try TemporaryRealm([PlainItem.self])
    var expected: [Int: Item] = [:]
    for _ in 0..<3 {
      let realm = try file.open()
      let before = expected
      realm.beginWrite()
      for _ in 0..<400 {
        let id = random.chance(0.80) ? expected.count * 3 : Int.random(in: -9...9, using: &random)
        let next = random.chance(0.10) ? expected.keys.sorted().randomElement(using: &random) : nil
        let value = random.chance(0.05) ? Item() : Item(&random, next: next)
        let item = value.make(id: id, realm)
        realm.add(item, update: .all)
        expected[id] = value
        expectEqual(item.id, id)
        expectEqual(Item(item), value)
        if random.chance(0.05) {
          item.note = "changed"
          expected[id]?.note = "changed"
        }
        if random.chance(0.03), let gone = expected.keys.sorted().randomElement(using: &random) {
          realm.delete(try #require(realm.object(ofType: PlainItem.self, forPrimaryKey: gone)))
          expected[gone] = nil
          for (other, item) in expected where item.next == gone { expected[other]?.next = nil }
        }
      }
      if random.chance(0.30) {
        realm.cancelWrite()
        expected = before
      } else {
        try expect(expected, in: realm)
        try realm.commitWrite()
      }
      try expect(expected, in: realm)
      #expect(try realm.core.file.check().isEmpty)
    }
    try ReferenceReader.check(file.configuration)
  }

  private func expect(_ items: [Int: Item], in realm: Realm) throws {
    expectEqual(realm.objects(PlainItem.self).count, items.count)
    for (id, item) in items {
      let found = try #require(realm.object(ofType: PlainItem.self, forPrimaryKey: id))
      expectEqual(found.id, id)
      expectEqual(Item(found), item)
    }
  }

  @Test func stringKeysAndSecondIndexesAreKept() throws {
    let file = try TemporaryRealm([NamedItem.self, LooseItem.self])
    let realm = try file.open()
    try realm.write {
      for number in 0..<600 {
        let item = NamedItem()
        item.name = "item \(number)"
        item.rank = number % 7
        if number % 3 == 0 { item.note = "note \(number)" }
        realm.add(item)
        expectEqual(realm.object(ofType: NamedItem.self, forPrimaryKey: item.name)?.rank, item.rank)
        let loose = LooseItem()
        loose.rank = number
        realm.add(loose)
        expectEqual(loose.rank, number)
        expectTrue(abs(loose.date.timeIntervalSinceNow) < 60)
      }
      expectEqual(realm.objects(NamedItem.self).where { $0.rank == 3 }.count, 86)
    }
    expectEqual(realm.objects(NamedItem.self).where { $0.rank == 3 }.count, 86)
    expectEqual(realm.object(ofType: NamedItem.self, forPrimaryKey: "item 9")?.note, "note 9")
    expectEqual(realm.object(ofType: NamedItem.self, forPrimaryKey: "item 10")?.note, nil)
    expectEqual(realm.objects(LooseItem.self).sum(of: \.rank), 599 * 300)
    #expect(try realm.core.file.check().isEmpty)
    try ReferenceReader.check(file.configuration)
  }
}
