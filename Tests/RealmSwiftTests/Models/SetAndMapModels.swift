// SPDX-License-Identifier: Apache-2.0

// Models with sets and maps of every element type.

import Foundation
import RealmSwift

enum Grade: String, PersistableEnum { case low, middle, high }

class Shelf: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var tags: MutableSet<String>
  @Persisted var numbers: MutableSet<Int>
  @Persisted var optionals: MutableSet<Int?>
  @Persisted var grades: MutableSet<Grade>
  @Persisted var anything: MutableSet<AnyRealmValue>
  @Persisted var dogs: MutableSet<Dog>
  @Persisted var scores: Map<String, Int>
  @Persisted var weights: Map<String, Double?>
  @Persisted var levels: Map<String, Grade>
  @Persisted var mixed: Map<String, AnyRealmValue>
  @Persisted var pets: Map<String, Dog?>
  @Persisted var places: Map<String, Spot?>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Spot: EmbeddedObject {
  @Persisted var street: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Wardrobe: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var bools: MutableSet<Bool>
  @Persisted var int8s: MutableSet<Int8>
  @Persisted var floats: MutableSet<Float>
  @Persisted var doubles: MutableSet<Double>
  @Persisted var strings: MutableSet<String?>
  @Persisted var datas: MutableSet<Data>
  @Persisted var dates: MutableSet<Date>
  @Persisted var uuids: MutableSet<UUID>
  @Persisted var objectIds: MutableSet<ObjectId>
  @Persisted var decimals: MutableSet<Decimal128>
  @Persisted var boolMap: Map<String, Bool>
  @Persisted var int8Map: Map<String, Int8>
  @Persisted var floatMap: Map<String, Float>
  @Persisted var doubleMap: Map<String, Double>
  @Persisted var stringMap: Map<String, String?>
  @Persisted var dataMap: Map<String, Data>
  @Persisted var dateMap: Map<String, Date>
  @Persisted var uuidMap: Map<String, UUID>
  @Persisted var objectIdMap: Map<String, ObjectId>
  @Persisted var decimalMap: Map<String, Decimal128>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension TemporaryRealm {
  /// A file for the models with sets and maps.
  static func ofShelves() throws -> TemporaryRealm {
    try TemporaryRealm([Shelf.self, Spot.self, Wardrobe.self, Dog.self, Person.self])
  }
}
