// SPDX-License-Identifier: Apache-2.0

// The vectors of P2 A.1 and P2 A.6, both ways.

import RealmTestSupport
import RealmText
import TestExtensions
import Testing

@testable import RealmSyncProtocol

struct ChangesetVectorTests {
  static let schema = """
    3f00044974656d3f01035f6964000000010a003f02035375620002013f03046e616d653f0400060003030000
    3f0505636f756e740600050100003f0604746167730600060300013f0703616e790600070001003f08047768
    656e0600080501003f09056174747273060009000102033f0a047569647306000a0b00033f0b037375620600
    0b090100023f0c046e65787406000c090100003f0d05707269636506000d0801003f0e017806020e070000
    """

  static let schemaLines = """
    AddTable "Item" topLevel "_id" objectID
    AddTable "Sub" embedded
    AddColumn "Item"."name" string single
    AddColumn "Item"."count" int single
    AddColumn "Item"."tags" string list
    AddColumn "Item"."any" null single nullable
    AddColumn "Item"."when" timestamp single nullable
    AddColumn "Item"."attrs" null dictionary nullable
    AddColumn "Item"."uids" uuid set
    AddColumn "Item"."sub" link single nullable to "Sub"
    AddColumn "Item"."next" link single nullable to "Item"
    AddColumn "Item"."price" decimal single nullable
    AddColumn "Sub"."x" double single
    """

  private static let key = PrimaryKey.objectID(
    ObjectIDBits(high: 0x6B01_46C7_3308_43DD, low: 0xAB5D_51A8))
  private static let keyHex = "0a 6b0146c7330843ddab5d51a8"

  @Test func theSchemaIsDecodedAndEncodedAgain() throws {
    let input = bytes(Self.schema)
    expectEqual(input.count, 175)
    let changeset = try ChangesetParser.parse(input)
    expectEqual(changeset.description, Self.schemaLines)
    expectEqual(hex(ChangesetEncoder.encode(changeset)), hex(input))
  }

  /// The encoder writes a definition when a string is interned, so the order of use is the order
  /// of definition.
  @Test func anErasureIsWritten() throws {
    var encoder = ChangesetEncoder()
    let table = encoder.intern("Item")
    encoder.append(.eraseObject(ObjectReference(table: table, key: Self.key)))
    expectEqual(encoder.bytes, bytes("3f00044974656d 03 00 \(Self.keyHex)"))
    expectEqual(encoder.bytes.count, 22)
    encoder.removeAll()
    expectTrue(encoder.bytes.isEmpty)
    _ = encoder.intern("Item")
    expectTrue(encoder.bytes.isEmpty)
  }

  struct Vector: CustomTestStringConvertible, Sendable {
    var layout: String
    var line: String
    var make: @Sendable (inout Changeset, InstructionPath) -> Instruction
    var testDescription: String { line }
  }

  /// Strings 0 to 14 of the object's changeset, in the order of their first use.
  private static let strings = [
    "Item", "name", "count", "tags", "when", "any", "price", "attrs", "k", "gone", "uids", "sub",
    "12", "x", "next",
  ]

  private static func path(
    _ field: UInt32, _ elements: ElementRange = .none
  ) -> InstructionPath {
    InstructionPath(
      table: InternedString(0), key: key, field: InternedString(field), elements: elements)
  }

  private static let object = "\"Item\"[\(key)]"

