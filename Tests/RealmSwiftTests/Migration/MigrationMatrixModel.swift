// SPDX-License-Identifier: Apache-2.0

// A class with a property of every type, required and optional, in every collection.

import Foundation
import RealmSwift

enum MigrationMatrix {
  final class Row: Object, FixtureObject {
    @Persisted var bool: Bool
    @Persisted var boolList: List<Bool>
    @Persisted var boolSet: MutableSet<Bool>
    @Persisted var boolMap: Map<String, Bool>
    @Persisted var boolOptional: Bool?
    @Persisted var boolOptionalList: List<Bool?>
    @Persisted var boolOptionalSet: MutableSet<Bool?>
    @Persisted var boolOptionalMap: Map<String, Bool?>
    @Persisted var int: Int
    @Persisted var intList: List<Int>
    @Persisted var intSet: MutableSet<Int>
    @Persisted var intMap: Map<String, Int>
    @Persisted var intOptional: Int?
    @Persisted var intOptionalList: List<Int?>
    @Persisted var intOptionalSet: MutableSet<Int?>
    @Persisted var intOptionalMap: Map<String, Int?>
    @Persisted var float: Float
    @Persisted var floatList: List<Float>
    @Persisted var floatSet: MutableSet<Float>
    @Persisted var floatMap: Map<String, Float>
    @Persisted var floatOptional: Float?
    @Persisted var floatOptionalList: List<Float?>
    @Persisted var floatOptionalSet: MutableSet<Float?>
    @Persisted var floatOptionalMap: Map<String, Float?>
    @Persisted var double: Double
    @Persisted var doubleList: List<Double>
    @Persisted var doubleSet: MutableSet<Double>
    @Persisted var doubleMap: Map<String, Double>
    @Persisted var doubleOptional: Double?
    @Persisted var doubleOptionalList: List<Double?>
    @Persisted var doubleOptionalSet: MutableSet<Double?>
    @Persisted var doubleOptionalMap: Map<String, Double?>
    @Persisted var string: String
    @Persisted var stringList: List<String>
    @Persisted var stringSet: MutableSet<String>
    @Persisted var stringMap: Map<String, String>
    @Persisted var stringOptional: String?
    @Persisted var stringOptionalList: List<String?>
    @Persisted var stringOptionalSet: MutableSet<String?>
    @Persisted var stringOptionalMap: Map<String, String?>
    @Persisted var data: Data
    @Persisted var dataList: List<Data>
    @Persisted var dataSet: MutableSet<Data>
    @Persisted var dataMap: Map<String, Data>
    @Persisted var dataOptional: Data?
    @Persisted var dataOptionalList: List<Data?>
    @Persisted var dataOptionalSet: MutableSet<Data?>
    @Persisted var dataOptionalMap: Map<String, Data?>
    @Persisted var date: Date
    @Persisted var dateList: List<Date>
    @Persisted var dateSet: MutableSet<Date>
    @Persisted var dateMap: Map<String, Date>
    @Persisted var dateOptional: Date?
    @Persisted var dateOptionalList: List<Date?>
    @Persisted var dateOptionalSet: MutableSet<Date?>
    @Persisted var dateOptionalMap: Map<String, Date?>
    @Persisted var objectId: ObjectId
    @Persisted var objectIdList: List<ObjectId>
    @Persisted var objectIdSet: MutableSet<ObjectId>
    @Persisted var objectIdMap: Map<String, ObjectId>
    @Persisted var objectIdOptional: ObjectId?
    @Persisted var objectIdOptionalList: List<ObjectId?>
    @Persisted var objectIdOptionalSet: MutableSet<ObjectId?>
    @Persisted var objectIdOptionalMap: Map<String, ObjectId?>
    @Persisted var decimal: Decimal128
    @Persisted var decimalList: List<Decimal128>
    @Persisted var decimalSet: MutableSet<Decimal128>
    @Persisted var decimalMap: Map<String, Decimal128>
    @Persisted var decimalOptional: Decimal128?
    @Persisted var decimalOptionalList: List<Decimal128?>
    @Persisted var decimalOptionalSet: MutableSet<Decimal128?>
    @Persisted var decimalOptionalMap: Map<String, Decimal128?>
    @Persisted var uuid: UUID
    @Persisted var uuidList: List<UUID>
    @Persisted var uuidSet: MutableSet<UUID>
    @Persisted var uuidMap: Map<String, UUID>
    @Persisted var uuidOptional: UUID?
    @Persisted var uuidOptionalList: List<UUID?>
    @Persisted var uuidOptionalSet: MutableSet<UUID?>
    @Persisted var uuidOptionalMap: Map<String, UUID?>
    @Persisted var any: AnyRealmValue
    @Persisted var anyList: List<AnyRealmValue>
    @Persisted var anySet: MutableSet<AnyRealmValue>
    @Persisted var anyMap: Map<String, AnyRealmValue>
    @Persisted var link: Target?
    @Persisted var linkList: List<Target>
    @Persisted var linkSet: MutableSet<Target>
    @Persisted var linkMap: Map<String, Target?>
    @Persisted var part: Part?
    @Persisted var partList: List<Part>
    @Persisted var partMap: Map<String, Part?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<Row>] {
      [
        \.bool, \.boolList, \.boolSet, \.boolMap, \.boolOptional, \.boolOptionalList,
        \.boolOptionalSet, \.boolOptionalMap, \.int, \.intList, \.intSet, \.intMap,
        \.intOptional, \.intOptionalList, \.intOptionalSet, \.intOptionalMap, \.float,
        \.floatList, \.floatSet, \.floatMap, \.floatOptional, \.floatOptionalList,
        \.floatOptionalSet, \.floatOptionalMap, \.double, \.doubleList, \.doubleSet, \.doubleMap,
        \.doubleOptional, \.doubleOptionalList, \.doubleOptionalSet, \.doubleOptionalMap,
        \.string, \.stringList, \.stringSet, \.stringMap, \.stringOptional, \.stringOptionalList,
        \.stringOptionalSet, \.stringOptionalMap, \.data, \.dataList, \.dataSet, \.dataMap,
        \.dataOptional, \.dataOptionalList, \.dataOptionalSet, \.dataOptionalMap, \.date,
        \.dateList, \.dateSet, \.dateMap, \.dateOptional, \.dateOptionalList, \.dateOptionalSet,
        \.dateOptionalMap, \.objectId, \.objectIdList, \.objectIdSet, \.objectIdMap,
        \.objectIdOptional, \.objectIdOptionalList, \.objectIdOptionalSet, \.objectIdOptionalMap,
        \.decimal, \.decimalList, \.decimalSet, \.decimalMap, \.decimalOptional,
        \.decimalOptionalList, \.decimalOptionalSet, \.decimalOptionalMap, \.uuid, \.uuidList,
        \.uuidSet, \.uuidMap, \.uuidOptional, \.uuidOptionalList, \.uuidOptionalSet,
        \.uuidOptionalMap, \.any, \.anyList, \.anySet, \.anyMap, \.link, \.linkList, \.linkSet,
        \.linkMap, \.part, \.partList, \.partMap,
      ]
    }
  }

  final class Target: Object, FixtureObject {
    @Persisted var number: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<Target>] { [\.number] }
  }

  final class Part: EmbeddedObject, FixturePart {
    @Persisted var number: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<Part>] { [\.number] }
  }
}
