// SPDX-License-Identifier: Apache-2.0

// Types of a program as properties, keys and elements.

import Foundation
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

private struct Meters: CustomPersistable, Comparable {
  var value: Double
  init(_ value: Double) { self.value = value }
  init(persistedValue: Double) { value = persistedValue }
  var persistableValue: Double { value }
  static func < (left: Meters, right: Meters) -> Bool { left.value < right.value }
}

private struct Code: CustomPersistable {
  typealias PersistedType = String
  var text: String
  init(_ text: String) { self.text = text }
  init(persistedValue: String) { text = persistedValue.uppercased() }
  var persistableValue: String { text.lowercased() }
}

private struct Even: FailableCustomPersistable {
  var number: Int
  init?(persistedValue: Int) {
    guard persistedValue % 2 == 0 else { return nil }
    number = persistedValue
  }
  var persistableValue: Int { number }
}

private struct Odd: FailableCustomPersistable {
  var number: Int
  init?(persistedValue: Int) {
    guard persistedValue % 2 != 0 else { return nil }
    number = persistedValue
  }
  var persistableValue: Int { number }
}

private class StoredPoint: EmbeddedObject {
  @Persisted var x: Int
  @Persisted var y: Int
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private struct Point: CustomPersistable {
  var x = 0
  var y = 0
  init(x: Int, y: Int) { (self.x, self.y) = (x, y) }
  init(persistedValue: StoredPoint) { self.init(x: persistedValue.x, y: persistedValue.y) }
  var persistableValue: StoredPoint { StoredPoint(value: [x, y]) }
}

private class Measurement: Object {
  @Persisted(primaryKey: true) var code: Code
  @Persisted var length: Meters
  @Persisted(indexed: true) var tag: Code?
  @Persisted var even: Even
  @Persisted var maybeEven: Even?
  @Persisted var lengths: List<Meters>
  @Persisted var codes: MutableSet<Code>
  @Persisted var evens: Map<String, Even?>
  @Persisted var point: Point
  @Persisted var maybePoint: Point?
  @Persisted var points: List<Point>
  @Persisted var named: Map<String, Point?>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same table with what the custom types store.
private enum Plain {
  class Measurement: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var length: Double
    @Persisted(indexed: true) var tag: String?
    @Persisted var even: Int
    @Persisted var maybeEven: Int?
    @Persisted var lengths: List<Double>
    @Persisted var codes: MutableSet<String>
    @Persisted var evens: Map<String, Int?>
    @Persisted var point: StoredPoint?
    @Persisted var maybePoint: StoredPoint?
    @Persisted var points: List<StoredPoint>
    @Persisted var named: Map<String, StoredPoint?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

private class WithOdd: Object {
  @Persisted var odd: Odd
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct CustomPersistableTests {
  private let file: TemporaryRealm

  init() throws { file = try TemporaryRealm([Measurement.self, StoredPoint.self]) }

  @Test func valuesAreStoredAsAnotherType() throws {
    do {
      let unmanaged = Measurement()
      expectEqual(unmanaged.code.text, "")
      expectEqual(unmanaged.length.value, 0)
      expectTrue(unmanaged.tag == nil)
      expectEqual(unmanaged.even.number, 0)
      expectEqual(unmanaged.point, Point(x: 0, y: 0))
      unmanaged.code = Code("A1")
      unmanaged.length = Meters(2.5)
      unmanaged.lengths.append(objectsIn: [Meters(1), Meters(3)])
      unmanaged.codes.insert(Code("X"))
      unmanaged.evens["a"] = Even(persistedValue: 4)
      unmanaged.point = Point(x: 1, y: 2)
      unmanaged.points.append(Point(x: 3, y: 4))
      unmanaged.named["p"] = Point(x: 5, y: 6)
      let realm = try file.open()
      try realm.write {
        realm.add(unmanaged)
        unmanaged.tag = Code("T")
        unmanaged.maybeEven = Even(persistedValue: 6)
        unmanaged.maybePoint = Point(x: 7, y: 8)
      }
      expectEqual(realm.objects(Measurement.self).where { $0.tag == Code("T") }.count, 1)
      expectEqual(realm.objects(Measurement.self).where { $0.length == Meters(2.5) }.count, 1)
    }
    do {
      let realm = try file.open()
      let found = realm.object(ofType: Measurement.self, forPrimaryKey: Code("A1"))
      let read = try #require(found)
      expectEqual(read.length.value, 2.5)
      expectEqual(read.tag, Code("T"))
      expectEqual(read.maybeEven?.number, 6)
      expectEqual(Array(read.lengths), [Meters(1), Meters(3)])
      expectTrue(read.codes.contains(Code("X")))
      expectEqual(read.lengths.index(of: Meters(3)), 1)
      expectEqual(read.lengths.max(), Meters(3))
      expectEqual(read.evens["a"]??.number, 4)
      expectEqual(read.point, Point(x: 1, y: 2))
      expectEqual(read.maybePoint, Point(x: 7, y: 8))
      expectEqual(read.points[0], Point(x: 3, y: 4))
      expectEqual(Array(read.points), [Point(x: 3, y: 4)])
      expectEqual(read.named["p"], Point(x: 5, y: 6))
      expectEqual(read.points.index(of: Point(x: 3, y: 4)), 0)
      expectEqual(read.points.index(of: Point(x: 3, y: 5)), nil)
      expectEqual(read.freeze().points[0], Point(x: 3, y: 4))
    }
    file.configuration.objectTypes = [Plain.Measurement.self, StoredPoint.self]
    let realm = try file.open()
    let plain = try #require(
      realm.object(ofType: Plain.Measurement.self, forPrimaryKey: "a1"))
    expectEqual(plain.tag, "t")
    expectEqual(plain.point?.x, 1)
    expectEqual(plain.named["p"]??.y, 6)
    try ReferenceReader.check(file.configuration)
  }

