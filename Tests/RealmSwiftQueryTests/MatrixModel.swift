// SPDX-License-Identifier: Apache-2.0

// A class with properties of every type, for queries of every kind.

import Foundation
import RealmSwift
import RealmTestSupport

enum MatrixLevel: Int, PersistableEnum { case low = -1, middle = 0, high = 3 }

enum MatrixWord: String, PersistableEnum { case a, upperA = "A", accented = "é", long = "ab" }

final class MatrixRow: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var next: MatrixRow?
  @Persisted var children: List<MatrixRow>
  @Persisted var byName: Map<String, MatrixRow?>
  @Persisted var part: MatrixPart?
  @Persisted(originProperty: "children") var parents: LinkingObjects<MatrixRow>
  @Persisted var any: AnyRealmValue
  @Persisted(indexed: true) var anyIndexed: AnyRealmValue
  @Persisted var anyList: List<AnyRealmValue>
  @Persisted var anyMap: Map<String, AnyRealmValue>

  @Persisted var int: Int
  @Persisted var intOptional: Int?
  @Persisted(indexed: true) var intIndexed: Int
  @Persisted(indexed: true) var intOptionalIndexed: Int?
  @Persisted var intList: List<Int>
  @Persisted var intOptionalList: List<Int?>
  @Persisted var intSet: MutableSet<Int>
  @Persisted var intMap: Map<String, Int>

  @Persisted var int8: Int8
  @Persisted var int8Optional: Int8?
  @Persisted(indexed: true) var int8Indexed: Int8
  @Persisted(indexed: true) var int8OptionalIndexed: Int8?
  @Persisted var int8List: List<Int8>
  @Persisted var int8OptionalList: List<Int8?>
  @Persisted var int8Set: MutableSet<Int8>
  @Persisted var int8Map: Map<String, Int8>

  @Persisted var int16: Int16
  @Persisted var int16Optional: Int16?
  @Persisted(indexed: true) var int16Indexed: Int16
  @Persisted(indexed: true) var int16OptionalIndexed: Int16?
  @Persisted var int16List: List<Int16>
  @Persisted var int16OptionalList: List<Int16?>
  @Persisted var int16Set: MutableSet<Int16>
  @Persisted var int16Map: Map<String, Int16>

  @Persisted var int32: Int32
  @Persisted var int32Optional: Int32?
  @Persisted(indexed: true) var int32Indexed: Int32
  @Persisted(indexed: true) var int32OptionalIndexed: Int32?
  @Persisted var int32List: List<Int32>
  @Persisted var int32OptionalList: List<Int32?>
  @Persisted var int32Set: MutableSet<Int32>
  @Persisted var int32Map: Map<String, Int32>

  @Persisted var int64: Int64
  @Persisted var int64Optional: Int64?
  @Persisted(indexed: true) var int64Indexed: Int64
  @Persisted(indexed: true) var int64OptionalIndexed: Int64?
  @Persisted var int64List: List<Int64>
  @Persisted var int64OptionalList: List<Int64?>
  @Persisted var int64Set: MutableSet<Int64>
  @Persisted var int64Map: Map<String, Int64>

  @Persisted var bool: Bool
  @Persisted var boolOptional: Bool?
  @Persisted(indexed: true) var boolIndexed: Bool
  @Persisted(indexed: true) var boolOptionalIndexed: Bool?
  @Persisted var boolList: List<Bool>
  @Persisted var boolOptionalList: List<Bool?>
  @Persisted var boolSet: MutableSet<Bool>
  @Persisted var boolMap: Map<String, Bool>

  @Persisted var float: Float
  @Persisted var floatOptional: Float?
  @Persisted var floatList: List<Float>
  @Persisted var floatOptionalList: List<Float?>
  @Persisted var floatSet: MutableSet<Float>
  @Persisted var floatMap: Map<String, Float>

  @Persisted var double: Double
  @Persisted var doubleOptional: Double?
  @Persisted var doubleList: List<Double>
  @Persisted var doubleOptionalList: List<Double?>
  @Persisted var doubleSet: MutableSet<Double>
  @Persisted var doubleMap: Map<String, Double>

  @Persisted var string: String
  @Persisted var stringOptional: String?
  @Persisted(indexed: true) var stringIndexed: String
  @Persisted(indexed: true) var stringOptionalIndexed: String?
  @Persisted var stringList: List<String>
  @Persisted var stringOptionalList: List<String?>
  @Persisted var stringSet: MutableSet<String>
  @Persisted var stringMap: Map<String, String>

  @Persisted var data: Data
  @Persisted var dataOptional: Data?
  @Persisted var dataList: List<Data>
  @Persisted var dataOptionalList: List<Data?>
  @Persisted var dataSet: MutableSet<Data>
  @Persisted var dataMap: Map<String, Data>

  @Persisted var date: Date
  @Persisted var dateOptional: Date?
  @Persisted(indexed: true) var dateIndexed: Date
  @Persisted(indexed: true) var dateOptionalIndexed: Date?
  @Persisted var dateList: List<Date>
  @Persisted var dateOptionalList: List<Date?>
  @Persisted var dateSet: MutableSet<Date>
  @Persisted var dateMap: Map<String, Date>

  @Persisted var decimal: Decimal128
  @Persisted var decimalOptional: Decimal128?
  @Persisted var decimalList: List<Decimal128>
  @Persisted var decimalOptionalList: List<Decimal128?>
  @Persisted var decimalSet: MutableSet<Decimal128>
  @Persisted var decimalMap: Map<String, Decimal128>

  @Persisted var objectId: ObjectId
  @Persisted var objectIdOptional: ObjectId?
  @Persisted(indexed: true) var objectIdIndexed: ObjectId
  @Persisted(indexed: true) var objectIdOptionalIndexed: ObjectId?
  @Persisted var objectIdList: List<ObjectId>
  @Persisted var objectIdOptionalList: List<ObjectId?>
  @Persisted var objectIdSet: MutableSet<ObjectId>
  @Persisted var objectIdMap: Map<String, ObjectId>

  @Persisted var uuid: UUID
  @Persisted var uuidOptional: UUID?
  @Persisted(indexed: true) var uuidIndexed: UUID
  @Persisted(indexed: true) var uuidOptionalIndexed: UUID?
  @Persisted var uuidList: List<UUID>
  @Persisted var uuidOptionalList: List<UUID?>
  @Persisted var uuidSet: MutableSet<UUID>
  @Persisted var uuidMap: Map<String, UUID>

  @Persisted var level: MatrixLevel
  @Persisted var levelOptional: MatrixLevel?
  @Persisted(indexed: true) var levelIndexed: MatrixLevel
  @Persisted(indexed: true) var levelOptionalIndexed: MatrixLevel?
  @Persisted var levelList: List<MatrixLevel>
  @Persisted var levelOptionalList: List<MatrixLevel?>
  @Persisted var levelSet: MutableSet<MatrixLevel>
  @Persisted var levelMap: Map<String, MatrixLevel>

  @Persisted var word: MatrixWord
  @Persisted var wordOptional: MatrixWord?
  @Persisted(indexed: true) var wordIndexed: MatrixWord
  @Persisted(indexed: true) var wordOptionalIndexed: MatrixWord?
  @Persisted var wordList: List<MatrixWord>
  @Persisted var wordOptionalList: List<MatrixWord?>
  @Persisted var wordSet: MutableSet<MatrixWord>
  @Persisted var wordMap: Map<String, MatrixWord>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class MatrixPart: EmbeddedObject {
  @Persisted var int: Int
  @Persisted var string: String?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Random values of few, so that comparisons hit.
enum MatrixValues {
  static let ints = [-3, -1, 0, 1, 2, 1 << 33]
  static let small = [-3, -1, 0, 1, 2, 100]
  static let doubles = [-1.5, -0.0, 0, 0.25, 2, .infinity, .nan]
  static let strings = ["", "a", "A", "ab", "Ab", "b", "é", "É", "résumé", "aXbXc", "ba ab"]
  static let data = ["", "a", "ab", "ba", "b"].map { Data($0.utf8) }
  static let dates = [-1, 0, 0.5, 1, 86_400].map { Date(timeIntervalSince1970: $0) }
  static let decimals = ["-1.5", "0", "0.25", "2", "2.0", "1E3"].map {
    Decimal128(stringLiteral: $0)
  }
  static let ids = (0..<4).compactMap { try? ObjectId(string: "00000000000000000000000\($0)") }
  static let uuids = (0..<4).compactMap {
    UUID(uuidString: "00000000-0000-0000-0000-00000000000\($0)")
  }

  static var anys: [AnyRealmValue] {
    [AnyRealmValue.none, .bool(true), .float(0.25)] + ints.map { .int($0) }
      + doubles.map { .double($0) }
      + strings.map { .string($0) } + data.map { .data($0) } + dates.map { .date($0) }
      + decimals.map { .decimal128($0) } + ids.map { .objectId($0) } + uuids.map { .uuid($0) }
  }
}

extension MatrixRow {
  /// Fills all properties.
  func fill(_ random: inout SeededGenerator) {
    any = MatrixValues.anys.randomElement(using: &random) ?? .none
    anyIndexed = any
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      anyList.append(MatrixValues.anys.randomElement(using: &random) ?? .none)
      anyMap[["a", "b", "c"].randomElement(using: &random) ?? "a"] =
        MatrixValues.anys.randomElement(using: &random) ?? AnyRealmValue.none
    }
    fill(MatrixPaths.int, &random)
    fill(MatrixPaths.int8, &random)
    fill(MatrixPaths.int16, &random)
    fill(MatrixPaths.int32, &random)
    fill(MatrixPaths.int64, &random)
    fill(MatrixPaths.bool, &random)
    fill(MatrixPaths.float, &random)
    fill(MatrixPaths.double, &random)
    fill(MatrixPaths.string, &random)
    fill(MatrixPaths.data, &random)
    fill(MatrixPaths.date, &random)
    fill(MatrixPaths.decimal, &random)
    fill(MatrixPaths.objectId, &random)
    fill(MatrixPaths.uuid, &random)
    fill(MatrixPaths.level, &random)
    fill(MatrixPaths.word, &random)
  }

  private func fill<V: _Scalar & RealmCollectionValue>(
    _ paths: MatrixPaths<V>, _ random: inout SeededGenerator
  ) {
    guard let value = paths.values.randomElement(using: &random) else { return }
    self[keyPath: paths.plain] = value
    if let indexed = paths.indexed { self[keyPath: indexed] = value }
    let optional = random.chance(0.25) ? nil : paths.values.randomElement(using: &random)
    self[keyPath: paths.optional] = optional
    if let indexed = paths.optionalIndexed { self[keyPath: indexed] = optional }
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      guard let value = paths.values.randomElement(using: &random) else { return }
      self[keyPath: paths.list].append(value)
      self[keyPath: paths.optionalList].append(random.chance(0.3) ? nil : value)
      self[keyPath: paths.set].insert(value)
      self[keyPath: paths.map][["a", "b", "c"].randomElement(using: &random) ?? "a"] = value
    }
  }
}

