// SPDX-License-Identifier: Apache-2.0

// Objects made from values that come from outside: what does not fit is an error.

import Foundation
import RealmSwiftTestSupport
import RealmTables
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

struct ValidatedCreateTests {
  private let file: TemporaryRealm
  private let realm: Realm

  init() throws {
    file = try TemporaryRealm()
    realm = try file.open()
  }

  private func person(_ json: String, _ update: Realm.UpdatePolicy = .error) throws -> Person {
    let value = try JSONSerialization.jsonObject(
      with: Data(json.utf8), options: .fragmentsAllowed)
    return try realm.write { try realm.create(Person.self, validating: value, update: update) }
  }

  @Test func valuesThatFitBecomeObjects() throws {
    let made = try person(
      #"{"id": 1, "name": "Ann", "height": null, "other": [1], "nicknames": ["a", "b"],"#
        + #" "dogs": [{"name": "Rex"}, ["Fido", 3]], "best": {"name": "Bo"}}"#)
    expectTrue(made.name == "Ann" && made.age == 18 && made.height == nil)
    expectTrue(made.dogs.map(\.name) == ["Rex", "Fido"] && made.dogs[1].age == 3)
    expectTrue(made.best?.name == "Bo" && Array(made.nicknames) == ["a", "b"])
    try expectEqual(person(#"{"id": 1, "name": "Eve"}"#, .modified).name, "Eve")
    try expectEqual(DatabaseCheck.run(realm.core.snapshot()), [])
  }

  /// `ObjectWriter+Create` 1.
  @Test(arguments: [
    ("3", ""), ("null", ""), ("[1, 2, 3, 4, 5, 6, 7, 8]", ""), (#"{"id": "x"}"#, "id"),
    (#"{"id": null}"#, "id"), (#"{"id": 7}"#, "id"), (#"{"id": 1, "name": 3}"#, "name"),
    (#"{"id": 1, "age": 1.5}"#, "age"), (#"{"id": 1, "age": null}"#, "age"),
    (#"{"id": 1, "height": "x"}"#, "height"), (#"{"id": 1, "nicknames": "x"}"#, "nicknames"),
    (#"{"id": 1, "nicknames": [1]}"#, "nicknames"), (#"{"id": 1, "dogs": {"name": "x"}}"#, "dogs"),
    (#"{"id": 1, "dogs": [{"name": "x"}, {"age": "y"}]}"#, "dogs[1].age"),
    (#"{"id": 1, "dogs": [null]}"#, "dogs[0]"), (#"{"id": 1, "best": 3}"#, "best"),
    (#"{"id": 1, "best": {"name": []}}"#, "best.name"),
  ])
  func whatDoesNotFitIsAnErrorWithItsKeyPath(_ json: String, _ keyPath: String) throws {
    try realm.write { realm.create(Person.self, value: ["id": 7]) }
    let error = #expect(throws: ObjectValueError.self) { try person(json) }
    expectEqual(error?.keyPath, keyPath, "\(json): \(error?.localizedDescription ?? "")")
    expectEqual(error?.className, "Person")
    expectTrue(keyPath.isEmpty || error?.errorDescription?.contains("'\(keyPath)'") == true)
    expectEqual(realm.objects(Person.self).count, 1)
    expectTrue(realm.objects(Dog.self).isEmpty)
  }

  @Test func objectsOfOtherClassesAndForbiddenKeysAreErrors() throws {
    realm.beginWrite()
    let dog = Dog()
    let error = #expect(throws: ObjectValueError.self) {
      try realm.create(Person.self, validating: ["id": 1, "best": Person()] as [String: Any])
    }
    expectEqual(error?.keyPath, "best")
    #expect(throws: ObjectValueError.self) { try realm.create(Person.self, validating: dog) }
    #expect(throws: ObjectValueError.self) {
      try realm.create(Dog.self, validating: ["name": "x"], update: .all)
    }
    let made = try realm.create(
      Person.self, validating: ["id": 1, "best": dog] as [String: Any])
    expectTrue(made.best != nil)
    expectTrue(dog.realm == nil)
    realm.cancelWrite()
  }
}
