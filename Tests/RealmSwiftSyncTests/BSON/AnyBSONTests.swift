// SPDX-License-Identifier: Apache-2.0

// BSON values: literals, accessors, conversions, and what messages have of them.

#if Sync
import Foundation
import RealmFormats
import TestExtensions
import Testing

@testable import RealmSwift

struct AnyBSONTests {
  private static let id = ObjectId("0123456789abcdef01234567")
  private static let uuid = UUID()
  private static let time = Date(timeIntervalSince1970: 1_700_000_000.25)

  /// One value of each kind.
  private static func values() throws -> [AnyBSON] {
    [
      .null, .bool(true), .int32(-7), .int64(1 << 40), .double(2.5),
      .decimal128(Decimal128(string: "1.50")), .string("é\"\\"), .objectId(id),
      .binary(Data([0, 1, 255])), .uuid(uuid), .datetime(time),
      .timestamp(Date(timeIntervalSince1970: 1_700_000_000)), .minKey, .maxKey,
      .regex(try NSRegularExpression(pattern: "^a.b$", options: [.caseInsensitive])),
      .array([1, nil, "x", [true]]), .document(["b": 1, "a": nil, "c": ["d": 2.5]]),
    ]
  }

  @Test func valuesOfMessagesAreTheSameValues() throws {
    for value in try Self.values() { expectEqual(AnyBSON(value.bson), value) }
  }

  @Test func valuesSurviveTheTextOfMessages() throws {
    for value in try Self.values() {
      let text = ExtendedJSONWriter.text(value.bson)
      let read = try ExtendedJSONReader.parse(text)
      expectEqual(AnyBSON(read), value, "\(text)")
    }
  }

  @Test func datesAreRoundedToMilliseconds() {
    expectEqual(
      AnyBSON.datetime(Date(timeIntervalSince1970: 1.2345)).bson, .date(unixMilliseconds: 1235))
    expectEqual(
      AnyBSON.datetime(Date(timeIntervalSince1970: -0.0004)).bson, .date(unixMilliseconds: 0))
  }

  @Test func numbersThatFitNowhereDoNotTrap() {
    expectEqual(
      AnyBSON.datetime(Date(timeIntervalSince1970: 1e300)).bson, .date(unixMilliseconds: 0))
    expectEqual(
      AnyBSON.timestamp(Date(timeIntervalSince1970: -5)).bson, .timestamp(seconds: 0, increment: 0))
    expectEqual(AnyBSON.double(.nan).asInt(), nil)
    expectEqual(AnyBSON.double(1e300).asInt(), nil)
    expectEqual(AnyBSON.int64(1 << 40).asInt32(), nil)
  }

  @Test func literals() {
    expectEqual("a" as AnyBSON, .string("a"))
    expectEqual(true as AnyBSON, .bool(true))
    expectEqual(1.5 as AnyBSON, .double(1.5))
    expectEqual(3 as AnyBSON, .int64(3))
    expectEqual([1, nil] as AnyBSON, .array([.int64(1), nil]))
    expectEqual(["a": ["b": nil]] as AnyBSON, .document(["a": .document(["b": AnyBSON?.none])]))
  }

  @Test func accessorsGiveValuesOfTheirKindOnly() throws {
    let values = try Self.values()
    func kinds<T>(_ read: (AnyBSON) -> T?) -> [Int] {
      values.indices.filter { read(values[$0]) != nil }
    }
    expectEqual(values.indices.filter { values[$0].isNull }, [0])
    expectEqual(kinds(\.boolValue), [1])
    expectEqual(kinds(\.int32Value), [2])
    expectEqual(kinds(\.int64Value), [3])
    expectEqual(kinds(\.doubleValue), [4])
    expectEqual(kinds(\.decimal128Value), [5])
    expectEqual(kinds(\.stringValue), [6])
    expectEqual(kinds(\.objectIdValue), [7])
    expectEqual(kinds(\.binaryValue), [8])
    expectEqual(kinds(\.uuidValue), [9])
    expectEqual(kinds(\.dateValue), [10])
    expectEqual(kinds(\.timestampValue), [11])
    expectEqual(kinds(\.regexValue), [14])
    expectEqual(kinds(\.arrayValue), [15])
    expectEqual(kinds(\.documentValue), [16])
    expectEqual(kinds { $0.asInt() }, [2, 3])
    expectEqual(kinds { $0.asInt64() }, [2, 3])
    expectEqual(kinds { $0.asDouble() }, [2, 3, 4, 5])
    expectEqual(kinds { $0.asDecimal128() }, [2, 3, 4, 5])
  }

  @Test func numbersOfOneKindCanBeReadAsAnother() throws {
    expectEqual(AnyBSON.double(4).asInt(), 4)
    expectEqual(AnyBSON.decimal128(Decimal128(string: "12")).asInt32(), 12)
    expectEqual(AnyBSON.int32(5).asDecimal128(), 5)
    expectEqual(AnyBSON.double(0.5).asDecimal128(), Decimal128(string: "0.5"))
  }

  @Test func valuesAreGivenAsTheirTypes() {
    expectEqual(AnyBSON.int64(5).value() as Int?, 5)
    expectEqual(AnyBSON.int64(5).value() as Int64?, 5)
    expectEqual(AnyBSON.int64(5).value() as String?, nil)
    expectEqual(AnyBSON.string("a").value() as String?, "a")
    expectEqual(AnyBSON.minKey.value() as MinKey?, MinKey())
    expectEqual(AnyBSON.maxKey.value() as MaxKey?, MaxKey())
    expectEqual(AnyBSON.datetime(Self.time).value() as Date?, Self.time)
  }

  @Test func typesOfProgramsAreBSON() throws {
    expectEqual(AnyBSON(7), .int64(7))
    expectEqual(AnyBSON(Int32(7)), .int32(7))
    expectEqual(AnyBSON("a"), .string("a"))
    expectEqual(AnyBSON(NSNull()), .null)
    expectEqual(AnyBSON(Self.id), .objectId(Self.id))
    expectEqual(AnyBSON(Int?.none), .null)
    expectEqual(AnyBSON(Int?.some(1)), .int64(1))
    expectEqual(AnyBSON(["a": 1] as Document), .document(["a": 1]))
    expectEqual(AnyBSON([1, nil] as [AnyBSON?]), .array([1, nil]))
    expectEqual(AnyBSON(MinKey()), .minKey)
  }

  @Test func partitionsNameFiles() {
    expectEqual(AnyBSON.string("x").fileName, "s_x")
    expectEqual(AnyBSON.int32(-1).fileName, "i_-1")
    expectEqual(AnyBSON.int64(9).fileName, "l_9")
    expectEqual(AnyBSON.objectId(Self.id).fileName, "o_0123456789abcdef01234567")
    expectEqual(AnyBSON.uuid(Self.uuid).fileName, "u_" + Self.uuid.uuidString.lowercased())
    expectEqual(AnyBSON.null.fileName, "null")
  }
}
#endif