/// The properties of one type, and its values.
struct MatrixPaths<V: _Scalar & RealmCollectionValue> {
  let values: [V]
  let plain: ReferenceWritableKeyPath<MatrixRow, V>
  let optional: ReferenceWritableKeyPath<MatrixRow, V?>
  var indexed: ReferenceWritableKeyPath<MatrixRow, V>?
  var optionalIndexed: ReferenceWritableKeyPath<MatrixRow, V?>?
  let list: KeyPath<MatrixRow, List<V>>
  let optionalList: KeyPath<MatrixRow, List<V?>>
  let set: KeyPath<MatrixRow, MutableSet<V>>
  let map: KeyPath<MatrixRow, Map<String, V>>
}

extension MatrixPaths where V == Int {
  static var int: Self {
    Self(
      values: MatrixValues.ints, plain: \.int, optional: \.intOptional,
      indexed: \.intIndexed, optionalIndexed: \.intOptionalIndexed,
      list: \.intList, optionalList: \.intOptionalList, set: \.intSet, map: \.intMap)
  }
}

extension MatrixPaths where V == Int8 {
  static var int8: Self {
    Self(
      values: MatrixValues.small.map { Int8($0) }, plain: \.int8, optional: \.int8Optional,
      indexed: \.int8Indexed, optionalIndexed: \.int8OptionalIndexed,
      list: \.int8List, optionalList: \.int8OptionalList, set: \.int8Set, map: \.int8Map)
  }
}