  @Test func storedObjectsAreReplacedAndFreed() throws {
    let realm = try file.open()
    let object = try realm.write { realm.create(Measurement.self, value: ["code": "a"]) }
    func count() throws -> Int { try realm.core.classes[StoredPoint.self].table.objectCount() }
    #expect(try count() == 1 && object.point == Point(x: 0, y: 0))
    try realm.write {
      object.point = Point(x: 1, y: 1)
      object.points.append(objectsIn: [Point(x: 1, y: 1), Point(x: 2, y: 2)])
      object.points[0] = Point(x: 9, y: 9)
      object.points.swapAt(0, 1)
      object.named["a"] = Point(x: 3, y: 3)
      object.named["a"] = Point(x: 4, y: 4)
      object.maybePoint = nil
    }
    expectEqual(Array(object.points), [Point(x: 2, y: 2), Point(x: 9, y: 9)])
    #expect(try count() == 4 && object.maybePoint == nil)
    try realm.write { object.named["a"] = nil }
    try expectEqual(count(), 3)
    try realm.write { realm.delete(object) }
    try expectEqual(count(), 0)
    try ReferenceReader.check(file.configuration)
  }

  @Test func createTakesWhatIsStored() throws {
    let realm = try file.open()
    let object = try realm.write {
      realm.create(
        Measurement.self,
        value: [
          "code": "b", "length": 3.5, "tag": Code("q"), "lengths": [1.5, Meters(2)] as [Any],
          "evens": ["x": 8], "point": ["x": 1, "y": 2], "points": [[3, 4], Point(x: 5, y: 6)],
        ] as [String: Any])
    }
    expectEqual(object.code, Code("B"))
    expectEqual(object.length, Meters(3.5))
    expectEqual(object.tag, Code("Q"))
    expectEqual(Array(object.lengths), [Meters(1.5), Meters(2)])
    expectEqual(object.evens["x"]??.number, 8)
    expectEqual(object.point, Point(x: 1, y: 2))
    expectEqual(object.points[1], Point(x: 5, y: 6))
    let copy = Measurement(value: object)
    expectTrue(copy.realm == nil)
    expectEqual(copy.point, Point(x: 1, y: 2))
    expectEqual(copy.points.count, 2)
    let frozen = object.freeze()
    try realm.write {
      realm.create(
        Measurement.self, value: ["code": "b", "length": 4] as [String: Any], update: .modified)
    }
    expectEqual(object.length, Meters(4))
    expectEqual(frozen.length, Meters(3.5))
  }

  @Test func aStoredValueThatStandsForNothingIsNilWhereItMay() throws {
    file.configuration.objectTypes = [Plain.Measurement.self, StoredPoint.self]
    do {
      let realm = try file.open()
      try realm.write {
        realm.create(
          Plain.Measurement.self,
          value: ["code": "c", "maybeEven": 3, "evens": ["a": 1, "b": 2]] as [String: Any])
      }
    }
    file.configuration.objectTypes = [Measurement.self, StoredPoint.self]
    let realm = try file.open()
    let read = try #require(realm.objects(Measurement.self).first)
    expectTrue(read.maybeEven == nil)
    expectEqual(read.evens["b"]??.number, 2)
    expectEqual(read.evens["a"], .some(.none))
    expectEqual(read.point, Point(x: 0, y: 0))
  }

  // MARK: Misuse

  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func aStoredValueThatStandsForNothing() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm([Plain.Measurement.self, StoredPoint.self])
      do {
        let realm = try file.open()
        try realm.write { realm.create(Plain.Measurement.self, value: ["code": "c", "even": 3]) }
      }
      file.configuration.objectTypes = [Measurement.self, StoredPoint.self]
      print(try file.open().objects(Measurement.self)[0].even)
    }
    expect(
      "Failed to convert persisted value '3' to type 'Even' in a non-optional context.",
      in: result)
  }

  @Test func aGivenValueThatStandsForNothing() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Measurement(value: ["even": 3])
    }
    expect("Could not convert value '3' to type 'Even'.", in: result)
  }

  @Test func noDefault() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      print(WithOdd().odd)
    }
    expect(
      "Failed to default construct a Odd using the default value for persisted type Int. This "
        + "conversion must either succeed, the property must be optional, or you must explicitly "
        + "specify a default value for the property.", in: result)
  }
}
