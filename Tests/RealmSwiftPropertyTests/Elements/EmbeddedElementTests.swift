// SPDX-License-Identifier: Apache-2.0

// Lists and maps of embedded objects: each belongs to one place, so the generic suites, which store
// a value in many, do not fit.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

class ElementPart: EmbeddedObject {
  @Persisted var number: Int
  @Persisted var tags: List<String>
  @Persisted var inner: ElementInner?

  convenience init(_ number: Int) {
    self.init()
    self.number = number
    tags.append("\(number)")
    inner = number % 2 == 0 ? ElementInner(value: ["note": "\(number)"]) : nil
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ElementInner: EmbeddedObject {
  @Persisted var note: String
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ElementOwner: Object {
  @Persisted var list: List<ElementPart>
  @Persisted var map: Map<String, ElementPart?>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct EmbeddedElementTests {
  private let file: TemporaryRealm

  init() throws {
    file = try TemporaryRealm([ElementOwner.self, ElementPart.self, ElementInner.self])
  }

  private func numbers<S: Sequence>(_ parts: S) -> [Int] where S.Element == ElementPart {
    parts.map { part in
      expectEqual(part.tags.first, "\(part.number)")
      expectEqual(part.inner?.note, (part.number % 2 == 0 ? "\(part.number)" : nil))
      return part.number
    }
  }

  /// Checks that every embedded object in the file has an owner.
  private func expectNoOrphans(_ realm: Realm, _ count: Int, _ evenCount: Int) throws {
    try expectEqual(realm.core.classes[ElementPart.self].table.objectCount(), count)
    try expectEqual(realm.core.classes[ElementInner.self].table.objectCount(), evenCount)
  }

  // MARK: Lists

  /// A random edit beside an array of numbers. Embedded objects that are there cannot be assigned,
  /// so elements change their places by `move` and `swapAt` alone.
  private func edit(
    _ list: List<ElementPart>, _ model: inout [Int], _ random: inout SeededGenerator
  ) {
    let index = Int.random(in: 0...model.count, using: &random)
    let other = Int.random(in: 0...model.count, using: &random)
    let number = Int.random(in: 0..<1_000, using: &random)
    let areElements = index < model.count && other < model.count
    switch Int.random(in: 0..<12, using: &random) {
    case 0,
      1 where areElements:
      guard index < model.count else { return }
      list.remove(at: index)
      model.remove(at: index)
    case 2 where areElements:
      list[index] = ElementPart(number)
      model[index] = number
    case 3 where areElements:
      list.move(from: index, to: other)
      model.insert(model.remove(at: index), at: other)
    case 4 where areElements:
      list.swapAt(index, other)
      model.swapAt(index, other)
    case 5 where areElements:
      let range = min(index, other)..<max(index, other)
      list.replaceSubrange(range, with: [ElementPart(number), ElementPart(number + 1)])
      model.replaceSubrange(range, with: [number, number + 1])
    case 6 where model.count > 8:
      list.removeAll()
      model = []
    case 7:
      list.append(objectsIn: [ElementPart(number), ElementPart(number + 1)])
      model += [number, number + 1]
    default:
      list.insert(ElementPart(number), at: index)
      model.insert(number, at: index)
    }
  }

  @Test func unmanagedLists() {
    var random = SeededGenerator(seed: 51)
    let list = ElementOwner().list
    var model: [Int] = []
    for _ in 0..<120 {
      edit(list, &model, &random)
      expectEqual(numbers(list), model)
    }
    for part in list { #expect(list.index(of: part).map { list[$0] } === part) }
  }

  @Test func managedLists() throws {
    var random = SeededGenerator(seed: 52)
    var model: [Int] = []
    do {
      let realm = try file.open()
      let list = try realm.write { realm.create(ElementOwner.self).list }
      for round in 0..<12 {
        let before = model
        realm.beginWrite()
        for _ in 0..<8 {
          edit(list, &model, &random)
          expectEqual(numbers(list), model)
        }
        if round % 4 == 3 {
          realm.cancelWrite()
          model = before
        } else {
          try realm.commitWrite()
        }
        expectEqual(numbers(list), model)
        try expectNoOrphans(realm, model.count, model.count { $0 % 2 == 0 })
      }
      try realm.write {
        list.append(objectsIn: [3, 1, 2].map { ElementPart($0) })
        model += [3, 1, 2]
      }
      try lookAt(list, model)
      try freezeAndHandOver(list, model)
    }
    let realm = try file.open()
    try expectEqual(numbers(#require(realm.objects(ElementOwner.self).first).list), model)
    #expect(try realm.core.file.check().isEmpty)
    try ReferenceReader.check(file.configuration)
  }

  private func lookAt(_ list: List<ElementPart>, _ model: [Int]) throws {
    for (index, part) in list.enumerated() { expectEqual(list.index(of: part), index) }
    expectTrue(list.index(of: ElementPart(1)) == nil)
    expectEqual(list.first?.number, model.first)
    expectEqual(list.index(matching: { $0.number == 1 }), model.firstIndex(of: 1))
    expectEqual(list.where { $0.number > 1 }.count, model.count { $0 > 1 })
    expectEqual(list.filter("ANY tags == '3'").count, model.count { $0 == 3 })
    expectEqual(list.where { $0.inner.note == "2" }.count, model.count { $0 == 2 })
    expectEqual(numbers(list.sorted(by: \.number)), model.sorted())
    expectEqual(numbers(list.sorted(byKeyPath: "number", ascending: false)), model.sorted(by: >))
    expectEqual(list.sum(of: \.number), model.reduce(0, +))
    expectEqual(list.max(of: \.number), model.max())
    expectEqual(list.min(ofProperty: "number"), model.min())
    expectEqual(list.distinct(by: [\ElementPart.number]).count, Set(model).count)
    expectEqual(list.value(forKey: "number").compactMap { $0 as? Int }, model)
  }

  private func freezeAndHandOver(_ list: List<ElementPart>, _ model: [Int]) throws {
    let realm = try #require(list.realm)
    let (frozen, reference) = (list.freeze(), ThreadSafeReference(to: list))
    let part = ThreadSafeReference(to: list[0])
    try realm.write { list.append(ElementPart(5_000)) }
    expectTrue(frozen.isFrozen)
    expectEqual(numbers(frozen), model)
    expectTrue(frozen[0].isFrozen)
    expectEqual(frozen.thaw(), list)
    expectEqual(frozen[0].thaw()?.number, model[0])
    let there = try DispatchQueue(label: "elements").sync {
      let realm = try Realm(configuration: file.configuration)
      return (realm.resolve(reference).map { numbers($0) }, realm.resolve(part)?.number)
    }
    expectEqual(there.0, model + [5_000])
    expectEqual(there.1, model[0])
    try realm.write { list.removeLast() }
  }

  // MARK: Maps

  private static let keys = ["", "a", "ab", "b", "é"]

  private func edit(
    _ map: Map<String, ElementPart?>, _ model: inout [String: Int?],
    _ random: inout SeededGenerator
  ) {
    let key = Self.keys[Int.random(in: 0..<Self.keys.count, using: &random)]
    let number = Int.random(in: 0..<1_000, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      map.removeObject(for: key)
      model[key] = nil
    case 1:
      map[key] = .some(nil)
      model[key] = .some(nil)
    case 2 where model.count > 3:
      map.removeAll()
      model = [:]
    case 3:
      map.merge(["a": ElementPart(number)]) { _, new in new }
      model["a"] = number
    default:
      map[key] = ElementPart(number)
      model[key] = number
    }
  }

  private func contents(_ map: Map<String, ElementPart?>) -> [String: Int?] {
    _ = numbers(map.values.compactMap(\.self))
    return Dictionary(uniqueKeysWithValues: map.map { ($0.key, $0.value?.number) })
  }

  @Test func unmanagedMaps() {
    var random = SeededGenerator(seed: 53)
    let map = ElementOwner().map
    var model: [String: Int?] = [:]
    for _ in 0..<120 {
      edit(map, &model, &random)
      expectEqual(contents(map), model)
    }
  }

  @Test func managedMaps() throws {
    var random = SeededGenerator(seed: 54)
    var model: [String: Int?] = [:]
    do {
      let realm = try file.open()
      let map = try realm.write { realm.create(ElementOwner.self).map }
      for round in 0..<12 {
        let before = model
        realm.beginWrite()
        for _ in 0..<8 {
          edit(map, &model, &random)
          expectEqual(contents(map), model)
        }
        if round % 4 == 3 {
          realm.cancelWrite()
          model = before
        } else {
          try realm.commitWrite()
        }
        expectEqual(contents(map), model)
        let present = model.values.compactMap(\.self)
        try expectNoOrphans(realm, present.count, present.count { $0 % 2 == 0 })
      }
      try realm.write {
        map.removeAll()
        for number in 1...3 { map["k\(number)"] = ElementPart(number) }
        map["none"] = .some(nil)
      }
      model = ["k1": 1, "k2": 2, "k3": 3, "none": Int?.none]
      expectEqual(map.sum(of: \.number), 6)
      expectEqual(map.max(of: \.number), 3)
      expectEqual(
        map.sorted(by: \.number, ascending: false).compactMap(\.self).map(\.number), [3, 2, 1])
      expectEqual(map.where { $0.number > 1 }.count, 2)
      let (frozen, reference) = (map.freeze(), ThreadSafeReference(to: map))
      try realm.write { map["k1"] = nil }
      expectEqual(contents(frozen), model)
      expectEqual(frozen["k1"]??.isFrozen, true)
      expectEqual(frozen.thaw(), map)
      model["k1"] = nil
      let there = try DispatchQueue(label: "elements").sync {
        try Realm(configuration: file.configuration).resolve(reference).map { contents($0) }
      }
      expectEqual(there, model)
    }
    let realm = try file.open()
    try expectEqual(contents(#require(realm.objects(ElementOwner.self).first).map), model)
    #expect(try realm.core.file.check().isEmpty)
    try ReferenceReader.check(file.configuration)
  }

  // MARK: Observers

  @MainActor @Test(.timeLimit(.minutes(10))) func whatIsToldLeadsToWhatIsThere() async throws {
    let realm = try await Realm(configuration: file.configuration)
    let owner = try realm.write {
      realm.create(ElementOwner.self, value: ["list": [["number": 1], ["number": 2]]])
    }
    let lists = Recorder<ToldChange>()
    let maps = Recorder<[[String]]>()
    let tokens = [
      owner.list.observe { lists.add(ToldChange($0)) },
      owner.map.observe { change in
        guard case .update(_, let deletions, let insertions, let modifications) = change else {
          return maps.add([])
        }
        maps.add([deletions, insertions, modifications])
      },
    ]
    _ = await (lists.wait(for: 1), maps.wait(for: 1))
    try realm.write {
      owner.list[0].number = 7
      owner.list.append(ElementPart(8))
      owner.map["a"] = ElementPart(1)
      owner.map["b"] = ElementPart(2)
    }
    await expectEqual(
      lists.wait(for: 2).last,
      .update(count: 3, deletions: [], insertions: [2], modifications: [0]))
    await expectEqual(maps.wait(for: 2).last, [[], ["a", "b"], []])
    try realm.write {
      owner.list[2].inner?.note = "deep"
      owner.list.remove(at: 1)
      owner.map["a"]??.tags.append("x")
      owner.map["b"] = nil
    }
    await expectEqual(
      lists.wait(for: 3).last,
      .update(count: 2, deletions: [1], insertions: [], modifications: [2]))
    await expectEqual(maps.wait(for: 3).last, [["b"], [], ["a"]])
    try realm.write { owner.list[0] = ElementPart(9) }
    let replaced = await lists.wait(for: 4).last
    expectEqual(replaced, .update(count: 2, deletions: [], insertions: [], modifications: [0]))
    tokens.forEach { $0.invalidate() }
  }
}