extension MatrixPaths where V == Int16 {
  static var int16: Self {
    Self(
      values: MatrixValues.small.map { Int16($0) }, plain: \.int16, optional: \.int16Optional,
      indexed: \.int16Indexed, optionalIndexed: \.int16OptionalIndexed,
      list: \.int16List, optionalList: \.int16OptionalList, set: \.int16Set, map: \.int16Map)
  }
}

extension MatrixPaths where V == Int32 {
  static var int32: Self {
    Self(
      values: MatrixValues.small.map { Int32($0) }, plain: \.int32, optional: \.int32Optional,
      indexed: \.int32Indexed, optionalIndexed: \.int32OptionalIndexed,
      list: \.int32List, optionalList: \.int32OptionalList, set: \.int32Set, map: \.int32Map)
  }
}

extension MatrixPaths where V == Int64 {
  static var int64: Self {
    Self(
      values: MatrixValues.ints.map { Int64($0) }, plain: \.int64, optional: \.int64Optional,
      indexed: \.int64Indexed, optionalIndexed: \.int64OptionalIndexed,
      list: \.int64List, optionalList: \.int64OptionalList, set: \.int64Set, map: \.int64Map)
  }
}

extension MatrixPaths where V == Bool {
  static var bool: Self {
    Self(
      values: [false, true], plain: \.bool, optional: \.boolOptional,
      indexed: \.boolIndexed, optionalIndexed: \.boolOptionalIndexed,
      list: \.boolList, optionalList: \.boolOptionalList, set: \.boolSet, map: \.boolMap)
  }
}

