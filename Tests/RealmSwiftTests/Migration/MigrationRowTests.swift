// SPDX-License-Identifier: Apache-2.0

// Steps of migrations that need no block, and those that do: kinds of classes, primary keys, names.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

private enum Before {
  class House: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var street: String
    @Persisted var number: Int?
    @Persisted var rooms: List<Room>
    @Persisted var best: Room?
    @Persisted var tags: MutableSet<String>
    @Persisted var prices: Map<String, Double?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Room: EmbeddedObject {
    @Persisted var name: String
    @Persisted var area: Double
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  static let types: [ObjectBase.Type] = [House.self, Room.self]
}

/// Rooms are found by themselves; ids are texts; most names are other ones.
private enum After {
  class House: Object {
    @Persisted(primaryKey: true) var id: String
    @Persisted(indexed: true) var road: String
    @Persisted var number: Int?
    @Persisted var chambers: List<Room>
    @Persisted var favourite: Room?
    @Persisted var labels: MutableSet<String>
    @Persisted var costs: Map<String, Double?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func propertiesMapping() -> [String: String] { ["number": "house_number"] }
  }

  class Room: Object {
    @Persisted var title: String
    @Persisted var area: Double
    @Persisted(originProperty: "chambers") var houses: LinkingObjects<House>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  static let types: [ObjectBase.Type] = [House.self, Room.self]
}

/// Without a primary key, and with another one.
private enum Keys {
  enum Renamed {
    class House: Object {
      @Persisted(primaryKey: true) var number: Int
      @Persisted(indexed: .fullText) var text: String
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }
  enum None {
    class House: Object {
      @Persisted var id: Int
      @Persisted var street: String
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }
  enum Street {
    class House: Object {
      @Persisted var id: Int
      @Persisted(primaryKey: true) var street: String
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }
  enum Optional {
    class House: Object {
      @Persisted var id: Int
      @Persisted(primaryKey: true) var street: String?
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }
}

@Suite("Coverage 16: steps of migrations") struct MigrationRowTests {
  private func makeFile() throws -> TemporaryRealm {
    let file = try TemporaryRealm(Before.types)
    let realm = try file.open()
    try realm.write {
      for id in 1...3 {
        realm.create(
          Before.House.self,
          value: [
            "id": id, "street": "street \(id)", "number": id == 2 ? nil : id,
            "rooms": [["name": "hall", "area": 1.5], ["name": "attic \(id)"]],
            "best": ["name": "bath"], "tags": ["a", "b\(id)"], "prices": ["rent": 9.5, "no": nil],
          ] as [String: Any?])
      }
    }
    return file
  }

  private func configure(
    _ file: TemporaryRealm, _ version: UInt64, _ types: [ObjectBase.Type],
    _ block: MigrationBlock? = nil
  ) {
    file.configuration.schemaVersion = version
    file.configuration.objectTypes = types
    file.configuration.migrationBlock = block
  }

  @Test func everythingIsRenamedAndPartsBecomeObjects() throws {
    let file = try makeFile()
    configure(file, 1, After.types) { migration, _ in
      for (old, new) in [
        ("street", "road"), ("number", "house_number"), ("rooms", "chambers"),
        ("best", "favourite"), ("tags", "labels"), ("prices", "costs"),
      ] { migration.renameProperty(onType: "House", from: old, to: new) }
      migration.renameProperty(onType: "Room", from: "name", to: "title")
      migration.enumerateObjects(ofType: "House") { old, new in
        new?.id = "house \(old?.id ?? 0)"
      }
    }
    do {
      let realm = try file.open()
      let houses = realm.objects(After.House.self).sorted(by: \.id)
      expectEqual(houses.map(\.id), ["house 1", "house 2", "house 3"])
      expectEqual(houses.map(\.road), ["street 1", "street 2", "street 3"])
      expectEqual(houses.map(\.number), [1, nil, 3])
      expectEqual(houses.map { $0.chambers.map(\.title).joined(separator: " ") }[2], "hall attic 3")
      #expect(houses.allSatisfy { $0.chambers[0].area == 1.5 && $0.favourite?.title == "bath" })
      expectEqual(houses.map { $0.labels.sorted()[1] }, ["b1", "b2", "b3"])
      #expect(houses.allSatisfy { $0.costs["rent"] == 9.5 && $0.costs["no"] == .some(nil) })
      expectEqual(realm.objects(After.House.self).where { $0.road == "street 2" }.count, 1)
      expectEqual(realm.object(ofType: After.House.self, forPrimaryKey: "house 2")?.number, nil)
      // What was a part has a life of its own now, and may be shared.
      expectEqual(realm.objects(After.Room.self).count, 9)
      try realm.write {
        let hall = try #require(houses[0].chambers.first)
        houses[1].chambers.append(hall)
        expectEqual(hall.houses.count, 2)
        realm.delete(houses[2])
      }
      expectEqual(realm.objects(After.Room.self).count, 9)
    }
    try ReferenceReader.check(file.configuration)
  }

