// SPDX-License-Identifier: Apache-2.0

// Observers of lists and dictionaries inside mixed values, and of what is around them.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct NestedMixedObserverTests {
  private let file: TemporaryRealm
  private let told = Recorder<ToldChange>()
  private let toldInside = Recorder<ToldChange>()

  init() throws { file = try .ofMixedHolders() }

  private func open(_ value: AnyRealmValue) async throws -> (Realm, MixedHolder) {
    let realm = try await Realm(configuration: file.configuration)
    let holder = try realm.write {
      let holder = realm.create(MixedHolder.self, value: ["id": 1])
      holder.any = value
      holder.list.append(objectsIn: [.int(0), value, .int(1)])
      return holder
    }
    return (realm, holder)
  }

  @Test func editsArriveInsideAndAround() async throws {
    let (realm, holder) = try await open(.fromArray([.fromArray([.int(1)]), .int(2)]))
    let outer = try #require(holder.any.listValue)
    let inner = try #require(outer[0].listValue)
    let tokens = [
      outer.observe { [told] in told.add(ToldChange($0)) },
      inner.observe { [toldInside] in toldInside.add(ToldChange($0)) },
    ]
    await expectEqual(told.wait(for: 1), [.initial(count: 2)])
    await expectEqual(toldInside.wait(for: 1), [.initial(count: 1)])
    try await writeElsewhere(file.configuration) { realm in
      let outer = realm.objects(MixedHolder.self).first?.any.listValue
      outer?.insert(.string("new"), at: 0)
      outer?[1].listValue?.append(.int(9))
    }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 3, deletions: [], insertions: [0], modifications: [0]))
    await expectEqual(
      toldInside.wait(for: 2).last,
      .update(count: 2, deletions: [], insertions: [1], modifications: []))
    try realm.write { inner[0] = .none }
    await expectEqual(
      told.wait(for: 3).last,
      .update(count: 3, deletions: [], insertions: [], modifications: [1]))
    await expectEqual(
      toldInside.wait(for: 3).last,
      .update(count: 2, deletions: [], insertions: [], modifications: [0]))
    tokens.forEach { $0.invalidate() }
  }

  @Test func theEndIsTold() async throws {
    let (realm, holder) = try await open(.fromArray([.fromArray([.int(1), .int(2)])]))
    let inner = try #require(holder.any.listValue?[0].listValue)
    let gone = Recorder<[Int]>()
    let token = inner.observe { change in
      if case .update(_, let deletions, _, _) = change { gone.add(deletions) } else { gone.add([]) }
    }
    _ = await gone.wait(for: 1)
    try realm.write { holder.any.listValue?[0] = .fromArray([]) }
    #expect(await gone.wait(for: 2) == [[], [0, 1]] && inner.isInvalidated)
    try realm.write { holder.any = .none }
    await expectEqual(gone.settled().count, 2)
    token.invalidate()
  }

  @Test func listsThatHoldThemHear() async throws {
    let (realm, holder) = try await open(.fromDictionary(["k": .fromArray([])]))
    let token = holder.list.observe { [told] in told.add(ToldChange($0)) }
    let objectToken = holder.observe { [toldInside] (change: ObjectChange<MixedHolder>) in
      guard case .change(_, let properties) = change else { return }
      toldInside.add(.initial(count: properties.count))
    }
    _ = await told.wait(for: 1)
    try realm.write { holder.list[1].dictionaryValue?["k"]?.listValue?.append(.int(1)) }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 3, deletions: [], insertions: [], modifications: [1]))
    try realm.write { holder.any.dictionaryValue?["k"]?.listValue?.append(.int(1)) }
    await expectEqual(toldInside.wait(for: 2).count, 2)
    await expectEqual(told.settled().count, 2)
    token.invalidate()
    objectToken.invalidate()
  }

  @Test func dictionariesTellKeys() async throws {
    let (realm, holder) = try await open(
      .fromDictionary(["a": .int(1), "b": .fromArray([]), "c": .int(3)]))
    let map = try #require(holder.any.dictionaryValue)
    let keys = Recorder<[[String]]>()
    let token = map.observe { change in
      guard case .update(_, let deletions, let insertions, let modifications) = change else {
        return keys.add([])
      }
      keys.add([deletions, insertions, modifications])
    }
    _ = await keys.wait(for: 1)
    try realm.write {
      map["a"] = nil
      map["b"]?.listValue?.append(.int(1))
      map["d"] = .int(4)
    }
    await expectEqual(keys.wait(for: 2).last, [["a"], ["d"], ["b"]])
    token.invalidate()
  }

  @Test func deletedObjectsInsideAreModifications() async throws {
    let realm = try await Realm(configuration: file.configuration)
    let list = try realm.write { () -> List<AnyRealmValue>? in
      let other = realm.create(MixedHolder.self, value: ["id": 2])
      let holder = realm.create(MixedHolder.self, value: ["id": 1])
      holder.any = .fromArray([.int(1), .object(other)])
      return holder.any.listValue
    }
    let token = list?.observe { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    try await writeElsewhere(file.configuration) { realm in
      realm.object(ofType: MixedHolder.self, forPrimaryKey: 2).map { realm.delete($0) }
    }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 2, deletions: [], insertions: [], modifications: [1]))
    token?.invalidate()
  }
}
