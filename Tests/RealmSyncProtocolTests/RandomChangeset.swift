// SPDX-License-Identifier: Apache-2.0

// Changesets of all kinds of instructions, for the tests of the encoding.

import RealmTestSupport
import RealmText

@testable import RealmSyncProtocol

/// Makes changesets whose instructions are well-formed but mean nothing.
struct RandomChangeset {
  var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func make(instructions count: Int) -> Changeset {
    var changeset = Changeset()
    for _ in 0..<count { changeset.append(instruction(&changeset)) }
    return changeset
  }

  private mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  /// An integer of any size.
  private mutating func integer() -> Int64 {
    Int64(bitPattern: generator.next()) >> Int64(number(64))
  }

  private mutating func small() -> UInt32 {
    UInt32.random(in: 0...(.max), using: &generator) >> UInt32(number(32))
  }

  private mutating func string(_ changeset: inout Changeset) -> InternedString {
    changeset.intern(text())
  }

  private mutating func text() -> String {
    switch number(4) {
    case 0: "name \(number(40))"
    case 1: ["", "Ünïcode", "日本語", "🦜"][number(4)]
    default: "f\(number(6))"
    }
  }

  private mutating func key(_ changeset: inout Changeset) -> PrimaryKey {
    switch number(6) {
    case 0: .null
    case 1: .int(integer())
    case 2: .string(string(&changeset))
    case 3:
      .globalKey(GlobalKey(high: generator.next() >> UInt64(number(64)), low: generator.next()))
    case 4: .objectID(ObjectIDBits(high: generator.next(), low: UInt32(generator.next() >> 32)))
    default: .uuid(UUIDBits(high: generator.next(), low: generator.next()))
    }
  }

  private mutating func payload(_ changeset: inout Changeset) -> Payload {
    switch number(17) {
    case 0: .null
    case 1: .int(integer())
    case 2: .bool(generator.chance(0.5))
    case 3: .string(changeset.addBytes(text()))
    case 4: .binary(changeset.addBytes((0..<number(9)).map(UInt8.init)))
    case 5: timestamp()
    case 6: .float(Float(bitPattern: UInt32(generator.next() >> 32)))
    case 7: .double(Double(bitPattern: generator.next()))
    case 8: .decimal(Decimal128Bits(low: generator.next(), high: generator.next()))
    case 9: .link(table: string(&changeset), key: key(&changeset))
    case 10: .objectID(ObjectIDBits(high: generator.next(), low: 7))
    case 11: .uuid(UUIDBits(high: generator.next(), low: 9))
    case 12: .objectValue
    case 13: .dictionary
    case 14: .erased
    case 15: .list
    default: .set
    }
  }

  private mutating func timestamp() -> Payload {
    let seconds = integer()
    let nanoseconds = Int32(number(1_000_000_000))
    return .timestamp(seconds: seconds, nanoseconds: seconds < 0 ? -nanoseconds : nanoseconds)
  }

  private mutating func path(_ changeset: inout Changeset, inList: Bool = false) -> InstructionPath
  {
    var steps: [PathElement] = []
    for _ in 0..<number(4) {
      steps.append(generator.chance(0.5) ? .index(small()) : .key(string(&changeset)))
    }
    if inList { steps.append(.index(small())) }
    return InstructionPath(
      table: string(&changeset), key: key(&changeset), field: string(&changeset),
      elements: changeset.addElements(steps))
  }

  private mutating func instruction(_ changeset: inout Changeset) -> Instruction {
    switch number(14) {
    case 0: return addTable(&changeset)
    case 1: return .eraseTable(string(&changeset))
    case 2: return .createObject(.init(table: string(&changeset), key: key(&changeset)))
    case 3: return .eraseObject(.init(table: string(&changeset), key: key(&changeset)))
    case 4:
      let path = path(&changeset)
      let value = payload(&changeset)
      if case .index = changeset.lastElement(of: path) {
        return .update(.init(path: path, value: value, priorSize: small()))
      }
      return .update(.init(path: path, value: value, isDefault: generator.chance(0.3)))
    case 5: return .addInteger(.init(path: path(&changeset), amount: integer()))
    case 6: return addColumn(&changeset)
    case 7: return .eraseColumn(.init(table: string(&changeset), field: string(&changeset)))
    case 8:
      return .arrayInsert(
        .init(
          path: path(&changeset, inList: true), value: payload(&changeset), priorSize: small()))
    case 9:
      return .arrayMove(
        .init(path: path(&changeset, inList: true), target: small(), priorSize: small()))
    case 10:
      return .arrayErase(.init(path: path(&changeset, inList: true), priorSize: small()))
    case 11:
      return .clear(
        .init(path: path(&changeset), collection: ChangesetCollectionKind.allCases[number(4)]))
    case 12: return .setInsert(.init(path: path(&changeset), value: payload(&changeset)))
    default: return .setErase(.init(path: path(&changeset), value: payload(&changeset)))
    }
  }

  private mutating func addTable(_ changeset: inout Changeset) -> Instruction {
    let table = string(&changeset)
    let kind = ChangesetTableKind.allCases[number(3)]
    let types: [PayloadType] = [.int, .string, .objectID, .uuid, .globalKey]
    let key = Instruction.KeyColumn(
      field: string(&changeset), type: types[number(5)], isNullable: generator.chance(0.5))
    return .addTable(.init(table: table, kind: kind, key: kind == .embedded ? nil : key))
  }

  private mutating func addColumn(_ changeset: inout Changeset) -> Instruction {
    let types = PayloadType.allCases.filter(\.isColumnType)
    let type = types[number(types.count)]
    return .addColumn(
      .init(
        table: string(&changeset), field: string(&changeset), type: type,
        isNullable: generator.chance(0.5), collection: ChangesetCollectionKind.allCases[number(4)],
        linkTarget: type == .link ? string(&changeset) : nil))
  }
}