  @Test func primaryKeysComeAndGo() throws {
    let file = try makeFile()
    configure(file, 1, [Keys.None.House.self])
    do {
      let realm = try file.open()
      expectEqual(realm.objects(Keys.None.House.self).map(\.id), [1, 2, 3])
      try realm.write { realm.create(Keys.None.House.self, value: ["id": 3, "street": "new"]) }
    }
    configure(file, 2, [Keys.Street.House.self])
    do {
      let realm = try file.open()
      let house = realm.object(ofType: Keys.Street.House.self, forPrimaryKey: "new")
      expectEqual(house?.id, 3)
      expectEqual(realm.objects(Keys.Street.House.self).count, 4)
      expectEqual(realm.schema["House"]?.primaryKeyProperty?.name, "street")
    }
    configure(file, 3, [Keys.Optional.House.self])
    do {
      let realm = try file.open()
      try realm.write { realm.create(Keys.Optional.House.self, value: ["street": nil, "id": 9]) }
      let house = realm.object(ofType: Keys.Optional.House.self, forPrimaryKey: "street 2")
      expectEqual(house?.id, 2)
      let none = realm.objects(Keys.Optional.House.self).where { $0.street == nil }
      expectEqual(none.first?.id, 9)
    }
    try ReferenceReader.check(file.configuration)
    configure(file, 4, [Keys.Street.House.self])
    let realm = try file.open()
    expectEqual(realm.object(ofType: Keys.Street.House.self, forPrimaryKey: "")?.id, 9)
    expectEqual(realm.objects(Keys.Street.House.self).count, 5)
    try ReferenceReader.check(file.configuration)
  }

  /// `MigrationRun` 2.
  @Test func aPrimaryKeyMayBeRenamed() throws {
    let file = try makeFile()
    configure(file, 1, [Keys.Renamed.House.self]) { migration, _ in
      migration.renameProperty(onType: "House", from: "id", to: "number")
      migration.renameProperty(onType: "House", from: "street", to: "text")
    }
    let realm = try file.open()
    let house = try #require(realm.object(ofType: Keys.Renamed.House.self, forPrimaryKey: 2))
    expectEqual(house.text, "street 2")
    expectEqual(realm.schema["House"]?.primaryKeyProperty?.name, "number")
    expectEqual(realm.objects(Keys.Renamed.House.self).filter("text TEXT '3'").map(\.number), [3])
    try realm.write {
      realm.create(Keys.Renamed.House.self, value: ["number": 2, "text": "new"], update: .all)
    }
    expectEqual(realm.objects(Keys.Renamed.House.self).count, 3)
    expectEqual(house.text, "new")
    try ReferenceReader.check(file.configuration)
  }

  @Test func classesComeAndGo() throws {
    let file = try makeFile()
    // Without its class a table is not visible, and it stays.
    configure(file, 0, [Dog.self, Person.self])
    do {
      let realm = try file.open()
      expectTrue(realm.schema["House"] == nil)
      expectTrue(realm.isEmpty)
      try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
    }
    configure(file, 1, [Dog.self, Person.self]) { migration, version in
      expectEqual(version, 0)
      expectEqual(migration.oldSchema["House"]?["rooms"]?.objectClassName, "Room")
      expectEqual(migration.newSchema["House"], nil)
      var streets: [String] = []
      migration.enumerateObjects(ofType: "House") { old, new in
        expectEqual(new, nil)
        let rooms = old?.dynamicList("rooms").map { $0.name as? String ?? "-" } ?? []
        expectEqual(rooms.count, 2)
        #expect((old?.best as? DynamicObject)?.name as? String == "bath")
        streets.append(old?.street as? String ?? "-")
        migration.create("Dog", value: ["name": rooms[1]])
      }
      expectEqual(streets, ["street 1", "street 2", "street 3"])
      expectTrue(migration.deleteData(forType: "House"))
    }
    do {
      let realm = try file.open()
      expectEqual(realm.objects(Dog.self).map(\.name), ["Rex", "attic 1", "attic 2", "attic 3"])
    }
    configure(file, 1, Before.types + [Dog.self, Person.self])
    #expect(try file.open().objects(Before.House.self).isEmpty)
    try ReferenceReader.check(file.configuration)
  }

