// SPDX-License-Identifier: Apache-2.0

// Changesets that meet in a few names, so that all rules are used.

import RealmTestSupport

@testable import RealmSyncProtocol

/// Makes changesets about two classes, two objects, two fields and small lists.
struct RandomConflict {
  private var generator: SeededGenerator
  private var clock: UInt64 = 1

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func make(instructions count: Int, file: UInt64) -> Changeset {
    clock += UInt64.random(in: 0...2, using: &generator)
    var changeset = Changeset(
      origin: ChangesetOrigin(
        file: FileIdentifier(file), timestamp: OriginTimestamp(milliseconds: clock)))
    // Numbers of strings differ from changeset to changeset.
    _ = changeset.intern("other \(number(3))")
    for _ in 0..<count {
      let instruction = instruction(&changeset)
      changeset.append(instruction)
    }
    return changeset
  }

  private mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  /// A position in a list of three, and now and then one that no list has.
  private mutating func position() -> UInt32 {
    generator.chance(0.03) ? .max : UInt32(number(3))
  }

  /// The size of a list, on which both sides agree most of the time.
  private mutating func size() -> UInt32 {
    generator.chance(0.02) ? [0, 2, .max][number(3)] : 3
  }

  private mutating func table(_ changeset: inout Changeset) -> InternedString {
    changeset.intern("Class\(number(2))")
  }

  private mutating func field(_ changeset: inout Changeset) -> InternedString {
    changeset.intern("field\(number(2))")
  }

  private mutating func object(_ changeset: inout Changeset) -> ObjectReference {
    ObjectReference(
      table: table(&changeset), key: .string(changeset.intern("object\(number(2))")))
  }

  private mutating func path(_ changeset: inout Changeset, inList: Bool) -> InstructionPath {
    let object = object(&changeset)
    var steps: [PathElement] = []
    for _ in 0..<number(2) {
      steps.append(
        generator.chance(0.5) ? .index(position()) : .key(field(&changeset)))
    }
    if inList { steps.append(.index(position())) }
    return InstructionPath(
      table: object.table, key: object.key, field: field(&changeset),
      elements: changeset.addElements(steps))
  }

  private mutating func value(_ changeset: inout Changeset) -> Payload {
    switch number(7) {
    case 0: .null
    case 1: .int(Int64(number(3)))
    case 2: .string(changeset.addBytes("value \(number(2))"))
    case 3: .objectValue
    case 4: .list
    case 5: .dictionary
    default: link(&changeset)
    }
  }

  private mutating func link(_ changeset: inout Changeset) -> Payload {
    let object = object(&changeset)
    return .link(table: object.table, key: object.key)
  }

  private mutating func instruction(_ changeset: inout Changeset) -> Instruction {
    switch number(20) {
    case 0:
      let key = Instruction.KeyColumn(
        field: changeset.intern("key"), type: .string, isNullable: false)
      return .addTable(.init(table: table(&changeset), kind: .topLevel, key: key))
    case 1: return .eraseTable(table(&changeset))
    case 2, 3: return .createObject(object(&changeset))
    case 4: return .eraseObject(object(&changeset))
    case 5, 6:
      return .addColumn(
        .init(
          table: table(&changeset), field: field(&changeset), type: .link, isNullable: true,
          collection: .single, linkTarget: changeset.intern("Class0")))
    case 7: return .eraseColumn(.init(table: table(&changeset), field: field(&changeset)))
    case 8...10:
      let path = path(&changeset, inList: generator.chance(0.3))
      if case .index = changeset.lastElement(of: path) {
        return .update(.init(path: path, value: value(&changeset), priorSize: size()))
      }
      return .update(.init(path: path, value: value(&changeset), isDefault: generator.chance(0.3)))
    case 11: return .addInteger(.init(path: path(&changeset, inList: false), amount: 1))
    case 12, 13:
      return .arrayInsert(
        .init(path: path(&changeset, inList: true), value: value(&changeset), priorSize: size()))
    case 14: return .arrayErase(.init(path: path(&changeset, inList: true), priorSize: size()))
    case 15:
      return .arrayMove(
        .init(path: path(&changeset, inList: true), target: position(), priorSize: size()))
    case 16:
      return .clear(.init(path: path(&changeset, inList: false), collection: .list))
    case 17, 18:
      return .setInsert(.init(path: path(&changeset, inList: false), value: value(&changeset)))
    default:
      return .setErase(.init(path: path(&changeset, inList: false), value: value(&changeset)))
    }
  }
}