  /// Layouts with `P` for the class and the key, lines with `O` for the object.
  static let vectors: [Vector] = [
    Vector(layout: "02 P", line: "CreateObject O") { _, path in
      .createObject(ObjectReference(table: path.table, key: path.key))
    },
    Vector(
      layout: "04 P 01 00 03 07 68656c6c6f2030 00",
      line: #"Update O."name" = string "hello 0" prior 0"#
    ) {
      .update(.init(path: path($0, $1, 1), value: .string($0.addBytes("hello 0"))))
    },
    Vector(layout: "04 P 02 00 01 29 00", line: #"Update O."count" = int(41) prior 0"#) {
      .update(.init(path: path($0, $1, 2), value: .int(41)))
    },
    Vector(layout: "05 P 02 00 01", line: #"AddInteger O."count" + 1"#) {
      .addInteger(.init(path: path($0, $1, 2), amount: 1))
    },
    Vector(
      layout: "08 P 03 01 00 03 01 61 00",
      line: #"ArrayInsert O."tags"[0] = string "a" prior 0"#
    ) {
      .arrayInsert(
        .init(path: path(&$0, $1, 3, .index(0)), value: .string($0.addBytes("a")), priorSize: 0))
    },
    Vector(
      layout: "08 P 03 01 01 03 03 6d6964 02",
      line: #"ArrayInsert O."tags"[1] = string "mid" prior 2"#
    ) {
      .arrayInsert(
        .init(path: path(&$0, $1, 3, .index(1)), value: .string($0.addBytes("mid")), priorSize: 2))
    },
    Vector(layout: "09 P 03 01 00 02 03", line: #"ArrayMove O."tags"[0] to 2 prior 3"#) {
      .arrayMove(.init(path: path(&$0, $1, 3, .index(0)), target: 2, priorSize: 3))
    },
    Vector(layout: "0a P 03 01 01 03", line: #"ArrayErase O."tags"[1] prior 3"#) {
      .arrayErase(.init(path: path(&$0, $1, 3, .index(1)), priorSize: 3))
    },
    Vector(
      layout: "04 P 03 01 00 03 01 7a 02", line: #"Update O."tags"[0] = string "z" prior 2"#
    ) {
      .update(
        .init(path: path(&$0, $1, 3, .index(0)), value: .string($0.addBytes("z")), priorSize: 2))
    },
    Vector(
      layout: "04 P 04 00 05 80e2cfaa06 05 00",
      line: #"Update O."when" = timestamp(seconds: 1700000000, nanoseconds: 5) prior 0"#
    ) {
      .update(
        .init(path: path($0, $1, 4), value: .timestamp(seconds: 1_700_000_000, nanoseconds: 5)))
    },
    Vector(
      layout: "04 P 05 00 07 0000000000000c40 00",
      line: #"Update O."any" = double \#((3.5).bitPattern) prior 0"#
    ) {
      .update(.init(path: path($0, $1, 5), value: .double(3.5)))
    },
    Vector(
      layout: "04 P 06 00 08 e209 41 01 00",
      line: #"Update O."price" = \#(Payload.decimal(price)) prior 0"#
    ) {
      .update(.init(path: path($0, $1, 6), value: .decimal(price)))
    },
    Vector(
      layout: "04 P 07 01 40 08 02 01 00",
      line: #"Update O."attrs"."k" = bool(true) prior 0"#
    ) {
      .update(.init(path: path(&$0, $1, 7, .key(InternedString(8))), value: .bool(true)))
    },
    Vector(
      layout: "04 P 07 01 40 09 43 00", line: #"Update O."attrs"."gone" = erased prior 0"#
    ) {
      .update(.init(path: path(&$0, $1, 7, .key(InternedString(9))), value: .erased))
    },
    Vector(
      layout: "0c P 0a 00 0b 000102030405060708090a0b0c0d0e0f",
      line: #"SetInsert O."uids" \#(Payload.uuid(uuid))"#
    ) {
      .setInsert(.init(path: path($0, $1, 10), value: .uuid(uuid)))
    },
    Vector(layout: "04 P 0b 00 41 00", line: #"Update O."sub" = objectValue prior 0"#) {
      .update(.init(path: path($0, $1, 11), value: .objectValue))
    },
    Vector(
      layout: "04 P 0b 01 40 0d 07 00000000000004c0 00",
      line: #"Update O."sub"."x" = double \#((-2.5).bitPattern) prior 0"#
    ) {
      .update(.init(path: path(&$0, $1, 11, .key(InternedString(13))), value: .double(-2.5)))
    },
    Vector(layout: "04 P 0e 00 09 00 K 00", line: #"Update O."next" = link O prior 0"#) {
      .update(
        .init(path: path($0, $1, 14), value: .link(table: InternedString(0), key: $1.key)))
    },
  ]

  private static let price = Decimal128Bits(low: 1250, high: 0xB03C_0000_0000_0000)
  private static let uuid = UUIDBits(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)

  private static func path(
    _ changeset: Changeset, _ base: InstructionPath, _ field: UInt32
  ) -> InstructionPath {
    var path = base
    path.field = InternedString(field)
    return path
  }

  private static func path(
    _ changeset: inout Changeset, _ base: InstructionPath, _ field: UInt32, _ element: PathElement
  ) -> InstructionPath {
    var path = base
    path.field = InternedString(field)
    path.elements = changeset.addElements([element])
    return path
  }

  @Test(arguments: vectors)
  func anInstructionIsEncodedAndDecoded(_ vector: Vector) throws {
    var changeset = Changeset()
    for string in Self.strings { _ = changeset.intern(string) }
    let definitions = Self.strings.enumerated().map { index, string in
      "3f" + hex([UInt8(index), UInt8(string.utf8.count)]) + hex(string.utf8)
    }
    changeset.append(vector.make(&changeset, Self.path(0)))
    let layout = vector.layout.replacing("P", with: "00" + Self.keyHex)
      .replacing("K", with: Self.keyHex)
    let wanted = bytes(definitions.joined() + layout)
    expectEqual(hex(ChangesetEncoder.encode(changeset)), hex(wanted))
    let parsed = try ChangesetParser.parse(wanted)
    expectEqual(parsed.description, Self.withObject(vector.line))
    expectEqual(hex(ChangesetEncoder.encode(parsed)), hex(wanted))
  }

  /// Puts the object for each `O` that stands alone.
  private static func withObject(_ line: String) -> String {
    line.split(separator: " ", omittingEmptySubsequences: false).map { word in
      word == "O" || word.hasPrefix("O.") ? object + word.dropFirst() : String(word)
    }.joined(separator: " ")
  }

  @Test(arguments: [
    (0, "00"), (1, "01"), (41, "29"), (63, "3f"), (64, "c000"), (300, "ac02"),
    (1_700_000_000, "80e2cfaa06"), (-1, "40"), (-2, "41"), (-6, "45"), (-64, "7f"), (-65, "c040"),
    (1250, "e209"), (Int64.max, "ffffffffffffffffff00"), (Int64.min, "ffffffffffffffffff40"),
  ])
  func integersHaveTheBytesOfTheTable(_ value: Int64, _ code: String) throws {
    var encoder = ChangesetEncoder()
    let name = encoder.intern("A")
    encoder.append(
      .addInteger(.init(path: .init(table: name, key: .null, field: name), amount: value)))
    expectEqual(hex(encoder.bytes), "3f000141" + "0500000000" + code)
    let parsed = try ChangesetParser.parse(encoder.bytes)
    guard case .addInteger(let step) = parsed.instructions[0] else {
      Issue.record("another instruction")
      return
    }
    expectEqual(step.amount, value)
  }
}
