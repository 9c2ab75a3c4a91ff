// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

struct AllTypesTests {
  @Test func everyTypeIsStoredAndReadBack() throws {
    let file = try TemporaryRealm()
    let object = AllTypes()
    let id = object._id
    let date = Date(timeIntervalSinceReferenceDate: 774_000_000.25)
    let uuid = UUID()
    let other = ObjectId.generate()
    object.bool = true
    object.int = -5_000_000_000
    object.int8 = -128
    object.int16 = 32_000
    object.int32 = .min
    object.int64 = .max
    object.float = 1.5
    object.double = -2.25e100
    object.string = "Grüße, 世界"
    object.data = Data([0, 1, 255])
    object.date = date
    object.uuid = uuid
    object.objectId = other
    object.decimal = "1.250E+10"
    object.optionalInt = 0
    object.optionalString = ""
    object.optionalDate = date
    object.optionalDecimal = "-0.00"
    object.optionalUUID = uuid
    object.optionalObjectId = other
    object.optionalBool = false
    object.optionalData = Data()
    object.optionalDouble = 0
    object.optionalFloat = -1
    object.optionalInt8 = 3
    do {
      let realm = try file.open()
      try realm.write { realm.add(object) }
    }
    let realm = try file.open()
    let read = try #require(realm.object(ofType: AllTypes.self, forPrimaryKey: id))
    expectTrue(read.bool)
    expectEqual(read.int, -5_000_000_000)
    expectEqual(read.int8, -128)
    expectEqual(read.int16, 32_000)
    expectEqual(read.int32, .min)
    expectEqual(read.int64, .max)
    expectEqual(read.float, 1.5)
    expectEqual(read.double, -2.25e100)
    expectEqual(read.string, "Grüße, 世界")
    expectEqual(read.data, Data([0, 1, 255]))
    expectEqual(read.date, date)
    expectEqual(read.uuid, uuid)
    expectEqual(read.objectId, other)
    expectEqual(read.decimal.bits.parts.text, "1.250E10")
    expectEqual(read.optionalInt, 0)
    expectEqual(read.optionalString, "")
    expectEqual(read.optionalDate, date)
    expectEqual(read.optionalDecimal?.bits.parts.text, "-0E-2")
    expectEqual(read.optionalUUID, uuid)
    expectEqual(read.optionalObjectId, other)
    expectEqual(read.optionalBool, false)
    expectEqual(read.optionalData, Data())
    expectEqual(read.optionalDouble, 0)
    expectEqual(read.optionalFloat, -1)
    expectEqual(read.optionalInt8, 3)
  }

  @Test func optionalsBecomeNilAndDefaultsHold() throws {
    let realm = try TemporaryRealm().open()
    let object = AllTypes()
    try realm.write { realm.add(object) }
    expectFalse(object.bool)
    expectEqual(object.int, 0)
    expectEqual(object.string, "")
    expectEqual(object.data, Data())
    expectTrue(abs(object.date.timeIntervalSinceNow) < 60)
    expectTrue(object.uuid != UUID(uuidString: "00000000-0000-0000-0000-000000000000"))
    expectTrue(object.optionalInt == nil)
    expectTrue(object.optionalString == nil)
    expectTrue(object.optionalData == nil)
    expectTrue(object.optionalDate == nil)
    expectTrue(object.optionalDecimal == nil)
    try realm.write {
      object.optionalInt = 4
      object.optionalString = "x"
      object.optionalDouble = .nan
    }
    expectEqual(object.optionalInt, 4)
    expectEqual(object.optionalString, "x")
    expectEqual(object.optionalDouble?.isNaN, true)
    try realm.write {
      object.optionalInt = nil
      object.optionalString = nil
      object.optionalDouble = nil
    }
    expectTrue(object.optionalInt == nil)
    expectTrue(object.optionalString == nil)
    expectEqual(object.optionalDouble, nil)
  }

  @Test func filesPassTheReferenceReader() throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    try realm.write {
      for index in 0..<700 {
        let person = Person(value: ["id": index, "name": "n\(index % 10)"])
        person.nicknames.append("nick\(index)")
        person.dogs.append(Dog(value: ["name": "d\(index)"]))
        realm.add(person)
        realm.add(AllTypes())
      }
    }
    try realm.write {
      for id in stride(from: 0, to: 700, by: 3) {
        realm.delete(try #require(realm.object(ofType: Person.self, forPrimaryKey: id)))
      }
    }
    try ReferenceReader.check(file.configuration)
    #expect(try realm.core.file.check().isEmpty)
  }
}
