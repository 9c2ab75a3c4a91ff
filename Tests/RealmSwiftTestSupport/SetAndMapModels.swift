// SPDX-License-Identifier: Apache-2.0

// Models with sets and maps of every element type.

package import Foundation
package import RealmSwift

package enum Grade: String, PersistableEnum { case low, middle, high }

package class Shelf: Object {
  @Persisted(primaryKey: true) package var id: Int
  @Persisted package var tags: MutableSet<String>
  @Persisted package var numbers: MutableSet<Int>
  @Persisted package var optionals: MutableSet<Int?>
  @Persisted package var grades: MutableSet<Grade>
  @Persisted package var anything: MutableSet<AnyRealmValue>
  @Persisted package var dogs: MutableSet<Dog>
  @Persisted package var scores: Map<String, Int>
  @Persisted package var weights: Map<String, Double?>
  @Persisted package var levels: Map<String, Grade>
  @Persisted package var mixed: Map<String, AnyRealmValue>
  @Persisted package var pets: Map<String, Dog?>
  @Persisted package var places: Map<String, Spot?>

  package override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

package class Spot: EmbeddedObject {
  @Persisted package var street: String

  package override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

package class Wardrobe: Object {
  @Persisted(primaryKey: true) package var id: Int
  @Persisted package var bools: MutableSet<Bool>
  @Persisted package var int8s: MutableSet<Int8>
  @Persisted package var floats: MutableSet<Float>
  @Persisted package var doubles: MutableSet<Double>
  @Persisted package var strings: MutableSet<String?>
  @Persisted package var datas: MutableSet<Data>
  @Persisted package var dates: MutableSet<Date>
  @Persisted package var uuids: MutableSet<UUID>
  @Persisted package var objectIds: MutableSet<ObjectId>
  @Persisted package var decimals: MutableSet<Decimal128>
  @Persisted package var boolMap: Map<String, Bool>
  @Persisted package var int8Map: Map<String, Int8>
  @Persisted package var floatMap: Map<String, Float>
  @Persisted package var doubleMap: Map<String, Double>
  @Persisted package var stringMap: Map<String, String?>
  @Persisted package var dataMap: Map<String, Data>
  @Persisted package var dateMap: Map<String, Date>
  @Persisted package var uuidMap: Map<String, UUID>
  @Persisted package var objectIdMap: Map<String, ObjectId>
  @Persisted package var decimalMap: Map<String, Decimal128>

  package override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension TemporaryRealm {
  /// A file for the models with sets and maps.
  package static func ofShelves() throws -> TemporaryRealm {
    try TemporaryRealm([Shelf.self, Spot.self, Wardrobe.self, Dog.self, Person.self])
  }
}
