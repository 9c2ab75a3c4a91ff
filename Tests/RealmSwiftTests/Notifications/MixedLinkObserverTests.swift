// SPDX-License-Identifier: Apache-2.0

// Links in mixed values: observers follow them as they follow typed links, and results show the
// objects.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct MixedLinkObserverTests {
  private let file: TemporaryRealm
  private let told = Recorder<ToldChange>()

  init() throws { file = try TemporaryRealm([MixedHolder.self, Person.self, Dog.self]) }

  /// A holder with three dogs in mixed values: 0 in a list, 1 deep in a value, 2 nowhere.
  private func open() async throws -> (Realm, MixedHolder, [Dog]) {
    let realm = try await Realm(configuration: file.configuration)
    return try realm.write {
      let dogs = (0..<3).map { realm.create(Dog.self, value: ["name": "d\($0)", "age": $0]) }
      let holder = realm.create(MixedHolder.self, value: ["id": 1])
      holder.list.append(objectsIn: [.int(0), .object(dogs[0]), .fromArray([.object(dogs[1])])])
      holder.map["a"] = .object(dogs[0])
      holder.map["b"] = .int(1)
      holder.set.insert(objectsIn: [.object(dogs[1]), .string("x")])
      holder.any = .fromDictionary(["deep": .fromArray([.int(1), .object(dogs[1])])])
      return (realm, holder, dogs)
    }
  }

  private func change(_ dog: Int, in realm: Realm) throws {
    try realm.write {
      realm.objects(Dog.self).where { $0.name == "d\(dog)" }.first?.age += 10
    }
  }

  @Test func listsTellOfChangedObjectsInThem() async throws {
    let (realm, holder, dogs) = try await open()
    let token = holder.list.observe { [told] in told.add(ToldChange($0)) }
    await expectEqual(told.wait(for: 1), [.initial(count: 3)])
    try change(0, in: realm)
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 3, deletions: [], insertions: [], modifications: [1]))
    try change(2, in: realm)
    await expectEqual(told.settled().count, 2)
    try realm.write {
      holder.list.remove(at: 0)
      holder.list.insert(.object(dogs[2]), at: 1)
      dogs[1].name = "deep"
      dogs[2].name = "new"
    }
    await expectEqual(
      told.wait(for: 3).last,
      .update(count: 3, deletions: [0], insertions: [1], modifications: [2]))
    token.invalidate()
  }

  @Test func collectionsInsideValuesTellToo() async throws {
    let (realm, holder, _) = try await open()
    let list = try #require(holder.any.dictionaryValue?["deep"]?.listValue)
    let tokens = [
      list.observe { [told] in told.add(ToldChange($0)) },
      holder.set.observe { [told] in told.add(ToldChange($0)) },
    ]
    await expectEqual(told.wait(for: 2).count, 2)
    try change(1, in: realm)
    let updates = await told.wait(for: 4).dropFirst(2)
    let position = try #require(holder.set.firstIndex { $0.object(Dog.self) != nil })
    for positions in [[1], [position]] {
      #expect(
        updates.contains(
          .update(count: 2, deletions: [], insertions: [], modifications: positions)))
    }
    try change(0, in: realm)
    await expectEqual(told.settled().count, 4)
    tokens.forEach { $0.invalidate() }
  }

  @Test func mapsTellTheirKeys() async throws {
    let (realm, holder, _) = try await open()
    let inner = try #require(holder.any.dictionaryValue)
    let keys = Recorder<[String]>()
    func told(_ change: RealmMapChange<Map<String, AnyRealmValue>>) {
      if case .update(_, _, _, let modifications) = change { keys.add(modifications) }
      if case .initial = change { keys.add([]) }
    }
    let tokens = [holder.map.observe { told($0) }, inner.observe { told($0) }]
    _ = await keys.wait(for: 2)
    try change(0, in: realm)
    await expectEqual(keys.wait(for: 3).last, ["a"])
    try change(1, in: realm)
    await expectEqual(keys.wait(for: 4).last, ["deep"])
    await expectEqual(keys.settled().count, 4)
    tokens.forEach { $0.invalidate() }
  }

  @Test func resultsFollowLinksInMixedValues() async throws {
    let (realm, holder, dogs) = try await open()
    let direct = Recorder<String>()
    let tokens = [
      realm.objects(MixedHolder.self).observe { [told] in told.add(ToldChange($0)) },
      realm.objects(MixedHolder.self).observe(keyPaths: ["any"]) { change in
        if case .update = change { direct.add("any") }
      },
      holder.observe { (change: ObjectChange<MixedHolder>) in direct.add("object") },
    ]
    await expectEqual(told.wait(for: 1), [.initial(count: 1)])
    try change(1, in: realm)
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 1, deletions: [], insertions: [], modifications: [0]))
    // A key path that ends in the value, and an observer of the object, ask for the link alone.
    await expectEqual(direct.settled(), [])
    try change(2, in: realm)
    await expectEqual(told.settled().count, 2)
    try realm.write { holder.indexed = .object(dogs[2]) }
    await expectEqual(told.wait(for: 3).count, 3)
    try change(2, in: realm)
    await expectEqual(told.wait(for: 4).count, 4)
    await expectEqual(direct.settled(), ["object"])
    tokens.forEach { $0.invalidate() }
  }

  @Test func sortedValuesShowAndFollowObjects() async throws {
    let (realm, holder, dogs) = try await open()
    let sorted = holder.list.sorted(byKeyPath: "self", ascending: false)
    let shown: [Dog] = sorted.compactMap { $0.object(Dog.self) }
    expectTrue(shown.count == 1 && shown[0].isSameObject(as: dogs[0]) && shown[0].realm == realm)
    expectEqual(sorted.first?.listValue?.first?.object(Dog.self)?.realm, realm)
    let filtered = holder.list.where { $0 != .int(0) }
    expectTrue(filtered.count == 2 && filtered[0].object(Dog.self)?.name == "d0")
    let frozen: [Dog] = sorted.freeze().compactMap { $0.object(Dog.self) }
    expectEqual(frozen.map(\.isFrozen), [true])
    let token = sorted.observe { [told] in told.add(ToldChange($0)) }
    await expectEqual(told.wait(for: 1), [.initial(count: 3)])
    try change(0, in: realm)
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 3, deletions: [], insertions: [], modifications: [1]))
    try change(1, in: realm)
    await expectEqual(
      told.wait(for: 3).last,
      .update(count: 3, deletions: [], insertions: [], modifications: [0]))
    token.invalidate()
  }
}
