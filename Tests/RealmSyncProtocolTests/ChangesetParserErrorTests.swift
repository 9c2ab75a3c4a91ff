// SPDX-License-Identifier: Apache-2.0

// Each defect of bytes has an error with a name.

import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

struct ChangesetParserErrorTests {
  struct Defect: CustomTestStringConvertible, Sendable {
    var name: String
    var hex: String
    var error: ChangesetError
    var testDescription: String { name }
  }

  /// Defines string 0 as "A".
  private static let a = "3f000141"

  static let defects: [Defect] = [
    .init(name: "unknown instruction", hex: "0e", error: .unknownInstruction(14)),
    .init(name: "negative instruction", hex: "40", error: .unknownInstruction(-1)),
    .init(name: "instruction of two bytes", hex: "ff01", error: .unknownInstruction(255)),
    .init(name: "nothing after the tag", hex: "01", error: .truncated),
    .init(name: "an integer that does not end", hex: "80", error: .truncated),
    .init(
      name: "an integer of eleven bytes", hex: "8080808080808080808000", error: .integerOutOfRange),
    .init(
      name: "an integer of 65 bits", hex: "80808080808080808002", error: .integerOutOfRange),
    .init(name: "an integer of 64 bits", hex: "80808080808080808001", error: .integerOutOfRange),
    .init(name: "a skipped string", hex: "3f010141", error: .badStringIndex(1)),
    .init(name: "a string defined again", hex: a + "3f000142", error: .badStringIndex(0)),
    .init(name: "a negative index", hex: "3f400141", error: .badStringIndex(-1)),
    .init(name: "the same string twice", hex: a + "3f010141", error: .duplicateString),
    .init(name: "a string that ends early", hex: "3f000241", error: .truncated),
    .init(name: "a string of 2^63 bytes", hex: "3f008080808080808080800141", error: .truncated),
    .init(name: "a string with a negative size", hex: "3f0040", error: .negativeNumber),
    .init(name: "a lone continuation byte", hex: "3f000180", error: .invalidUTF8),
    .init(name: "an overlong sequence", hex: "3f0002c080", error: .invalidUTF8),
    .init(name: "a surrogate", hex: "3f0003eda080", error: .invalidUTF8),
    .init(name: "a character beyond the last", hex: "3f0004f4908080", error: .invalidUTF8),
    .init(name: "an unfinished character", hex: "3f0002e282", error: .invalidUTF8),
    .init(name: "an undefined class", hex: "0100", error: .undefinedString(0)),
    .init(name: "an undefined field", hex: a + "070001", error: .undefinedString(1)),
    .init(name: "unknown table kind", hex: a + "000003", error: .unknownTableKind(3)),
    .init(name: "a key of doubles", hex: a + "0000000007", error: .badKeyType(.double)),
    .init(name: "a key without a type", hex: a + "0000000000", error: .badKeyType(.null)),
    .init(name: "a bad flag", hex: a + "000000000102", error: .badFlag(2)),
    .init(name: "an object with a double as key", hex: a + "020007", error: .badKeyType(.double)),
    .init(name: "unknown key type", hex: a + "02000c", error: .unknownPayloadType(12)),
    .init(name: "a negative global key", hex: a + "02004040", error: .negativeNumber),
    .init(
      name: "a column of object values", hex: a + "06000041", error: .badColumnType(.objectValue)),
    .init(
      name: "unknown collection", hex: a + "060000010004", error: .unknownCollectionKind(4)),
    .init(
      name: "a dictionary with int keys", hex: a + "06000001000201",
      error: .badDictionaryKeyType(.int)),
    .init(name: "unknown payload type", hex: a + "04000000000c", error: .unknownPayloadType(12)),
    .init(
      name: "a global key as payload", hex: a + "040000000040", error: .badPayloadType(.globalKey)),
    .init(name: "more path elements than bytes", hex: a + "0400000009", error: .truncated),
    .init(
      name: "a path element below -1", hex: a + "040000000141", error: .badPathElement(-2)),
    .init(
      name: "a path index of 33 bits", hex: a + "04000000018080808010", error: .integerOutOfRange),
    .init(
      name: "a prior size of 33 bits", hex: a + "0a0000000100" + "8080808010",
      error: .integerOutOfRange),
    .init(
      name: "a list insertion at the list", hex: a + "08000000000000", error: .pathWithoutIndex),
    .init(
      name: "a list erasure at a key", hex: a + "0a00000001400000", error: .pathWithoutIndex),
    .init(
      name: "nanoseconds of the other sign", hex: a + "0400000000050140", error: .badTimestamp),
    .init(
      name: "a second of nanoseconds", hex: a + "04000000000501" + "80a8d6b907",
      error: .badTimestamp),
    .init(
      name: "an exponent beyond the last", hex: a + "040000000008" + "00" + "e0cf0000",
      error: .badDecimal),
    .init(
      name: "a coefficient of 114 bits",
      hex: a + "040000000008" + String(repeating: "80", count: 16) + "02" + "0000",
      error: .badDecimal),
    .init(name: "a float of three bytes", hex: a + "040000000006000000", error: .truncated),
    .init(name: "invalid UTF-8 in a payload", hex: a + "04000000000301ff00", error: .invalidUTF8),
    .init(name: "unknown kind of clear", hex: a + "0b0000000004", error: .unknownCollectionKind(4)),
  ]

