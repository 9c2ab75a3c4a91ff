// SPDX-License-Identifier: Apache-2.0

// Damaged touches are errors, whatever their bytes are.

import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct TouchReaderTests {
  /// The bytes of a touch of one object, with the value that its property `t` had before.
  private static func bytes(_ value: (inout PackedWriter) -> Void) -> [UInt8] {
    var writer = PackedWriter()
    writer.write(1)
    writer.write("A")
    writer.write(byte: TouchTag.int.rawValue)
    writer.write(signed: 7)
    writer.write(byte: Touch.Existence.stayed.rawValue)
    writer.write(1)
    writer.write("t")
    value(&writer)
    return writer.bytes
  }

  private static func time(_ seconds: Int64, _ nanoseconds: Int64) -> [UInt8] {
    bytes { writer in
      writer.write(byte: TouchTag.timestamp.rawValue)
      writer.write(signed: seconds)
      writer.write(signed: nanoseconds)
    }
  }

  @Test func timesOutOfRangeAreErrors() throws {
    let touch = try #require(try TouchReader.decode(Self.time(-1, -999_999_999)).first)
    expectEqual(
      touch.fields.first?.before, .timestamp(Timestamp(seconds: -1, nanoseconds: -999_999_999)))
    for (seconds, nanoseconds) in [
      (0, Int64.min), (0, .max), (0, 1_000_000_000), (-1, -1_000_000_000), (1, -1), (-1, 1),
    ] as [(Int64, Int64)] {
      #expect(throws: StorageError.self) {
        _ = try TouchReader.decode(Self.time(seconds, nanoseconds))
      }
    }
  }

  @Test func damagedBytesAreErrorsOrTouches() throws {
    let touch = Touch(
      object: ObjectIdentity(className: "A", key: .value(.string("k"))), existence: .stayed,
      fields: [
        Touch.Field(name: "n", before: .list([.int(-5), .null, .double(2)])),
        Touch.Field(name: "t", before: .timestamp(Timestamp(seconds: 3, nanoseconds: 4))),
        Touch.Field(name: "b", before: .binary([1, 2])), Touch.Field(name: "l", before: nil),
      ])
    let bytes = TouchWriter.encode([touch, touch])
    try expectEqual(TouchReader.decode(bytes), [touch, touch])
    for count in 1..<bytes.count {
      #expect(throws: StorageError.self) { _ = try TouchReader.decode(Array(bytes.prefix(count))) }
    }
    var random = SeededGenerator(seed: 3)
    for _ in 0..<20_000 {
      var damaged = bytes
      for _ in 0..<1 + random.number(below: 3) {
        damaged[random.number(below: damaged.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      _ = try? TouchReader.decode(damaged)
    }
  }
}
