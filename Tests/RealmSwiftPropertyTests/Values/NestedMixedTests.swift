// SPDX-License-Identifier: Apache-2.0

// Lists and dictionaries inside mixed values.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct NestedMixedTests {
  private let file: TemporaryRealm
  private let realm: Realm

  init() throws {
    file = try TemporaryRealm.ofMixedHolders()
    realm = try file.open()
  }

  private func holder(_ any: AnyRealmValue = .none) throws -> MixedHolder {
    try realm.write {
      let holder = realm.create(MixedHolder.self, value: ["id": 1])
      holder.any = any
      return holder
    }
  }

  @Test func unmanagedValuesAreAddedWithTheirObject() throws {
    let object = MixedHolder()
    let inner = MixedHolder(value: ["id": 2])
    object.any = .fromDictionary(["list": .fromArray([.int(1), .object(inner)]), "none": .none])
    object.list.append(.fromArray([]))
    object.map["x"] = .fromDictionary([:])
    expectEqual(object.any.dictionaryValue?["list"]?.listValue?.count, 2)
    object.any.dictionaryValue?["more"] = .bool(true)
    object.any.dictionaryValue?["list"]?.listValue?.insert(.string("0"), at: 0)
    try realm.write { realm.add(object) }
    expectTrue(inner.realm != nil)
    let map = try #require(object.any.dictionaryValue)
    expectEqual(map.keys, ["list", "more", "none"])
    expectEqual(map["none"], AnyRealmValue.none)
    expectEqual(map["more"]?.boolValue, true)
    expectEqual(map.realm, realm)
    let list = try #require(map["list"]?.listValue)
    expectEqual(Array(list.prefix(2)), [.string("0"), .int(1)])
    expectEqual(list[2].object(MixedHolder.self)?.id, 2)
    expectEqual(object.list[0].listValue?.isEmpty, true)
    expectTrue(object.map["x"]?.dictionaryValue != nil)
    expectTrue(object.any.listValue == nil)
    expectTrue(object.list[0].dictionaryValue == nil)
  }

  /// `NestedStep` 1.
  @Test func whatIsReadIsLive() throws {
    let holder = try holder(.fromArray([.fromArray([.int(1)]), .int(7)]))
    let outer = try #require(holder.any.listValue)
    let inner = try #require(outer[0].listValue)
    try realm.write {
      outer.insert(.string("first"), at: 0)
      inner.append(.int(2))
      outer[1].listValue?.append(.int(3))
      outer.move(from: 1, to: 2)
    }
    expectEqual(Array(inner), [.int(1), .int(2), .int(3)])
    expectEqual(outer[2].listValue, inner)
    expectEqual(outer[2], .list(inner))
    expectTrue(Set([outer[2]]).contains(.list(inner)))
    try realm.write { outer.swapAt(0, 2) }
    expectEqual(Array(inner).count, 3)
    expectEqual(outer[0].listValue, inner)
    for value in outer where value.listValue != nil { expectEqual(value.listValue, inner) }
  }

  /// `NestedStep` 1.
  @Test func replacingEndsWhatWasThere() throws {
    let holder = try holder(.fromDictionary(["a": .fromArray([.int(1)])]))
    let map = try #require(holder.any.dictionaryValue)
    let list = try #require(map["a"]?.listValue)
    expectFalse(list.isInvalidated)
    expectFalse(map.isInvalidated)
    try realm.write { map["a"] = .fromArray([.int(2)]) }
    expectTrue(list.isInvalidated)
    expectFalse(map.isInvalidated)
    expectTrue(map["a"]?.listValue != list)
    let second = try #require(map["a"]?.listValue)
    try realm.write { holder.any = .fromArray([]) }
    expectTrue(map.isInvalidated)
    expectTrue(second.isInvalidated)
    expectEqual(holder.any.listValue?.count, 0)
    try realm.write { realm.delete(holder) }
    try ReferenceReader.check(file.configuration)
  }

  @Test func assigningItselfKeepsIt() throws {
    let holder = try holder(.fromArray([.int(1)]))
    let list = try #require(holder.any.listValue)
    try realm.write {
      holder.any = .list(list)
      list.append(.int(2))
      // Elsewhere it is copied.
      holder.indexed = holder.any
      holder.list.append(holder.any)
      list.append(.list(list))
    }
    expectEqual(list.count, 3)
    expectEqual(holder.indexed.listValue?.count, 2)
    expectEqual(list[2].listValue?.count, 2)
    expectEqual(holder.list[0].listValue?.count, 2)
  }

  @Test func frozenAndThawed() throws {
    let holder = try holder(.fromDictionary(["a": .fromArray([.int(1)])]))
    let list = try #require(holder.any.dictionaryValue?["a"]?.listValue)
    let frozen = list.freeze()
    let frozenMap = try #require(holder.freeze().any.dictionaryValue)
    try realm.write { list.append(.int(2)) }
    expectTrue(frozen.isFrozen)
    expectEqual(Array(frozen), [.int(1)])
    expectEqual(list.count, 2)
    expectEqual(frozenMap["a"]?.listValue?.count, 1)
    expectTrue(frozenMap.isFrozen)
    expectEqual(frozen.thaw(), list)
    let reference = ThreadSafeReference(to: list)
    expectEqual(realm.resolve(reference), list)
    try realm.write { holder.any = .none }
    expectTrue(frozen.thaw() == nil)
    expectEqual(frozen.count, 1)
  }

  @Test func foundationOfValues() throws {
    let value: [String: Any] = [
      "id": 5, "any": ["title": "x", "list": [1, nil, ["k": true]] as [Any?]] as [String: Any],
      "list": [[1, 2], "three"] as [Any], "map": ["a": [String: Any]()] as [String: Any],
    ]
    let made = try realm.write { realm.create(MixedHolder.self, value: value) }
    let list = try #require(made.any.dictionaryValue?["list"]?.listValue)
    expectEqual(list[0], .int(1))
    expectEqual(list[1], .none)
    expectEqual(list[2].dictionaryValue?["k"], .bool(true))
    expectEqual(made.list[0].listValue?.count, 2)
    expectEqual(made.map["a"]?.dictionaryValue?.count, 0)
    let unmanaged = MixedHolder(value: value)
    expectEqual(unmanaged.any.dictionaryValue?["title"], .string("x"))
    expectEqual(unmanaged.list[0].listValue?[1], .int(2))
  }

  @Test func elementsAreFoundByWhatTheyHold() throws {
    let holder = try holder(.fromArray([.int(1), .fromArray([.int(2)]), .fromDictionary([:])]))
    let list = try #require(holder.any.listValue)
    expectEqual(list.index(of: .fromArray([.int(2)])), 1)
    expectEqual(list.index(of: .fromArray([.int(3)])), nil)
    expectEqual(list.index(of: .fromDictionary([:])), 2)
    expectEqual(list.index(of: .fromArray([.object(MixedHolder())])), nil)
  }

  @Test func aHundredLevels() throws {
    func nested(_ levels: Int) -> AnyRealmValue {
      (1..<levels).reduce(.fromArray([])) { value, _ in .fromArray([value]) }
    }
    let holder = try holder(nested(100))
    var depth = 0
    var list = holder.any.listValue
    while let present = list {
      depth += 1
      list = present.first?.listValue
    }
    expectEqual(depth, 100)
    try realm.write { holder.list.append(nested(99)) }
    try realm.write {
      realm.add(MixedHolder(value: ["id": 9]))
      holder.map["x"] = nested(99)
    }
    try realm.write { realm.deleteAll() }
    try ReferenceReader.check(file.configuration)
  }

  @Test func deletedObjectsBecomeNone() throws {
    let other = try realm.write { realm.create(MixedHolder.self, value: ["id": 2]) }
    let holder = try holder(
      .fromDictionary(["a": .fromArray([.object(other), .int(1), .object(other)])]))
    try realm.write { realm.delete(other) }
    let list = try #require(holder.any.dictionaryValue?["a"]?.listValue)
    expectEqual(Array(list), [.none, .int(1), .none])
    try ReferenceReader.check(file.configuration)
  }

  @Test func modifiedPolicyComparesDeeply() throws {
    let holder = try holder(.fromArray([.fromArray([.int(1)])]))
    let inner = try #require(holder.any.listValue?[0].listValue)
    try realm.write {
      realm.create(
        MixedHolder.self, value: ["id": 1, "any": [[1]]] as [String: Any], update: .modified)
    }
    expectFalse(inner.isInvalidated)
    try realm.write {
      realm.create(
        MixedHolder.self, value: ["id": 1, "any": [[2]]] as [String: Any], update: .modified)
    }
    expectTrue(inner.isInvalidated)
    expectEqual(holder.any.listValue?[0].listValue?[0], .int(2))
  }
}