  /// `ByteReader` 1, and `Changeset` 1: a string that is not defined is an error.
  @Test(arguments: defects)
  func theDefectIsNamed(_ defect: Defect) {
    #expect(throws: defect.error) { try ChangesetParser.parse(bytes(defect.hex)) }
  }

  @Test func aTextOverTheLimitIsRefused() throws {
    func changeset(_ type: PayloadType, _ count: Int) -> [UInt8] {
      // Four bytes with seven bits each, of which all but the last are followed by another one.
      let size: [UInt8] = (0..<4).map { place in
        let bits = UInt8(truncatingIfNeeded: count >> (7 * place)) & 0x7F
        return place < 3 ? bits | 0x80 : bits
      }
      let head = bytes(Self.a + "0400000000") + [UInt8(type.rawValue)] + size
      return head + [UInt8](repeating: 0x61, count: count) + [0]
    }
    #expect(throws: ChangesetError.payloadTooLong(16_777_200)) {
      try ChangesetParser.parse(changeset(.string, 16_777_200))
    }
    #expect(throws: ChangesetError.payloadTooLong(16_777_201)) {
      try ChangesetParser.parse(changeset(.binary, 16_777_201))
    }
    try expectEqual(ChangesetParser.parse(changeset(.binary, 16_777_200)).instructions.count, 1)
  }

  /// Two bytes of an instruction take 72 of memory, and one of a path element takes 8.
  @Test func instructionsOverTheLimitAreRefused() throws {
    let erasures = bytes(Self.a) + Array(repeatElement([1, 0], count: 10).joined())
    try expectEqual(ChangesetParser.parse(erasures, instructionCountMax: 10).instructions.count, 10)
    #expect(throws: ChangesetError.tooManyInstructions(9)) {
      try ChangesetParser.parse(erasures, instructionCountMax: 9)
    }
    // Update of a value below ten indices.
    let path = bytes(Self.a) + [4, 0, 0, 0, 10] + [UInt8](repeating: 0, count: 12)
    try expectEqual(ChangesetParser.parse(path, instructionCountMax: 10).elements.count, 10)
    #expect(throws: ChangesetError.tooManyInstructions(9)) {
      try ChangesetParser.parse(path, instructionCountMax: 9)
    }
  }

  /// Every beginning of a changeset is an error or a shorter changeset.
  @Test func theSchemaMayEndAnywhere() throws {
    let whole = bytes(ChangesetVectorTests.schema)
    let lines = ChangesetVectorTests.schemaLines.split(separator: "\n")
    for count in 0..<whole.count {
      do throws(ChangesetError) {
        let part = try ChangesetParser.parse(Array(whole.prefix(count)))
        expectEqual(part.description, lines.prefix(part.instructions.count).joined(separator: "\n"))
      } catch {
        expectEqual(error, .truncated)
      }
    }
  }
}
