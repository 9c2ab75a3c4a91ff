// SPDX-License-Identifier: Apache-2.0

// Observers of collections of every element type, and mixed properties with every kind of value.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@MainActor @Suite struct ElementObserverTests {
  /// Registers observers, and records the changes that they are notified of.
  private struct Registration: ElementSuite, MapElementSuite {
    let realm: Realm
    let lists: Recorder<ToldChange>
    let sets: Recorder<ToldChange>
    let maps: Recorder<[[String]]>
    let tokens: Tokens

    final class Tokens {
      var all: [NotificationToken] = []
    }

    func run<Element>(_ type: ElementType<Element>) throws {
      let list = try type.list(#require(realm.objects(EveryList.self).first))
      let set = try type.set(#require(realm.objects(EverySet.self).first))
      try realm.write {
        let values = type.values(realm)
        list.append(objectsIn: [values[0], values[1]])
        set.insert(values[1])
      }
      tokens.all = [
        list.observe { [lists] in lists.add(ToldChange($0)) },
        set.observe { [sets] in sets.add(ToldChange($0)) },
      ]
    }

    func run<Element>(
      _ type: ElementType<Element>, _ map: @Sendable (EveryMap) -> Map<String, Element>
    ) throws {
      let map = try map(#require(realm.objects(EveryMap.self).first))
      try realm.write {
        let values = type.values(realm)
        map["a"] = .some(values[0])
        map["b"] = .some(values[1])
      }
      tokens.all.append(
        map.observe { [maps] change in
          guard case .update(_, let deletions, let insertions, let modifications) = change else {
            return maps.add([])
          }
          maps.add([deletions, insertions, modifications])
        })
    }
  }

  private struct Change: ElementSuite, MapElementSuite {
    let realm: Realm

    func run<Element>(_ type: ElementType<Element>) throws {
      let list = try type.list(#require(realm.objects(EveryList.self).first))
      let set = try type.set(#require(realm.objects(EverySet.self).first))
      let values = type.values(realm)
      list[0] = values[1]
      list.append(values[0])
      list.remove(at: 1)
      set.insert(values[0])
      set.remove(values[1])
    }

    func run<Element>(
      _ type: ElementType<Element>, _ map: @Sendable (EveryMap) -> Map<String, Element>
    ) throws {
      let map = try map(#require(realm.objects(EveryMap.self).first))
      let values = type.values(realm)
      map["a"] = .some(values[1])
      map.removeObject(for: "b")
      map["c"] = .some(values[0])
    }
  }

  @Test(.heavy, arguments: ElementCase.all) func changesAreTold(_ element: ElementCase) async throws
  {
    let file = try TemporaryRealm.ofEveryElement()
    let realm = try await Realm(configuration: file.configuration)
    try realm.write {
      realm.create(EveryList.self)
      realm.create(EverySet.self)
      realm.create(EveryMap.self)
    }
    let registration = Registration(
      realm: realm, lists: Recorder(), sets: Recorder(), maps: Recorder(),
      tokens: Registration.Tokens())
    try element.run(registration)
    try element.runMaps(registration)
    await expectEqual(registration.lists.wait(for: 1), [.initial(count: 2)])
    await expectEqual(registration.sets.wait(for: 1), [.initial(count: 1)])
    _ = await registration.maps.wait(for: 1)
    try realm.write {
      try element.run(Change(realm: realm))
      try element.runMaps(Change(realm: realm))
    }
    await expectEqual(
      registration.lists.wait(for: 2).last,
      .update(count: 2, deletions: [1], insertions: [1], modifications: [0]))
    await expectEqual(
      registration.sets.wait(for: 2).last,
      .update(count: 1, deletions: [0], insertions: [0], modifications: []))
    await expectEqual(registration.maps.wait(for: 2).last, [["b"], ["c"], ["a"]])
    registration.tokens.all.forEach { $0.invalidate() }
  }

  @Test func mixedPropertiesHoldEveryKindOfValue() async throws {
    let file = try TemporaryRealm.ofMixedHolders()
    let realm = try await Realm(configuration: file.configuration)
    let holder = try realm.write { realm.create(MixedHolder.self, value: ["id": 1]) }
    let told = Recorder<Int>()
    let token = holder.observe { (change: ObjectChange<MixedHolder>) in
      if case .change(_, let properties) = change { told.add(properties.count) }
    }
    var count = 0
    let values =
      ElementCase.mixedValues.dropFirst()
      + [.object(holder), .fromArray([.int(1)]), .fromDictionary(["a": .int(1)])]
    for value in values {
      let before = PlainMixed(holder.any)
      let frozen = holder.freeze()
      try realm.write {
        holder.any = value
        holder.indexed = value
      }
      count += 1
      await expectEqual(told.wait(for: count).count, count, "\(value)")
      expectEqual(PlainMixed(holder.any), PlainMixed(value))
      expectEqual(PlainMixed(frozen.any), before)
      if value.listValue == nil, value.dictionaryValue == nil {
        expectEqual(holder.any, value)
        expectTrue(Set([holder.any]).contains(value))
        expectEqual(realm.objects(MixedHolder.self).where { $0.indexed == value }.count, 1)
      }
    }
    #expect(told.all.allSatisfy { $0 == 2 })
    token.invalidate()
    try ReferenceReader.check(file.configuration)
  }
}
