// SPDX-License-Identifier: Apache-2.0

// Every element type with some values, for suites that are written once for all of them.

import Foundation
import Testing

@testable import RealmSwift

/// Values of the element types, ascending.
private enum ElementSamples {
  static let bool: [Bool] = [false, true]
  static let int: [Int] = [-5_000_000_000, -1, 0, 7]
  static let int8: [Int8] = [-128, -1, 0, 127]
  static let int16: [Int16] = [-32_768, 0, 5, 32_767]
  static let int32: [Int32] = [.min, 0, 9, .max]
  static let int64: [Int64] = [.min, -3, 0, .max]
  static let float: [Float] = [-1.5, 0, 2.25, 3e30]
  static let double: [Double] = [-1e300, -0.5, 0, 7.25]
  static let string: [String] = ["", "a", "b", "é"]
  static let data: [Data] = [Data(), Data([0]), Data([0, 1]), Data([255])]
  static let date: [Date] = [-5_000.5, 0, 1, 1_700_000_000.25].map {
    Date(timeIntervalSince1970: $0)
  }
  static let uuid: [UUID] = ["00", "01", "7F", "FF"].compactMap {
    UUID(uuidString: "\($0)000000-0000-4000-8000-000000000000")
  }
  static let objectId: [ObjectId] = [
    ObjectId("000000000000000000000000"), ObjectId("000000010000000000000000"),
    ObjectId("7f0000000000000000000000"), ObjectId("ff0000000000000000000001"),
  ]
  static let decimal: [Decimal128] = ["-1E30", "-0.5", "0", "3.25"]
  static let intEnum: [ElementInt] = [.low, .middle, .high]
  static let textEnum: [ElementText] = [.a, .bb, .ccc]
  static let custom: [ElementCustom] = [-4, 0, 9].map { ElementCustom($0) }
}

/// An element type. Its values ascend in the order of the database.
struct ElementType<Element: RealmCollectionValue>: Sendable {
  let name: String
  let values: @Sendable (_ realm: Realm?) -> [Element]
  let list: @Sendable (EveryList) -> List<Element>
  let set: @Sendable (EverySet) -> MutableSet<Element>

  /// The value as a string that distinguishes it from the others.
  func text(_ value: Element) -> String {
    if let object = value as? ElementTarget { return "object \(object.id)" }
    if let data = value as? Data { return data.base64EncodedString() }
    return "\(value)"
  }

  /// Whether elements can be sorted.
  var isScalar: Bool { Element._shape.type != .object }
}

/// A suite that is run for every element type.
protocol ElementSuite {
  func run<Element>(_ type: ElementType<Element>) throws
}

/// A suite of maps that is run for every value type.
protocol MapElementSuite {
  func run<Element>(
    _ type: ElementType<Element>, _ map: @Sendable (EveryMap) -> Map<String, Element>) throws
}

