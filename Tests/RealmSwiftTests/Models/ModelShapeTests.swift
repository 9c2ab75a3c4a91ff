// SPDX-License-Identifier: Apache-2.0

// The ways in which programs declare classes: subclasses, private and nested ones, initializers,
// and names of columns.

import Foundation
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

private class Animal: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name = "nameless"
  var plain = 7
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Lion: Animal {
  @Persisted var teeth = 30
  @Persisted private(set) var born = Date(timeIntervalSince1970: 0)
  lazy var loud = name.uppercased()
  var seen = 0

  convenience init(id: Int, name: String) {
    self.init()
    self.id = id
    self.name = name
  }

  required init() {
    super.init()
    seen = 1
  }
}

private class Guest: Object {
  @Persisted var name: String
  @Persisted(originProperty: "guests") var zoos: LinkingObjects<Zoo>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Zoo: Object {
  /// A class that is nested, and private with its parent.
  enum Parts {
    final class Cage: Object {
      @Persisted var number: Int
      @Persisted var lions: List<Lion>
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  @Persisted var name: String
  @Persisted var animals: List<Animal>
  @Persisted var star: Lion?
  @Persisted var guests: List<Guest>
  @Persisted var cages: List<Parts.Cage>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
  override class func propertiesMapping() -> [String: String] {
    ["name": "_title", "animals": "all_animals", "guests": "visitors"]
  }
}

struct ModelShapeTests {
  private let file: TemporaryRealm

  init() throws {
    file = try TemporaryRealm([Animal.self, Lion.self, Guest.self, Zoo.self, Zoo.Parts.Cage.self])
  }

  @Test func subclassesHaveTheirOwnTable() throws {
    let realm = try file.open()
    let lion = Lion(id: 1, name: "Leo")
    expectEqual(lion.seen, 1)
    expectEqual(lion.plain, 7)
    try realm.write {
      realm.add(lion)
      realm.create(Animal.self, value: ["id": 1])
      realm.create(Lion.self, value: [2, "Lea", 28] as [Any])
    }
    expectEqual(realm.objects(Animal.self).count, 1)
    expectEqual(realm.objects(Lion.self).count, 2)
    expectEqual(realm.objects(Lion.self).where { $0.name == "Lea" && $0.teeth == 28 }.count, 1)
    let read = try #require(realm.object(ofType: Lion.self, forPrimaryKey: 1))
    expectEqual(read.teeth, 30)
    expectEqual(read.name, "Leo")
    expectEqual(read.loud, "LEO")
    expectEqual(read.seen, 1)
    expectEqual(read.born, Date(timeIntervalSince1970: 0))
    expectEqual(realm.object(ofType: Animal.self, forPrimaryKey: 1)?.name, "nameless")
    expectEqual(Lion.className(), "Lion")
    expectEqual(Zoo.Parts.Cage.className(), "Cage")
  }

  /// `ClassLayout` 1.
  @Test func columnsMayHaveOtherNames() throws {
    do {
      let realm = try file.open()
      try realm.write {
        let zoo = realm.create(
          Zoo.self,
          value: [
            "name": "Berlin", "animals": [["id": 5], ["id": 6, "name": "Ape"]],
            "star": ["id": 7, "name": "Rex"], "cages": [["number": 3, "lions": [["id": 8]]]],
          ] as [String: Any])
        zoo.guests.append(Guest(value: ["Ann"]))
        expectEqual(zoo.guests[0].zoos.count, 1)
      }
      let columns = try realm.core.classes[Zoo.self].table.schema.columns.map(\.name)
      expectTrue(columns.contains("_title"))
      expectTrue(columns.contains("all_animals"))
      expectFalse(columns.contains("name"))
    }
    let realm = try file.open()
    let zoos = realm.objects(Zoo.self)
    expectEqual(zoos.where { $0.name == "Berlin" }.count, 1)
    expectEqual(zoos.filter("name == %@ AND ANY animals.name == 'Ape'", "Berlin").count, 1)
    expectEqual(zoos.sorted(byKeyPath: "name").first?.animals.count, 2)
    expectEqual(zoos.first?.star?.name, "Rex")
    expectEqual(zoos.first?.cages[0].lions[0].id, 8)
    expectEqual(zoos.first?.guests.first?.zoos.first?.name, "Berlin")
    try ReferenceReader.check(file.configuration)
  }

  @Test func linkingObjectsAreACollection() throws {
    let realm = try file.open()
    let (guest, zoo) = try realm.write {
      let guest = realm.create(Guest.self)
      let zoo = realm.create(Zoo.self, value: ["name": "A", "guests": [guest, guest]])
      realm.create(Zoo.self, value: ["name": "B", "guests": [guest]])
      return (guest, zoo)
    }
    let zoos = guest.zoos
    expectEqual(zoos.count, 3)
    expectTrue(zoos.index(of: zoo) != nil)
    expectFalse(zoos.isEmpty)
    expectEqual(zoos.map(\.name).sorted(), ["A", "A", "B"])
    expectEqual(zoos.realm, realm)
    expectEqual(zoos.where { $0.name == "A" }.count, 2)
    expectEqual(zoos.filter("name == 'B'").count, 1)
    expectEqual(zoos.sorted(byKeyPath: "name", ascending: false).first?.name, "B")
    let frozen = zoos.freeze()
    try realm.write { zoo.guests.removeAll() }
    expectEqual(zoos.count, 1)
    expectEqual(frozen.count, 3)
    expectEqual(frozen.thaw()?.count, 1)
    expectEqual(ThreadSafeReference(to: zoos).isInvalidated, false)
    try realm.write { realm.delete(guest) }
    let unmanaged = Guest()
    expectTrue(unmanaged.zoos.isEmpty)
    expectTrue(unmanaged.zoos.realm == nil)
  }
}
