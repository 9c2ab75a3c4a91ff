// SPDX-License-Identifier: Apache-2.0

// Classes with a collection of every element type.

import Foundation
import RealmSwift
import RealmSwiftTestSupport

enum ElementInt: Int, PersistableEnum { case low = -7, middle = 0, high = 300 }

enum ElementText: String, PersistableEnum { case a, bb, ccc }

/// A type of the program that is stored as a number.
struct ElementCustom: CustomPersistable {
  var number: Int
  init(_ number: Int) { self.number = number }
  init(persistedValue: Int) { number = persistedValue }
  var persistableValue: Int { number }
}

/// What an `ElementPair` is stored as.
class StoredPair: EmbeddedObject {
  @Persisted var left: Int
  @Persisted var right: String
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A type of the program that is stored as an object.
struct ElementPair: CustomPersistable {
  var left: Int
  var right: String
  init(_ left: Int, _ right: String) { (self.left, self.right) = (left, right) }
  init(persistedValue: StoredPair) { self.init(persistedValue.left, persistedValue.right) }
  var persistableValue: StoredPair { StoredPair(value: [left, right] as [Any]) }
}

/// An object that is an element.
class ElementTarget: Object {
  @Persisted(primaryKey: true) var id: Int
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class EveryList: Object {
  @Persisted var bool: List<Bool>
  @Persisted var int: List<Int>
  @Persisted var int8: List<Int8>
  @Persisted var int16: List<Int16>
  @Persisted var int32: List<Int32>
  @Persisted var int64: List<Int64>
  @Persisted var float: List<Float>
  @Persisted var double: List<Double>
  @Persisted var string: List<String>
  @Persisted var data: List<Data>
  @Persisted var date: List<Date>
  @Persisted var uuid: List<UUID>
  @Persisted var objectId: List<ObjectId>
  @Persisted var decimal: List<Decimal128>
  @Persisted var intEnum: List<ElementInt>
  @Persisted var textEnum: List<ElementText>
  @Persisted var custom: List<ElementCustom>
  @Persisted var optionalBool: List<Bool?>
  @Persisted var optionalInt: List<Int?>
  @Persisted var optionalInt8: List<Int8?>
  @Persisted var optionalInt16: List<Int16?>
  @Persisted var optionalInt32: List<Int32?>
  @Persisted var optionalInt64: List<Int64?>
  @Persisted var optionalFloat: List<Float?>
  @Persisted var optionalDouble: List<Double?>
  @Persisted var optionalString: List<String?>
  @Persisted var optionalData: List<Data?>
  @Persisted var optionalDate: List<Date?>
  @Persisted var optionalUuid: List<UUID?>
  @Persisted var optionalObjectId: List<ObjectId?>
  @Persisted var optionalDecimal: List<Decimal128?>
  @Persisted var optionalIntEnum: List<ElementInt?>
  @Persisted var optionalTextEnum: List<ElementText?>
  @Persisted var optionalCustom: List<ElementCustom?>
  @Persisted var any: List<AnyRealmValue>
  @Persisted var object: List<ElementTarget>
  @Persisted var pair: List<ElementPair>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class EverySet: Object {
  @Persisted var bool: MutableSet<Bool>
  @Persisted var int: MutableSet<Int>
  @Persisted var int8: MutableSet<Int8>
  @Persisted var int16: MutableSet<Int16>
  @Persisted var int32: MutableSet<Int32>
  @Persisted var int64: MutableSet<Int64>
  @Persisted var float: MutableSet<Float>
  @Persisted var double: MutableSet<Double>
  @Persisted var string: MutableSet<String>
  @Persisted var data: MutableSet<Data>
  @Persisted var date: MutableSet<Date>
  @Persisted var uuid: MutableSet<UUID>
  @Persisted var objectId: MutableSet<ObjectId>
  @Persisted var decimal: MutableSet<Decimal128>
  @Persisted var intEnum: MutableSet<ElementInt>
  @Persisted var textEnum: MutableSet<ElementText>
  @Persisted var custom: MutableSet<ElementCustom>
  @Persisted var optionalBool: MutableSet<Bool?>
  @Persisted var optionalInt: MutableSet<Int?>
  @Persisted var optionalInt8: MutableSet<Int8?>
  @Persisted var optionalInt16: MutableSet<Int16?>
  @Persisted var optionalInt32: MutableSet<Int32?>
  @Persisted var optionalInt64: MutableSet<Int64?>
  @Persisted var optionalFloat: MutableSet<Float?>
  @Persisted var optionalDouble: MutableSet<Double?>
  @Persisted var optionalString: MutableSet<String?>
  @Persisted var optionalData: MutableSet<Data?>
  @Persisted var optionalDate: MutableSet<Date?>
  @Persisted var optionalUuid: MutableSet<UUID?>
  @Persisted var optionalObjectId: MutableSet<ObjectId?>
  @Persisted var optionalDecimal: MutableSet<Decimal128?>
  @Persisted var optionalIntEnum: MutableSet<ElementInt?>
  @Persisted var optionalTextEnum: MutableSet<ElementText?>
  @Persisted var optionalCustom: MutableSet<ElementCustom?>
  @Persisted var any: MutableSet<AnyRealmValue>
  @Persisted var object: MutableSet<ElementTarget>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class EveryMap: Object {
  @Persisted var bool: Map<String, Bool>
  @Persisted var int: Map<String, Int>
  @Persisted var int8: Map<String, Int8>
  @Persisted var int16: Map<String, Int16>
  @Persisted var int32: Map<String, Int32>
  @Persisted var int64: Map<String, Int64>
  @Persisted var float: Map<String, Float>
  @Persisted var double: Map<String, Double>
  @Persisted var string: Map<String, String>
  @Persisted var data: Map<String, Data>
  @Persisted var date: Map<String, Date>
  @Persisted var uuid: Map<String, UUID>
  @Persisted var objectId: Map<String, ObjectId>
  @Persisted var decimal: Map<String, Decimal128>
  @Persisted var intEnum: Map<String, ElementInt>
  @Persisted var textEnum: Map<String, ElementText>
  @Persisted var custom: Map<String, ElementCustom>
  @Persisted var optionalBool: Map<String, Bool?>
  @Persisted var optionalInt: Map<String, Int?>
  @Persisted var optionalInt8: Map<String, Int8?>
  @Persisted var optionalInt16: Map<String, Int16?>
  @Persisted var optionalInt32: Map<String, Int32?>
  @Persisted var optionalInt64: Map<String, Int64?>
  @Persisted var optionalFloat: Map<String, Float?>
  @Persisted var optionalDouble: Map<String, Double?>
  @Persisted var optionalString: Map<String, String?>
  @Persisted var optionalData: Map<String, Data?>
  @Persisted var optionalDate: Map<String, Date?>
  @Persisted var optionalUuid: Map<String, UUID?>
  @Persisted var optionalObjectId: Map<String, ObjectId?>
  @Persisted var optionalDecimal: Map<String, Decimal128?>
  @Persisted var optionalIntEnum: Map<String, ElementInt?>
  @Persisted var optionalTextEnum: Map<String, ElementText?>
  @Persisted var optionalCustom: Map<String, ElementCustom?>
  @Persisted var any: Map<String, AnyRealmValue>
  @Persisted var object: Map<String, ElementTarget?>
  @Persisted var pair: Map<String, ElementPair?>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension TemporaryRealm {
  static func ofEveryElement() throws -> TemporaryRealm {
    try TemporaryRealm([
      EveryList.self, EverySet.self, EveryMap.self, ElementTarget.self, StoredPair.self,
    ])
  }
}