/// An element type of any kind.
struct ElementCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let run: @Sendable (any ElementSuite) throws -> Void
  let runMaps: @Sendable (any MapElementSuite) throws -> Void

  init<Element>(
    _ type: ElementType<Element>, _ map: @escaping @Sendable (EveryMap) -> Map<String, Element>
  ) {
    testDescription = type.name
    run = { try $0.run(type) }
    runMaps = { try $0.run(type, map) }
  }

  /// An element type that maps hold as optionals.
  private init<Element, Value>(
    _ name: String, _ type: ElementType<Element>, _ mapType: ElementType<Value>,
    _ map: @escaping @Sendable (EveryMap) -> Map<String, Value>
  ) {
    testDescription = name
    run = { try $0.run(type) }
    runMaps = { try $0.run(mapType, map) }
  }

  /// Objects are elements of lists and sets as they are, of maps as optionals.
  private init(_ name: String) {
    testDescription = name
    let objects: @Sendable (Realm?) -> [ElementTarget] = { realm in
      (0..<4).map { id in
        realm?.create(ElementTarget.self, value: ["id": id], update: .modified)
          ?? ElementTarget(value: ["id": id])
      }
    }
    run = {
      try $0.run(
        ElementType(name: name, values: objects, list: { $0.object }, set: { $0.object }))
    }
    runMaps = { suite in
      let type = ElementType<ElementTarget?>(
        name: name, values: { [nil] + objects($0) }, list: { _ in List() },
        set: { _ in MutableSet() })
      try suite.run(type) { $0.object }
    }
  }

  private static func scalar<Element>(
    _ name: String, _ values: @escaping @Sendable () -> [Element],
    _ list: @escaping @Sendable (EveryList) -> List<Element>,
    _ set: @escaping @Sendable (EverySet) -> MutableSet<Element>,
    _ map: @escaping @Sendable (EveryMap) -> Map<String, Element>
  ) -> ElementCase {
    ElementCase(
      ElementType(name: name, values: { _ in values() }, list: list, set: set), map)
  }

  /// Values that are stored as embedded objects, which sets do not take: for lists and maps alone.
  static let pairs: ElementCase = {
    let values: @Sendable (Realm?) -> [ElementPair] = { _ in
      [ElementPair(1, "a"), ElementPair(2, ""), ElementPair(2, "b"), ElementPair(-9, "é")]
    }
    return ElementCase(
      "pairs",
      ElementType(name: "pairs", values: values, list: { $0.pair }, set: { _ in MutableSet() }),
      ElementType(
        name: "pairs", values: { [nil] + values($0) }, list: { _ in List() },
        set: { _ in MutableSet() })
    ) { $0.pair }
  }()

  static let all: [ElementCase] = required + optional + [mixed, ElementCase("objects")]

  private static let required: [ElementCase] = {
    var cases: [ElementCase] = []
    cases.append(scalar("Bool", { ElementSamples.bool }, { $0.bool }, { $0.bool }, { $0.bool }))
    cases.append(scalar("Int", { ElementSamples.int }, { $0.int }, { $0.int }, { $0.int }))
    cases.append(scalar("Int8", { ElementSamples.int8 }, { $0.int8 }, { $0.int8 }, { $0.int8 }))
    cases.append(
      scalar("Int16", { ElementSamples.int16 }, { $0.int16 }, { $0.int16 }, { $0.int16 }))
    cases.append(
      scalar("Int32", { ElementSamples.int32 }, { $0.int32 }, { $0.int32 }, { $0.int32 }))
    cases.append(
      scalar("Int64", { ElementSamples.int64 }, { $0.int64 }, { $0.int64 }, { $0.int64 }))
    cases.append(
      scalar("Float", { ElementSamples.float }, { $0.float }, { $0.float }, { $0.float }))
    cases.append(
      scalar("Double", { ElementSamples.double }, { $0.double }, { $0.double }, { $0.double }))
    cases.append(
      scalar("String", { ElementSamples.string }, { $0.string }, { $0.string }, { $0.string }))
    cases.append(scalar("Data", { ElementSamples.data }, { $0.data }, { $0.data }, { $0.data }))
    cases.append(scalar("Date", { ElementSamples.date }, { $0.date }, { $0.date }, { $0.date }))
    cases.append(scalar("UUID", { ElementSamples.uuid }, { $0.uuid }, { $0.uuid }, { $0.uuid }))
    cases.append(
      scalar(
        "ObjectId", { ElementSamples.objectId }, { $0.objectId }, { $0.objectId }, { $0.objectId }))
    cases.append(
      scalar(
        "Decimal128", { ElementSamples.decimal }, { $0.decimal }, { $0.decimal }, { $0.decimal }))
    cases.append(
      scalar(
        "ElementInt", { ElementSamples.intEnum }, { $0.intEnum }, { $0.intEnum }, { $0.intEnum }))
    cases.append(
      scalar(
        "ElementText", { ElementSamples.textEnum }, { $0.textEnum }, { $0.textEnum },
        { $0.textEnum }))
    cases.append(
      scalar(
        "ElementCustom", { ElementSamples.custom }, { $0.custom }, { $0.custom }, { $0.custom }))
    return cases
  }()

  private static let optional: [ElementCase] = {
    var cases: [ElementCase] = []
    cases.append(
      scalar(
        "Bool?", { [nil] + ElementSamples.bool }, { $0.optionalBool }, { $0.optionalBool },
        { $0.optionalBool }))
    cases.append(
      scalar(
        "Int?", { [nil] + ElementSamples.int }, { $0.optionalInt }, { $0.optionalInt },
        { $0.optionalInt }))
    cases.append(
      scalar(
        "Int8?", { [nil] + ElementSamples.int8 }, { $0.optionalInt8 }, { $0.optionalInt8 },
        { $0.optionalInt8 }))
    cases.append(
      scalar(
        "Int16?", { [nil] + ElementSamples.int16 }, { $0.optionalInt16 }, { $0.optionalInt16 },
        { $0.optionalInt16 }))
    cases.append(
      scalar(
        "Int32?", { [nil] + ElementSamples.int32 }, { $0.optionalInt32 }, { $0.optionalInt32 },
        { $0.optionalInt32 }))
    cases.append(
      scalar(
        "Int64?", { [nil] + ElementSamples.int64 }, { $0.optionalInt64 }, { $0.optionalInt64 },
        { $0.optionalInt64 }))
    cases.append(
      scalar(
        "Float?", { [nil] + ElementSamples.float }, { $0.optionalFloat }, { $0.optionalFloat },
        { $0.optionalFloat }))
    cases.append(
      scalar(
        "Double?", { [nil] + ElementSamples.double }, { $0.optionalDouble }, { $0.optionalDouble },
        { $0.optionalDouble }))
    cases.append(
      scalar(
        "String?", { [nil] + ElementSamples.string }, { $0.optionalString }, { $0.optionalString },
        { $0.optionalString }))
    cases.append(
      scalar(
        "Data?", { [nil] + ElementSamples.data }, { $0.optionalData }, { $0.optionalData },
        { $0.optionalData }))
    cases.append(
      scalar(
        "Date?", { [nil] + ElementSamples.date }, { $0.optionalDate }, { $0.optionalDate },
        { $0.optionalDate }))
    cases.append(
      scalar(
        "UUID?", { [nil] + ElementSamples.uuid }, { $0.optionalUuid }, { $0.optionalUuid },
        { $0.optionalUuid }))
    cases.append(
      scalar(
        "ObjectId?", { [nil] + ElementSamples.objectId }, { $0.optionalObjectId },
        { $0.optionalObjectId }, { $0.optionalObjectId }))
    cases.append(
      scalar(
        "Decimal128?", { [nil] + ElementSamples.decimal }, { $0.optionalDecimal },
        { $0.optionalDecimal }, { $0.optionalDecimal }))
    cases.append(
      scalar(
        "ElementInt?", { [nil] + ElementSamples.intEnum }, { $0.optionalIntEnum },
        { $0.optionalIntEnum }, { $0.optionalIntEnum }))
    cases.append(
      scalar(
        "ElementText?", { [nil] + ElementSamples.textEnum }, { $0.optionalTextEnum },
        { $0.optionalTextEnum }, { $0.optionalTextEnum }))
    cases.append(
      scalar(
        "ElementCustom?", { [nil] + ElementSamples.custom }, { $0.optionalCustom },
        { $0.optionalCustom }, { $0.optionalCustom }))
    return cases
  }()

  private static let mixed = scalar(
    "AnyRealmValue", { mixedValues }, { $0.any }, { $0.any }, { $0.any })

  /// A value of each type, in the order of the database.
  static var mixedValues: [AnyRealmValue] {
    [
      .none, .bool(false), .bool(true), .int(-3), .float(1.5), .double(2.25), .decimal128("3.5"),
      .string("x"), .data(Data([1])), .date(Date(timeIntervalSince1970: 5)),
      .objectId(ObjectId("000000010000000000000000")),
      .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
    ]
  }
}
