// SPDX-License-Identifier: Apache-2.0

// Maps of a type of the program that is stored as an embedded object.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private class StoredLevel: EmbeddedObject {
  @Persisted var value: Int
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private struct Level: CustomPersistable {
  var value: Int
  init(_ value: Int) { self.value = value }
  init(persistedValue: StoredLevel) { value = persistedValue.value }
  var persistableValue: StoredLevel { StoredLevel(value: [value]) }
}

private class Tower: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var levels: Map<String, Level>
  @Persisted var maybe: Map<String, Level?>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same table with what the wrapper stores.
private enum Plain {
  class Tower: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var levels: Map<String, StoredLevel?>
    @Persisted var maybe: Map<String, StoredLevel?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

struct WrappedMapTests {
  private let file: TemporaryRealm

  init() throws { file = try TemporaryRealm([Tower.self, StoredLevel.self]) }

  @Test func theValuesNeedNotBeOptional() throws {
    do {
      let realm = try file.open()
      let tower = Tower(value: ["id": 1])
      tower.levels["low"] = Level(1)
      try realm.write {
        realm.add(tower)
        tower.levels["high"] = Level(2)
        tower.levels["low"] = Level(3)
        tower.maybe["low"] = Level(4)
      }
      expectEqual(tower.levels["low"]?.value, 3)
      expectEqual(tower.levels["high"]?.value, 2)
    }
    // Opened again the file has the same schema.
    let realm = try file.open()
    let tower = try #require(realm.object(ofType: Tower.self, forPrimaryKey: 1))
    expectEqual(tower.levels.keys, ["high", "low"])
    expectEqual(tower.levels.values.map(\.value), [2, 3])
    expectEqual(realm.schema["Tower"]?["levels"]?.isOptional, true)
    try realm.write { tower.levels.removeObject(for: "high") }
    expectEqual(tower.levels.count, 1)
    expectEqual(realm.dynamicObjects("StoredLevel").count, 2)
  }

  @Test func theFileIsThatOfOptionalValues() throws {
    do {
      let realm = try file.open()
      try realm.write {
        _ = realm.create(Tower.self, value: ["id": 1, "levels": ["a": ["value": 5]]])
      }
    }
    var configuration = file.configuration
    configuration.objectTypes = [Plain.Tower.self, StoredLevel.self]
    let realm = try Realm(configuration: configuration)
    expectEqual(realm.objects(Plain.Tower.self).first?.levels["a"]??.value, 5)
  }
}