extension MatrixPaths where V == Float {
  static var float: Self {
    Self(
      values: MatrixValues.doubles.map { Float($0) }, plain: \.float, optional: \.floatOptional,
      list: \.floatList, optionalList: \.floatOptionalList, set: \.floatSet, map: \.floatMap)
  }
}

extension MatrixPaths where V == Double {
  static var double: Self {
    Self(
      values: MatrixValues.doubles, plain: \.double, optional: \.doubleOptional,
      list: \.doubleList, optionalList: \.doubleOptionalList, set: \.doubleSet, map: \.doubleMap)
  }
}

extension MatrixPaths where V == String {
  static var string: Self {
    Self(
      values: MatrixValues.strings, plain: \.string, optional: \.stringOptional,
      indexed: \.stringIndexed, optionalIndexed: \.stringOptionalIndexed,
      list: \.stringList, optionalList: \.stringOptionalList, set: \.stringSet, map: \.stringMap)
  }
}

extension MatrixPaths where V == Data {
  static var data: Self {
    Self(
      values: MatrixValues.data, plain: \.data, optional: \.dataOptional,
      list: \.dataList, optionalList: \.dataOptionalList, set: \.dataSet, map: \.dataMap)
  }
}

extension MatrixPaths where V == Date {
  static var date: Self {
    Self(
      values: MatrixValues.dates, plain: \.date, optional: \.dateOptional,
      indexed: \.dateIndexed, optionalIndexed: \.dateOptionalIndexed,
      list: \.dateList, optionalList: \.dateOptionalList, set: \.dateSet, map: \.dateMap)
  }
}

extension MatrixPaths where V == Decimal128 {
  static var decimal: Self {
    Self(
      values: MatrixValues.decimals, plain: \.decimal, optional: \.decimalOptional,
      list: \.decimalList, optionalList: \.decimalOptionalList, set: \.decimalSet, map: \.decimalMap
    )
  }
}

extension MatrixPaths where V == ObjectId {
  static var objectId: Self {
    Self(
      values: MatrixValues.ids, plain: \.objectId, optional: \.objectIdOptional,
      indexed: \.objectIdIndexed, optionalIndexed: \.objectIdOptionalIndexed,
      list: \.objectIdList, optionalList: \.objectIdOptionalList, set: \.objectIdSet,
      map: \.objectIdMap)
  }
}

extension MatrixPaths where V == UUID {
  static var uuid: Self {
    Self(
      values: MatrixValues.uuids, plain: \.uuid, optional: \.uuidOptional,
      indexed: \.uuidIndexed, optionalIndexed: \.uuidOptionalIndexed,
      list: \.uuidList, optionalList: \.uuidOptionalList, set: \.uuidSet, map: \.uuidMap)
  }
}

extension MatrixPaths where V == MatrixLevel {
  static var level: Self {
    Self(
      values: MatrixLevel.allCases, plain: \.level, optional: \.levelOptional,
      indexed: \.levelIndexed, optionalIndexed: \.levelOptionalIndexed,
      list: \.levelList, optionalList: \.levelOptionalList, set: \.levelSet, map: \.levelMap)
  }
}

extension MatrixPaths where V == MatrixWord {
  static var word: Self {
    Self(
      values: MatrixWord.allCases, plain: \.word, optional: \.wordOptional,
      indexed: \.wordIndexed, optionalIndexed: \.wordOptionalIndexed,
      list: \.wordList, optionalList: \.wordOptionalList, set: \.wordSet, map: \.wordMap)
  }
}
