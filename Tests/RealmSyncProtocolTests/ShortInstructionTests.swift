// SPDX-License-Identifier: Apache-2.0

// Instructions that are stored in room for several have the bytes of those that are appended.

import RealmTestSupport
import RealmText
import TestExtensions
import Testing

@testable import RealmSyncProtocol

struct ShortInstructionTests {
  private static let values: [Payload] = [
    .null, .int(0), .int(63), .int(-64), .int(.min), .int(.max), .bool(true), .bool(false),
    .float(-1.5), .double(.pi), .double(-.infinity), .timestamp(seconds: -5, nanoseconds: -1),
    .timestamp(seconds: .max, nanoseconds: 999_999_999), .objectID(.init(high: .max, low: 1)),
    .uuid(.init(high: 1, low: .max)), .objectValue, .list, .erased,
    .decimal(.init(low: 7, high: 0x3040_0000_0000_0000)),
  ]

  private static func keys(_ encoder: inout ChangesetEncoder) -> [PrimaryKey] {
    [
      .null, .int(-1), .int(1 << 40), .string(encoder.intern("key")),
      .objectID(.init(high: 5, low: 6)), .uuid(.init(high: 7, low: 8)),
      .globalKey(.init(high: 1 << 29, low: 3)),
    ]
  }

  /// `InstructionWriter` 1. Both encoders write the same instructions; one is told of assignments
  /// in the way of recorders.
  @Test(arguments: 0..<4) func haveTheBytesOfAppendedOnes(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var recorded = ChangesetEncoder()
    var appended = ChangesetEncoder()
    let keys = Self.keys(&recorded)
    expectEqual(Self.keys(&appended), keys)
    for step in 0..<600 {
      let name = "name \(Int.random(in: 0..<200, using: &random))"
      let table = recorded.intern(name)
      expectEqual(appended.intern(name), table)
      let key = try #require(keys.randomElement(using: &random))
      let path = InstructionPath(table: table, key: key, field: table)
      let isDefault = random.chance(0.3)
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        recorded.append(.createObject(.init(table: table, key: key)))
        appended.append(.createObject(.init(table: table, key: key)))
      case 1:
        recorded.append(.eraseObject(.init(table: table, key: key)))
        appended.append(.eraseObject(.init(table: table, key: key)))
      case 2, 3, 4:
        let text = String(repeating: "é", count: Int.random(in: 0..<40, using: &random))
        recorded.appendUpdate(path, text: text, isDefault: isDefault)
        let value = Payload.string(appended.addBytes(text))
        appended.append(.update(.init(path: path, value: value, isDefault: isDefault)))
      default:
        let value = try #require(Self.values.randomElement(using: &random))
        recorded.appendUpdate(path, value, isDefault: isDefault)
        appended.append(.update(.init(path: path, value: value, isDefault: isDefault)))
      }
      expectEqual(recorded.byteCount, appended.byteCount, "step \(step)")
      if step % 100 == 0 { expectEqual(recorded.bytes, appended.bytes) }
    }
    let bytes = recorded.take()
    expectEqual(bytes, appended.take())
    try expectEqual(ChangesetEncoder.encode(ChangesetParser.parse(bytes)), bytes)
    expectEqual(recorded.byteCount, 0)
    expectEqual(recorded.take(), [])
  }
}