  @Test func theBlockMayLookAtObjectsInAnyOrder() throws {
    let file = try makeFile()
    configure(file, 1, Before.types) { migration, _ in
      var visited: [Int] = []
      migration.enumerateObjects(ofType: "House") { old, new in
        guard let old, let new else { return }
        visited.append(new.id as? Int ?? 0)
        // What is created meanwhile is not come to; what is deleted neither.
        if old.id as? Int == 1 {
          migration.create("House", value: ["id": 10])
          migration.enumerateObjects(ofType: "House") { _, other in
            if let other, other.id as? Int == 2 { migration.delete(other) }
          }
        }
        new.number = nil
        new["rooms"] = [["name": "only \(visited.count)"]]
      }
      expectEqual(visited, [1, 3])
    }
    let realm = try file.open()
    let houses = realm.objects(Before.House.self).sorted(by: \.id)
    expectEqual(houses.map(\.id), [1, 3, 10])
    #expect(houses.allSatisfy { $0.number == nil })
    expectEqual(houses.map { $0.rooms.map(\.name) }, [["only 1"], ["only 2"], []])
    expectEqual(realm.dynamicObjects("Room").count, 4)
    try ReferenceReader.check(file.configuration)
  }

  @Test func emptyMigrationsSetTheVersion() throws {
    let file = try makeFile()
    let versions = Mutex<[UInt64]>([])
    for version in [1, 5, 9] as [UInt64] {
      configure(file, version, Before.types) { _, old in versions.withLock { $0.append(old) } }
      do { try expectEqual(file.open().objects(Before.House.self).count, 3) }
      try expectEqual(schemaVersionAtURL(try #require(file.configuration.fileURL)), version)
    }
    expectEqual(versions.withLock { $0 }, [0, 1, 5])
    // Of another process's file too, whatever the program's classes are.
    file.configuration.inMemoryIdentifier = UUID().uuidString
    file.configuration.schemaVersion = 3
    _ = try file.open()
    expectEqual(versions.withLock { $0 }, [0, 1, 5])
  }

  @Test func texts() async {
    await #expect(processExitsWith: .success) {
      @Sendable func text(_ block: @escaping MigrationBlock) -> String {
        Traps.text {
          let file = try TemporaryRealm.ofFirstAge()
          file.becomeSecondAge(version: 1, block)
          _ = try file.open()
        }
      }
      expectEqual(
        Traps.text {
          let file = try TemporaryRealm([AllTypes.self])
          do { _ = try file.open() }
          file.configuration.objectTypes = [RenamedTypes.AllTypes.self]
          file.configuration.schemaVersion = 1
          file.configuration.migrationBlock = { migration, _ in
            migration.renameProperty(onType: "AllTypes", from: "optionalInt", to: "number")
          }
          _ = try file.open()
        },
        "Cannot rename property 'AllTypes.optionalInt' to 'number' because it would change "
          + "from optional to required.")
      let unknown = text { migration, _ in _ = migration.create("Nobody") }
      expectTrue(unknown.hasPrefix("Object type 'Nobody' is not managed by the Realm."))
      expectEqual(
        text { migration, _ in
          migration.enumerateObjects(ofType: "Reader") { old, _ in _ = old?["nose"] }
        }, "Invalid property name 'nose' for class 'Reader'.")
      expectEqual(
        text { migration, _ in
          migration.enumerateObjects(ofType: "Reader") { _, new in new?["nose"] = 1 }
        }, "Invalid property name 'nose' for class 'Reader'.")
      expectEqual(
        text { migration, _ in
          migration.enumerateObjects(ofType: "Reader") { _, new in new?.score = "x" }
        }, "Invalid value 'x' of type 'String' for 'int' property 'Reader.score'.")
      let null = text { migration, _ in
        migration.enumerateObjects(ofType: "Reader") { _, new in new?.score = nil }
      }
      expectTrue(null.hasPrefix("Invalid value '"))
      expectEqual(
        text { migration, _ in
          migration.enumerateObjects(ofType: "Reader") { old, _ in
            if let old { migration.delete(old) }
          }
        }, "Can only delete an object from the Realm it belongs to.")
    }
  }
}

enum RenamedTypes {
  class AllTypes: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var number: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}
