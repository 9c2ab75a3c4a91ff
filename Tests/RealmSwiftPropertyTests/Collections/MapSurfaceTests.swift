// SPDX-License-Identifier: Apache-2.0

// What maps offer beside their entries.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct MapSurfaceTests {
  private let realm: Realm
  private let zoe: Member

  init() throws { (realm, zoe) = try Member.zoe() }

  @Test func objectsAreQueriedSortedAndFolded() {
    let map = zoe.byRole
    expectEqual(map.filter("age < 30").map { $0?.name }, ["Bob", "Cid"])
    expectEqual(map.filter(NSPredicate(format: "name == 'Ann'")).count, 1)
    expectEqual(map.where { $0.age == 20 }.first??.name, "Bob")
    expectEqual(map.sorted(byKeyPath: "age").map { $0?.name }, ["Bob", "Cid", "Ann"])
    expectEqual(
      map.sorted(by: [SortDescriptor(keyPath: "age", ascending: false)]).first??.name, "Ann")
    expectEqual(map.min(ofProperty: "age"), 20)
    expectEqual(map.max(ofProperty: "age"), 30)
    expectEqual(map.sum(ofProperty: "age"), 75)
    expectEqual(map.average(ofProperty: "age"), 25.0)
    expectEqual(map.min(of: \.age), 20)
    expectEqual(map.max(of: \.age), 30)
    expectEqual(map.sum(of: \.age), 75)
    expectEqual(map.average(of: \.age), 25)
    expectEqual(map.min(of: \.height), 1.5)
    expectEqual(map.max(of: \.height), 2.5)
    expectEqual(map.sum(of: \.height), 4)
    expectEqual(map.average(of: \.height), 2)
  }

  @Test func scalarsAreSortedAndFolded() {
    let (scores, marks) = (zoe.scores, zoe.marks)
    expectEqual(Array(scores.sorted()), [1, 2, 3])
    expectEqual(scores.sorted(ascending: false).first, 3)
    expectEqual(scores.min(), 1)
    expectEqual(scores.max(), 3)
    expectEqual(scores.sum(), 6)
    expectEqual(scores.average(), 2.0)
    expectEqual(marks.min(), 1.5)
    expectEqual(marks.max(), 2.5)
    expectEqual(marks.sum(), 4)
    expectEqual(marks.average(), 2.0)
    expectEqual(Array(scores.where { $0 > 1 }), [3, 2])
    expectEqual(Array(scores.filter("self > %@ SORT(self ASC)", 1)), [2, 3])
    expectEqual(Array(marks.filter(NSPredicate(format: "self BETWEEN {2, 3}"))), [2.5])
  }

  @Test func entriesHavePositions() {
    let map = zoe.scores
    expectTrue(map.startIndex < map.endIndex)
    var index = map.startIndex
    var found: [String] = []
    while index != map.endIndex {
      let entry: SingleMapEntry<String, Int> = map[index]
      expectEqual(map.keys[Int(index.offset)], entry.key)
      found.append("\(entry.key)\(entry.value)")
      index = map.index(after: index)
    }
    expectEqual(found, ["a3", "b1", "c2"])
    expectEqual(map.keys, ["a", "b", "c"])
    expectEqual(map.values, [3, 1, 2])
    expectEqual(map.count, 3)
    var pairs = map.makeKeyValueIterator()
    expectEqual(pairs.next()?.key, "a")
    #expect(map.contains { key, value in key == "b" && value == 1 })
    #expect(!map.contains { _, value in value == 9 })
  }

  /// The entries of any keyed collection, through its protocol alone.
  private func entries<M: RealmKeyedCollection>(_ map: M) -> [String] {
    map.keys.compactMap { key in map[key].map { "\(key)=\($0)" } }
  }

  @Test func theProtocolIsEnough() throws {
    expectEqual(entries(zoe.scores), ["a=3", "b=1", "c=2"])
    try realm.write { edit(zoe.scores, "a", 9) }
    expectEqual(entries(zoe.scores), ["a=9", "b=1"])
    let unmanaged = Map<String, Int>()
    let pairs: Map<String, Int>.KeyValueSequence = zoe.scores.asKeyValueSequence()
    for (key, value) in pairs { unmanaged[key] = value }
    var iterator = RLMMapIterator([zoe.scores[zoe.scores.startIndex]])
    expectEqual(iterator.next()?.key, zoe.scores.keys.first)
    expectTrue(iterator.next() == nil)
    expectEqual(entries(unmanaged), entries(zoe.scores))
    edit(unmanaged, "z", 1)
    expectEqual(entries(unmanaged), ["a=9", "z=1"])
  }

  /// Code that is generic over keyed collections has the members of maps.
  private func texts<M: RealmKeyedCollection>(_ map: M) -> [String]
  where M.Value: _HasPersistedType, M.Value.PersistedType: MinMaxType & AddableType {
    let mean: Double? = map.average()
    return [
      "\(map.sorted(ascending: false).first.map { "\($0)" } ?? "-")",
      "\(map.sorted(byKeyPath: "self", ascending: true).count)",
      "\(map.sorted(by: [SortDescriptor(keyPath: "self")]).count)",
      "\(map.filter(NSPredicate(format: "self > 1")).count)",
      "\(map.min().map { "\($0)" } ?? "-") \(map.max().map { "\($0)" } ?? "-") \(map.sum())",
      "\(mean ?? 0)", "\(map.contains { key, _ in key._text == "b" })",
      "\(map.value(forKey: "b") as? Int ?? 0)",
      "\(map.value(forKeyPath: "@count") as? Int ?? 0)",
    ]
  }

  private func ages<M: RealmKeyedCollection>(_ map: M) -> [Int]
  where M.Value: OptionalProtocol, M.Value.Wrapped == Member {
    [
      map.min(ofProperty: "age") ?? 0, map.max(ofProperty: "age") ?? 0, map.sum(ofProperty: "age"),
      map.average(ofProperty: "age") ?? 0, map.min(of: \.age) ?? 0, map.max(of: \.age) ?? 0,
      map.sum(of: \.age), map.average(of: \.age) ?? 0,
      map.sorted(by: \.age, ascending: false).count,
    ]
  }

  @Test func genericCodeHasTheMembersOfMaps() throws {
    expectEqual(texts(zoe.scores), ["3", "3", "3", "2", "1 3 6", "2.0", "true", "1", "3"])
    expectEqual(ages(zoe.byRole), [20, 30, 75, 25, 20, 30, 75, 25, 3])
    func set<M: RealmKeyedCollection>(_ map: M) { map.setValue(7, forKey: "n") }
    try realm.write { set(zoe.scores) }
    expectEqual(zoe.scores["n"], 7)
  }

  /// As with a dictionary, and as with entries that have a key and a value.
  @Test func entriesArePairs() {
    for map in [zoe.scores, Map<String, Int>()] {
      if map.realm == nil { for (key, value) in zoe.scores { map[key] = value } }
      var texts: [String] = []
      for (key, value) in map { texts.append("\(key)=\(value)") }
      expectEqual(texts, ["a=3", "b=1", "c=2"])
      expectEqual(map.map { "\($0.key)=\($0.value)" }, texts)
      expectEqual(map.map(\.value), [3, 1, 2])
      expectEqual(map.first { $0.value == 1 }?.key, "b")
      expectEqual(map.reduce(0) { $0 + $1.value }, 6)
      expectEqual(Dictionary(uniqueKeysWithValues: map.map { $0 })["c"], 2)
      var sum = 0
      map.forEach { _, value in sum += value }
      map.forEach { sum += $0.value }
      expectEqual(sum, 12)
    }
  }

  private func edit<M: RealmKeyedCollection>(_ map: M, _ key: M.Key, _ value: M.Value) {
    var map = map
    map.updateValue(value, forKey: key)
    let last = map.keys.sorted { $0._text < $1._text }.last { $0 != key }
    last.map { map.removeObject(for: $0) }
    if map.count == 0 { map.removeAll() }
    map[key] = value
    expectEqual(map.values.count, map.count)
  }

  @Test func mapsAreMerged() throws {
    let other = Map<String, Int>()
    other["b"] = 10
    other["d"] = 4
    try realm.write {
      zoe.scores.merge(other, uniquingKeysWith: +)
      zoe.scores.merge([(key: "a", value: 7)]) { first, _ in first }
    }
    expectEqual(zoe.scores.values, [3, 11, 2, 4])
    other.merge(zoe.scores) { _, second in second }
    expectEqual(other.values, [3, 11, 2, 4])
  }

  @Test func valuesByName() throws {
    expectEqual(zoe.scores.value(forKey: "a") as? Int, 3)
    expectTrue(zoe.scores.value(forKey: "x") == nil)
    try realm.write {
      zoe.scores.setValue(8, forKey: "a")
      zoe.scores.setValue(nil, forKey: "b")
    }
    #expect(zoe.scores.object(forKey: "a" as AnyObject) as? Int == 8)
    expectEqual(zoe.scores.keys, ["a", "c"])
  }
}
