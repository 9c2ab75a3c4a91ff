// SPDX-License-Identifier: Apache-2.0

// The rows of the table of scalar types that the suites of the types do not try.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite("Coverage 5: scalar types") struct ScalarRowTests {
  // MARK: Decimal128

  @Test func decimalsAreMadeOfManyThings() throws {
    expectEqual(Decimal128().stringValue, "0")
    expectEqual(Decimal128(), 0)
    let values: [(Any, String)] = [
      (5, "5"), (Int8(-5), "-5"), (UInt64.max, "18446744073709551615"), (1.5, "1.5"),
      (Float(0.1), "1E-1"), ("1.50", "1.50"), (Decimal(string: "2.25") ?? 0, "2.25"),
      (NSNumber(value: 7.5), "7.5"), (Decimal128("3.0"), "3.0"), ("no number", "NaN"),
      (Date(), "NaN"), (Double.infinity, "Inf"), (-Double.infinity, "-Inf"), (Double.nan, "NaN"),
    ]
    for (value, text) in values { expectEqual(Decimal128(value: value).bits.parts.text, text) }
    expectEqual(Decimal128(number: 12).stringValue, "12")
    expectEqual(Decimal128(number: NSNumber(value: 0.25)), 0.25)
    expectEqual(Decimal128(exactly: Int.min)?.stringValue, "-9223372036854775808")
    expectEqual(Decimal128(exactly: UInt128.max), nil)
    expectEqual(Decimal128(exactly: UInt128(10) << 100)?.doubleValue, 10 * 0x1p100)
    let literals: [Decimal128] = [1, 1.25, "1E2"]
    expectEqual(literals.map(\.stringValue), ["1", "1.25", "1E2"])
  }

  @Test func decimalsHaveEndsAndAreNoNumbersSometimes() throws {
    let nines = String(repeating: "9", count: 34)
    expectEqual(Decimal128.max.stringValue, "+\(nines)E+6111")
    expectEqual(Decimal128.min.stringValue, "-\(nines)E+6111")
    let notANumber: Decimal128 = "NaN"
    let signaling = Decimal128(low: 0, high: 0x7E << 56)
    expectTrue(notANumber.isNaN)
    expectFalse(notANumber.isSignaling)
    expectFalse(notANumber.isSignalingNaN)
    expectTrue(signaling.isNaN)
    expectTrue(signaling.isSignaling)
    expectTrue(signaling.isSignalingNaN)
    expectEqual(notANumber, signaling)
    expectEqual(Set([notANumber, signaling, "-NaN"]).count, 1)
    expectTrue(notANumber < "-Inf")
    expectTrue(!(notANumber < notANumber))
    expectTrue(!(1 < notANumber))
    expectEqual(Decimal128("-2.50").magnitude.stringValue, "2.5")
    expectEqual(Decimal128("-Inf").magnitude, "Inf")
    expectEqual(Decimal128("Inf").doubleValue, .infinity)
    expectTrue(notANumber.doubleValue.isNaN)
    expectEqual(Decimal128("-Inf").doubleValue, -.infinity)
    expectTrue(Decimal128("1E400").doubleValue > 1e308)
    expectEqual(Decimal128("-12.5").decimalValue, Decimal(string: "-12.5"))
    expectTrue(notANumber.decimalValue.isNaN)
    expectTrue(Decimal128("Inf").decimalValue.isNaN)
  }

  @Test func decimalsAreCoded() throws {
    let json = Data(#"["1.50", 7, 2.5, "-Infinity", -9223372036854775808]"#.utf8)
    let decimals = try JSONDecoder().decode([Decimal128].self, from: json)
    expectEqual(
      decimals.map(\.bits.parts.text), ["1.50", "7", "2.5", "-Inf", "-9223372036854775808"])
    expectEqual(
      String(decoding: try JSONEncoder().encode(Array(decimals.prefix(2))), as: UTF8.self),
      #"["1.5","7"]"#)
    #expect(throws: Realm.Error(.invalidInput)) {
      try JSONDecoder().decode([Decimal128].self, from: Data(#"["x"]"#.utf8))
    }
  }

  @Test func decimalsKeepTheirTextInTheFile() throws {
    let file = try TemporaryRealm()
    let texts = [
      "-Inf", "-1E+6144", "-1.00", "-0E-3", "0", "1E-6176", "1.0", "1.000", "Inf", "NaN",
    ]
    let decimals = texts.map { Decimal128(string: $0) }
    do {
      let realm = try file.open()
      try realm.write {
        for decimal in decimals.reversed() {
          realm.create(AllTypes.self, value: ["_id": ObjectId.generate(), "decimal": decimal])
        }
      }
    }
    let realm = try file.open()
    let objects = realm.objects(AllTypes.self)
    expectEqual(objects.map(\.decimal.stringValue), decimals.reversed().map(\.stringValue))
    let sorted = objects.sorted(by: \.decimal).map(\.decimal)
    expectEqual(sorted.first?.isNaN, true)
    expectEqual(sorted.last, "Inf")
    #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $0 <= $1 || $0.isNaN })
    expectEqual(objects.where { $0.decimal == 1 }.count, 2)
    expectEqual(objects.freeze().map(\.decimal.stringValue), objects.map(\.decimal.stringValue))
  }

  // MARK: ObjectId

  @Test func objectIdsTellTheirParts() throws {
    let id = ObjectId(
      timestamp: Date(timeIntervalSince1970: 0x0102_0304), machineId: 0xFF05_0607,
      processId: 0xFF_0809)
    expectTrue(id.stringValue.hasPrefix("0102030405060708" + "09"))
    expectEqual(id.timestamp, Date(timeIntervalSince1970: 0x0102_0304))
    expectEqual(id.description, "\(id)")
    let dates: [(Date, String)] = [
      (Date(timeIntervalSince1970: -5), "00000000"), (.distantFuture, "ffffffff"),
      (Date(timeIntervalSince1970: .infinity), "ffffffff"),
      (Date(timeIntervalSince1970: .nan), "00000000"),
    ]
    for (date, text) in dates {
      let id = ObjectId(timestamp: date, machineId: 0, processId: 0)
      expectTrue(id.stringValue.hasPrefix(text))
    }
    let error = #expect(throws: Realm.Error.self) { try ObjectId(string: "12") }
    expectEqual(error?.localizedDescription, "Invalid Object ID string '12': must be 24 hex digits")
    try expectEqual(
      ObjectId(string: "ABCDEF0123456789abcdef01"), ObjectId("abcdef0123456789ABCDEF01"))
    let ids = [
      ObjectId(), ObjectId("00000000000000000000000a"), ObjectId("ff0000000000000000000000"),
    ]
    expectEqual(ids, ids.shuffled().sorted())
    expectEqual(Set(ids + ids).count, 3)
  }

  // MARK: Dates, data and texts

  @Test func datesBeyondTheEndsBecomeTheEnds() throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    let object = try realm.write { realm.create(AllTypes.self) }
    for (given, isLarge) in [(Double.infinity, true), (1e300, true), (-.infinity, false)] {
      try realm.write { object.date = Date(timeIntervalSinceReferenceDate: given) }
      expectTrue(object.date.timeIntervalSince1970.isFinite)
      expectTrue(abs(object.date.timeIntervalSince1970) > 9e18)
      expectEqual((object.date > Date()), isLarge)
      expectEqual(realm.objects(AllTypes.self).where { $0.date == object.date }.count, 1)
    }
    try realm.write {
      object.date = Date(timeIntervalSince1970: 1.5)
      object.optionalDate = .distantPast
    }
    expectEqual(object.date, Date(timeIntervalSince1970: 1.5))
    expectEqual(object.optionalDate, .distantPast)
    try ReferenceReader.check(file.configuration)
  }

  @Test func valuesOfUpToSixteenMegabytesAreTaken() throws {
    let realm = try TemporaryRealm().open()
    let limit = 0xFF_FFF8 - 8
    let object = try realm.write {
      realm.create(
        AllTypes.self,
        value: [
          "data": Data(repeating: 7, count: limit),
          "string": String(repeating: "a", count: limit - 1),
        ])
    }
    expectEqual(object.data.count, limit)
    expectEqual(object.data.last, 7)
    expectEqual(object.string.utf8.count, limit - 1)
  }

  @Test func texts() async {
    await #expect(processExitsWith: .success) {
      expectEqual(
        Traps.text { _ = Decimal128(stringLiteral: "1,5") },
        "'1,5' is not a valid Decimal128 number")
      expectEqual(
        Traps.text { _ = ObjectId("not hex") },
        "Invalid Object ID string 'not hex': must be 24 hex digits")
      expectEqual(
        Traps.text {
          let realm = try Misuse.realmWithPerson().realm
          try realm.write {
            realm.objects(Person.self).first?.name = String(repeating: "a", count: 0x100_0000)
          }
        },
        "String too big: 16777216 bytes, and the limit is 16777199. Store it in a file of its own, "
          + "and here its path (property 'Person.name')")
      expectEqual(
        Traps.text {
          let list = try Misuse.realmWithPerson().person
          try list.realm?.write { list.nicknames.append(String(repeating: "a", count: 0x100_0000)) }
        },
        "String too big: 16777216 bytes, and the limit is 16777199. Store it in a file of its own, "
          + "and here its path (property 'Person.nicknames')")
    }
  }
}
