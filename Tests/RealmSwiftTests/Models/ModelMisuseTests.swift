// SPDX-License-Identifier: Apache-2.0

// Misuse of models ends with the documented texts.

import Foundation
import RealmSwiftTestSupport
import Testing

@testable import RealmSwift

private enum Mood: Int, PersistableEnum { case good = 1, bad }

private class Diary: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var mood: Mood
  @Persisted var spot: Spot?
  @Persisted var flag: Bool

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct ModelMisuseTests {
  private static func diary() throws -> (realm: Realm, diary: Diary) {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Diary.self, Spot.self]))
    return (realm, try realm.write { realm.create(Diary.self, value: ["id": 1]) })
  }

  static let cases: [MisuseCase] = [
    MisuseCase("madeFromNil", "Must provide a non-nil value.") {
      _ = Person(value: Int?.none as Any)
    },
    MisuseCase(
      "madeFromTooLongAnArray", "Invalid array input: more values (4) than properties (2)."
    ) { _ = Dog(value: ["Rex", 1, 2, 3] as [Any]) },
    MisuseCase("embeddedMadeFromNil", "Must provide a non-nil value.") {
      _ = Spot(value: NSNull())
    },
    MisuseCase("unknownName", "Invalid property name 'nope' for class 'Dog'.") {
      Dog()["nope"] = 1
    },
    MisuseCase("readingAnUnknownName", "Invalid property name 'nope' for class 'Dog'.") {
      _ = Dog()["nope"]
    },
    MisuseCase("unknownNameOfAnEmbeddedObject", "Invalid property name 'nope' for class 'Spot'.") {
      Spot()["nope"] = 1
    },
    MisuseCase(
      "primaryKeyByName", "Primary key can't be changed to '2' after an object is inserted."
    ) {
      let (realm, diary) = try ModelMisuseTests.diary()
      try realm.write { diary["id"] = 2 }
    },
    MisuseCase("settingBacklinks", "LinkingObjects properties are read-only") {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write {
        let dog = realm.create(Dog.self)
        dog["owners"] = [Any]()
      }
    },
    MisuseCase("assigningBacklinks", "LinkingObjects properties are read-only") {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write {
        let dog = realm.create(Dog.self)
        dog.owners = LinkingObjects(fromType: Person.self, property: "dogs")
      }
    },
    MisuseCase("readingNoCase", "The stored value '0' is not a case of 'Mood'") {
      let (realm, diary) = try ModelMisuseTests.diary()
      try realm.write {
        let dynamic = realm.dynamicObject(ofType: "Diary", forPrimaryKey: 1)
        dynamic?["mood"] = 0
      }
      _ = diary.mood
    },
    MisuseCase("creatingAnEmbeddedObject", "Embedded objects cannot be created directly") {
      let realm = try ModelMisuseTests.diary().realm
      try realm.write { realm.dynamicCreate("Spot") }
    },
    MisuseCase("linkingAnEmbeddedObjectTwice", "Can't set link to existing managed embedded object")
    {
      let (realm, diary) = try ModelMisuseTests.diary()
      try realm.write {
        diary.spot = Spot()
        realm.create(Diary.self, value: ["id": 2]).spot = diary.spot
      }
    },
    MisuseCase(
      "anotherTypeByName", "Invalid value 'x' of type 'String' for 'int' property 'Diary.id'."
    ) { Diary()["id"] = "x" },
  ]

  @Test(arguments: cases.map(\.name)) func misuse(_ name: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [name] in
      try Self.cases.run(name)
    }
    Self.cases.expectText(of: name, result)
  }
}
