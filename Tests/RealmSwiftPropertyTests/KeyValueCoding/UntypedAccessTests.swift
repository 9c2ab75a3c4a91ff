// SPDX-License-Identifier: Apache-2.0

// What untyped access gives and takes: the plain value inside mixed ones, null, and raw values.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private enum Tone: Int, PersistableEnum { case soft = 1, loud = 5 }

private struct Length: CustomPersistable {
  var metres: Double
  init(_ metres: Double) { self.metres = metres }
  init(persistedValue: Double) { metres = persistedValue }
  var persistableValue: Double { metres }
}

private class Sound: Object {
  @Persisted var name: String
  @Persisted var tone: Tone
  @Persisted var maybe: Tone?
  @Persisted var tones: List<Tone>
  @Persisted var length: Length
  @Persisted var number: Int
  @Persisted var any: AnyRealmValue
  @Persisted var anys: List<AnyRealmValue>
  @Persisted var anySet: MutableSet<AnyRealmValue>
  @Persisted var anyMap: Map<String, AnyRealmValue>
  @Persisted var optionals: List<Int?>
  @Persisted var optionalMap: Map<String, Int?>
  @Persisted var echoes: Map<String, Sound?>
  @Persisted var echo: Sound?
  @Persisted var part: SoundPart?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class SoundPart: EmbeddedObject {
  @Persisted var any: AnyRealmValue

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct UntypedAccessTests {
  private let file: TemporaryRealm

  init() throws { file = try TemporaryRealm([Sound.self, SoundPart.self]) }

  private func sound(managed: Bool) throws -> (Realm, Sound) {
    let realm = try file.open()
    let sound = Sound()
    if managed { try realm.write { realm.add(sound) } }
    return (realm, sound)
  }

  // MARK: Mixed values

  @Test(arguments: [false, true]) func aMixedValueIsGivenPlain(managed: Bool) throws {
    let (realm, sound) = try sound(managed: managed)
    let plain: [(AnyRealmValue, any Hashable)] = [
      (.int(3), 3), (.bool(true), true), (.float(1.5), Float(1.5)), (.double(2.5), 2.5),
      (.string("x"), "x"), (.data(Data([1])), Data([1])),
      (.date(Date(timeIntervalSince1970: 5)), Date(timeIntervalSince1970: 5)),
      (.decimal128("1.5"), Decimal128("1.5")), (.objectId(ObjectId()), ObjectId()),
    ]
    for (value, expected) in plain {
      try realm.write { sound.any = value }
      expectEqual(sound["any"] as? AnyHashable, AnyHashable(expected))
      expectEqual(sound.value(forKey: "any") as? AnyHashable, AnyHashable(expected))
      expectEqual(sound.value(forKeyPath: "any") as? AnyHashable, AnyHashable(expected))
      expectTrue(!(sound["any"] is AnyRealmValue))
    }
    try realm.write { sound.any = .none }
    expectTrue(sound["any"] == nil)
    expectTrue(sound.value(forKey: "any") == nil)
    try realm.write { sound.any = .fromArray([.int(1)]) }
    expectEqual((sound["any"] as? List<AnyRealmValue>)?.count, 1)
    try realm.write { sound.part = SoundPart(value: ["any": 4]) }
    expectEqual(sound.part?["any"] as? Int, 4)
    expectEqual(sound.value(forKeyPath: "part.any") as? Int, 4)
  }

  @Test(arguments: [false, true]) func elementsOfMixedCollectionsAreGivenPlain(
    managed: Bool
  ) throws {
    let (realm, sound) = try sound(managed: managed)
    try realm.write {
      sound.anys.append(objectsIn: [.int(1), .string("a"), .none])
      sound.anySet.insert(objectsIn: [.int(2), .none])
      sound.anyMap["k"] = .string("v")
      sound.anyMap["none"] = AnyRealmValue.none
    }
    let list: [AnyObject] = sound.anys.value(forKey: "self")
    expectEqual(list[0] as? Int, 1)
    expectEqual(list[1] as? String, "a")
    expectTrue(list[2] is NSNull)
    let set: [AnyObject] = sound.anySet.value(forKey: "self")
    expectEqual(set.count, 2)
    #expect(set.contains { $0 as? Int == 2 })
    expectEqual(sound.anyMap.value(forKey: "k") as? String, "v")
    expectEqual(sound.anyMap.object(forKey: "k" as AnyObject) as? String, "v")
    expectTrue(sound.anyMap.value(forKey: "none") is NSNull)
    expectEqual(sound.anyMap.value(forKeyPath: "@allValues") as? [String?], ["v", nil])
  }

  // MARK: Null

  @Test(arguments: [false, true]) func nullInAMapIsNotAbsent(managed: Bool) throws {
    let (realm, sound) = try sound(managed: managed)
    try realm.write {
      sound.optionalMap["null"] = .some(nil)
      sound.optionalMap["one"] = 1
      sound.echoes["gone"] = .some(nil)
    }
    expectTrue(sound.optionalMap.value(forKey: "null") is NSNull)
    #expect(sound.optionalMap.object(forKey: "null" as AnyObject) is NSNull)
    expectTrue(sound.echoes.value(forKey: "gone") is NSNull)
    expectTrue(sound.optionalMap.value(forKey: "absent") == nil)
    #expect(sound.optionalMap.object(forKey: "absent" as AnyObject) == nil)
    expectEqual(sound.optionalMap.value(forKey: "one") as? Int, 1)
    expectTrue(sound.value(forKeyPath: "echoes.gone.name") == nil)
  }

  @Test(arguments: [false, true]) func arraysWithNullCanBeCastToArraysOfOptionals(
    managed: Bool
  ) throws {
    let (realm, sound) = try sound(managed: managed)
    try realm.write { sound.optionals.append(objectsIn: [1, nil, 3]) }
    let values: [AnyObject] = sound.optionals.value(forKey: "self")
    #expect(values as? [Int?] == [1, nil, 3] && values[1] is NSNull)
    let untyped: Any? = AnyRealmCollection(sound.optionals).value(forKey: "self")
    expectEqual(untyped as? [Int?], [1, nil, 3])
  }

  @Test func nullIsConvertedToNil() {
    let number: Int? = dynamicBridgeCast(fromObjectiveC: NSNull())
    let text: String? = dynamicBridgeCast(fromObjectiveC: Int?.none as Any)
    expectTrue(number == nil)
    expectTrue(text == nil)
    expectEqual(dynamicBridgeCast(fromObjectiveC: 5) as Int?, 5)
  }

  // MARK: Sets

  @Test(arguments: [false, true]) func valuesOfASetAreThereOnce(managed: Bool) throws {
    let realm = try TemporaryRealm.ofShelves().open()
    let shelf = Shelf()
    if managed { try realm.write { realm.add(shelf) } }
    try realm.write {
      for name in ["a", "b", "a"] { shelf.dogs.insert(Dog(value: ["name": name])) }
      shelf.numbers.insert(objectsIn: [3, 1])
    }
    let names: [AnyObject] = shelf.dogs.value(forKey: "name")
    expectEqual((names as? [String])?.sorted(), ["a", "b"])
    let untyped: Any? = shelf.dogs.value(forKey: "name")
    expectEqual(untyped as? Set<String>, ["a", "b"])
    let any: Any? = AnyRealmCollection(shelf.dogs).value(forKey: "name")
    expectEqual(any as? Set<String>, ["a", "b"])
    let numbers: Any? = shelf.numbers.value(forKey: "self")
    expectEqual(numbers as? Set<Int>, [1, 3])
  }

  // MARK: Enumerations and custom types

  @Test func rawValuesOfNoCaseAreStored() throws {
    let (realm, sound) = try sound(managed: true)
    try realm.write {
      sound["maybe"] = 99
      sound["tone"] = 5
      sound.setValue(77, forKey: "maybe")
    }
    expectTrue(sound.maybe == nil)
    expectEqual(sound.tone, .loud)
    let dynamic = try #require(realm.dynamicObjects("Sound").first)
    expectEqual(dynamic["maybe"] as? Int, 77)
    try realm.write { dynamic["maybe"] = 1 }
    expectEqual(sound.maybe, .soft)
    try realm.write { _ = realm.create(Sound.self, value: ["name": "made", "maybe": 42]) }
    expectEqual(realm.dynamicObjects("Sound").last?["maybe"] as? Int, 42)
  }

  @Test func casesAndCustomTypesAreTakenForWhatTheyAreStoredAs() throws {
    let (realm, sound) = try sound(managed: true)
    let dynamic = try #require(realm.dynamicObjects("Sound").first)
    try realm.write {
      dynamic["tone"] = Tone.loud
      dynamic["tones"] = [Tone.loud, Tone.soft]
      dynamic["length"] = Length(2.5)
      sound["number"] = Tone.loud
      sound["any"] = Tone.soft
    }
    expectEqual(sound.tone, .loud)
    expectEqual(Array(sound.tones), [.loud, .soft])
    expectEqual(sound.length.metres, 2.5)
    expectEqual(sound.number, 5)
    expectEqual(sound.any, .int(1))
  }

  // MARK: Links

  @Test func linksOfDynamicObjectsAreObjectsOfTheProgram() throws {
    let (realm, sound) = try sound(managed: true)
    try realm.write {
      sound.echo = Sound(value: ["name": "far"])
      sound.part = SoundPart()
      sound.any = .object(try #require(sound.echo))
    }
    let dynamic = try #require(realm.dynamicObjects("Sound").first)
    #expect((dynamic["echo"] as? Sound)?.name == "far")
    #expect((dynamic.echo as? Sound)?.name == "far")
    expectTrue(dynamic["part"] is SoundPart)
    #expect((dynamic["any"] as? Sound)?.name == "far")
    expectEqual(dynamic.value(forKeyPath: "echo.name") as? String, "far")
    expectEqual((dynamic.freeze()["echo"] as? Sound)?.isFrozen, true)
    try realm.write { dynamic["any"] = realm.dynamicObjects("Sound").last }
    expectEqual(sound.any.object(Sound.self)?.name, "far")
  }

  // MARK: Collections of plain values

  @Test func dynamicCollectionsOfPlainValues() throws {
    let (realm, sound) = try sound(managed: true)
    try realm.write {
      sound.optionals.append(objectsIn: [4, nil])
      sound.anySet.insert(objectsIn: [.int(2), .string("s")])
    }
    let list = sound.dynamicList("optionals")
    expectEqual(list.count, 2)
    let values: [AnyObject] = list.value(forKey: "self")
    expectEqual(values as? [Int?], [4, nil])
    let dynamic = try #require(realm.dynamicObjects("Sound").first)
    let set = dynamic.dynamicMutableSet("anySet")
    expectEqual(set.count, 2)
    let members: Any? = set.value(forKey: "self")
    expectEqual(members as? Set<AnyHashable>, [2, "s"])
    try realm.write { list.removeAll() }
    expectTrue(sound.optionals.isEmpty)
  }
}
