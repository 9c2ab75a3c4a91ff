// SPDX-License-Identifier: Apache-2.0

// Objects by the names of their properties.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@_spi(RealmTesting) @testable import RealmSwift

enum DynamicLevel: Int, PersistableEnum { case low = 3, high = 7 }

class DynamicPlant: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name = "unnamed"
  @Persisted var level: DynamicLevel
  @Persisted var height: Double?
  @Persisted var seen: Date?
  @Persisted var anything: AnyRealmValue
  @Persisted var pot: DynamicPot?
  @Persisted var neighbours: List<DynamicPlant>
  @Persisted var friends: MutableSet<DynamicPlant>
  @Persisted var byName: Map<String, DynamicPlant?>
  @Persisted var notes: List<String>
  @Persisted var levels: List<DynamicLevel>
  @Persisted(originProperty: "neighbours") var besides: LinkingObjects<DynamicPlant>

  override class func propertiesMapping() -> [String: String] { ["height": "height_in_metres"] }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DynamicPot: EmbeddedObject {
  @Persisted var colour: String
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct DynamicObjectTests {
  private func makeFile() throws -> TemporaryRealm {
    try TemporaryRealm([DynamicPlant.self, DynamicPot.self])
  }

  private func fill(_ realm: Realm) throws {
    try realm.write {
      let fern = realm.create(
        DynamicPlant.self,
        value: [
          "id": 1, "name": "fern", "level": DynamicLevel.high, "height": 0.5,
          "pot": ["colour": "red"], "notes": ["wet", "dark"], "levels": [DynamicLevel.low],
        ] as [String: Any])
      let moss = realm.create(DynamicPlant.self, value: ["id": 2, "name": "moss"])
      fern.neighbours.append(moss)
      fern.friends.insert(moss)
      fern.byName["m"] = moss
      fern.anything = .object(moss)
    }
  }

  private func check(_ fern: DynamicObject) throws {
    expectEqual(fern["name"] as? String, "fern")
    expectEqual(fern.name as? String, "fern")
    expectEqual(fern.level as? Int, 7)
    expectEqual(fern.height as? Double, 0.5)
    expectTrue(fern.seen == nil)
    expectEqual((fern.pot as? DynamicPot)?.colour, "red")
    let neighbours = try #require(fern.neighbours as? List<DynamicObject>)
    expectEqual(neighbours.map { $0.name as? String }, ["moss"])
    expectEqual(fern.dynamicList("neighbours").first?.id as? Int, 2)
    expectEqual(fern.dynamicMutableSet("friends").first?.name as? String, "moss")
    let byName: Map<String, DynamicObject?> = fern.dynamicMap("byName")
    expectEqual(byName["m"]??.name as? String, "moss")
    expectEqual((fern.notes as? List<String>).map { Array($0) }, ["wet", "dark"])
    expectEqual((fern.levels as? List<Int>).map { Array($0) }, [3])
    let moss = try #require(fern.realm?.object(ofType: DynamicPlant.self, forPrimaryKey: 2))
    expectTrue(moss.isSameObject(as: fern.dynamicList("neighbours").first))
    expectEqual(fern.dynamicMutableSet("friends").first?.isSameObject(as: moss), true)
    expectTrue(fern.isSameObject(as: moss.besides.first))
    expectFalse(fern.isSameObject(as: moss))
    let anything = try #require(fern.anything as? DynamicPlant)
    expectEqual(AnyRealmValue.object(anything).dynamicObject?.name as? String, "moss")
    let besides = try #require(neighbours[0].besides as? LinkingObjects<DynamicObject>)
    expectEqual(besides.first?.id as? Int, 1)
    expectEqual(fern.objectSchema.className, "DynamicPlant")
    expectTrue(fern.description.contains("colour = red;"))
  }

  @Test func allPropertiesAreReadByName() throws {
    let file = try makeFile()
    let realm = try file.open()
    try fill(realm)
    let plants = realm.dynamicObjects("DynamicPlant")
    expectEqual(plants.count, 2)
    try check(try #require(realm.dynamicObject(ofType: "DynamicPlant", forPrimaryKey: 1)))
    expectEqual(realm.dynamicObject(ofType: "DynamicPlant", forPrimaryKey: 7), nil)
    expectEqual(plants.filter("height > 0.1").first?.name as? String, "fern")
    expectEqual(plants.filter("ANY neighbours.name == 'moss'").count, 1)
    expectEqual(plants.filter("ANY besides.name == 'fern'").first?.name as? String, "moss")
    expectEqual(plants.sorted(byKeyPath: "name", ascending: false).first?.name as? String, "moss")
    let typed = try #require(realm.object(ofType: DynamicPlant.self, forPrimaryKey: 1))
    expectEqual(typed.dynamicList("neighbours").first?.name as? String, "moss")
  }

  /// `DynamicClasses` 2.
  @Test func frozenAndHandedOverTheyStayDynamic() throws {
    let file = try makeFile()
    let realm = try file.open()
    try fill(realm)
    let fern = try #require(realm.dynamicObject(ofType: "DynamicPlant", forPrimaryKey: 1))
    let frozen = fern.freeze()
    // Threads that follow links find them known.
    let classes = Array(try #require(frozen.realm).core.classes.dynamic.all)
    expectEqual(classes.count, 2)
    for info in classes {
      for (column, linked) in zip(info.columns, info.linkedClasses) where column?.type == .link {
        expectEqual(linked?.tableKey, column?.targetTable)
      }
    }
    let frozenPlants = realm.dynamicObjects("DynamicPlant").freeze()
    let frozenNeighbours = fern.dynamicList("neighbours").freeze()
    try realm.write { fern["name"] = "palm" }
    try check(frozen)
    expectEqual(frozenPlants.filter("name == 'fern'").count, 1)
    expectEqual(frozenNeighbours[0].name as? String, "moss")
    expectEqual(frozen.thaw()?.name as? String, "palm")
    expectEqual(frozenNeighbours.thaw()?.first?.name as? String, "moss")
    let reference = ThreadSafeReference(to: fern)
    let name = try onAnotherThread { try file.open().resolve(reference)?.name as? String }
    expectEqual(name, "palm")
  }

  @Test func propertiesAreSetByName() throws {
    let file = try makeFile()
    do {
      let realm = try file.open()
      try fill(realm)
      let fern = try #require(realm.dynamicObject(ofType: "DynamicPlant", forPrimaryKey: 1))
      let moss = try #require(realm.dynamicObject(ofType: "DynamicPlant", forPrimaryKey: 2))
      try realm.write {
        fern.name = "palm"
        fern["level"] = 3
        fern["height"] = nil
        fern["pot"] = ["colour": "blue"]
        fern["neighbours"] = [moss, fern]
        fern["friends"] = [fern]
        fern["byName"] = ["f": fern]
        fern["notes"] = ["dry"]
        moss["pot"] = ["colour": "green"]
        fern.dynamicList("neighbours").append(
          realm.dynamicCreate("DynamicPlant", value: ["id": 3, "pot": ["colour": "white"]]))
      }
    }
    let realm = try file.open()
    let fern = try #require(realm.object(ofType: DynamicPlant.self, forPrimaryKey: 1))
    expectEqual(fern.name, "palm")
    expectEqual(fern.level, .low)
    expectTrue(fern.height == nil)
    expectEqual(fern.pot?.colour, "blue")
    expectEqual(fern.neighbours.map(\.id), [2, 1, 3])
    expectEqual(fern.friends.map(\.id), [1])
    expectEqual(fern.byName["f"]??.id, 1)
    expectEqual(fern.byName.count, 1)
    expectEqual(Array(fern.notes), ["dry"])
    expectEqual(fern.neighbours.last?.name, "unnamed")
    expectEqual(fern.neighbours.last?.level, .low)
    expectEqual(fern.neighbours.last?.pot?.colour, "white")
    try expectEqual(realm.core.classes[DynamicPot.self].table.objectCount(), 3)
    try ReferenceReader.check(file.configuration)
  }

  @Test @MainActor func dynamicObjectsAreDeletedUpdatedAndObserved() throws {
    let file = try makeFile()
    let realm = try file.open()
    try fill(realm)
    let fern = try #require(realm.dynamicObject(ofType: "DynamicPlant", forPrimaryKey: 1))
    nonisolated(unsafe) var changes: [String] = []
    let token = fern.observe { (change: ObjectChange<DynamicObject>) in
      if case .change(_, let properties) = change { changes += properties.map(\.name) }
    }
    try realm.write {
      realm.dynamicCreate("DynamicPlant", value: ["id": 1, "height": 2], update: .modified)
    }
    _RealmTesting.runAsyncNotifiers(atPath: realm.core.file.path)
    realm.refresh()
    expectEqual(changes, ["height"])
    token.invalidate()
    try realm.write { realm.delete(fern) }
    expectTrue(fern.isInvalidated)
    expectEqual(realm.objects(DynamicPlant.self).map(\.id), [2])
    try realm.write { realm.delete(realm.dynamicObjects("DynamicPlant")) }
    expectTrue(realm.isEmpty)
  }

  @Test func typedObjectsTakeDynamicOnes() throws {
    let realm = try makeFile().open()
    try fill(realm)
    let moss = try #require(realm.dynamicObject(ofType: "DynamicPlant", forPrimaryKey: 2))
    try realm.write {
      let made = realm.create(
        DynamicPlant.self, value: ["id": 4, "neighbours": [moss]] as [String: Any])
      expectEqual(made.neighbours.first?.name, "moss")
      made.anything = .object(moss)
      expectEqual(made.anything.object(DynamicPlant.self)?.id, 2)
      let copy = realm.create(
        DynamicPlant.self,
        value: ["id": 5, "pot": try #require(realm.dynamicObjects("DynamicPot").first)])
      expectEqual(copy.pot?.colour, "red")
    }
  }
}

struct DynamicMisuseTests {
  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func anUnknownClass() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Misuse.realmWithPerson().realm.dynamicObjects("Nobody")
    }
    expect("Object type 'Nobody' is not managed by the Realm.", in: result)
  }

  @Test func anUnknownProperty() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Misuse.realmWithPerson().realm.dynamicObjects("Person").first?.nose
    }
    expect("Invalid property name 'nose' for class 'Person'.", in: result)
  }

  @Test func aValueOfAnotherType() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write { realm.dynamicObjects("Person").first?.name = 5 }
    }
    expect("Invalid value '5' of type 'Int' for 'string' property 'Person.name'.", in: result)
  }

  @Test func anElementOfAnotherClass() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write {
        let person = try #require(realm.dynamicObjects("Person").first)
        person.dynamicList("dogs").append(person)
      }
    }
    expect("Object of type 'Person' does not match RLMArray type 'Dog'.", in: result)
  }

  @Test func anUnmanagedDynamicObject() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write { realm.add(DynamicObject()) }
    }
    expect("Object type 'DynamicObject' is not managed by the Realm.", in: result)
  }
}
