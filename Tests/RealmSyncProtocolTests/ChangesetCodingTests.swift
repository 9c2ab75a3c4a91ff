// SPDX-License-Identifier: Apache-2.0

// Random changesets survive encoding and parsing; damaged ones never trap.

import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

struct ChangesetCodingTests {
  /// `Changeset` 1, 2 and 3
  @Test func everyChangesetIsReadBackAsItWas() throws {
    for seed in RandomRuns.seeds(400) {
      var random = RandomChangeset(seed: seed)
      let changeset = random.make(instructions: Int(seed % 40))
      let encoded = ChangesetEncoder.encode(changeset)
      let parsed = try ChangesetParser.parse(encoded)
      expectEqual(parsed.description, changeset.description, "seed \(seed)")
      expectEqual(ChangesetEncoder.encode(parsed), encoded, "seed \(seed)")
      expectEqual(parsed.brokenRules, [], "seed \(seed)")
    }
  }

  @Test func aBrokenRuleOfChangesetsIsFound() {
    func make() -> Changeset {
      var changeset = Changeset()
      let name = changeset.intern("A")
      for _ in 0..<2 {
        let path = InstructionPath(
          table: name, key: .int(1), field: name,
          elements: changeset.addElements([PathElement.index(0)]))
        changeset.append(.update(.init(path: path, value: .string(changeset.addBytes("x")))))
      }
      return changeset
    }
    expectEqual(make().brokenRules, [])
    var changeset = make()
    changeset.instructions[0].path?.table = InternedString(1)
    expectEqual(changeset.brokenRules, [1])
    changeset = make()
    changeset.instructions[1].path?.elements.count = 2
    expectEqual(changeset.brokenRules, [2])
    changeset = make()
    changeset.payloadBytes.removeLast()
    expectEqual(changeset.brokenRules, [2])
    changeset = make()
    changeset.instructions[1].path?.elements.start = 0
    expectEqual(changeset.brokenRules, [3])
  }

  /// What is written while it is made, as a recorder does, is what is encoded at the end.
  @Test func theIncrementalEncoderWritesTheSame() throws {
    for seed in RandomRuns.seeds(200) {
      var random = RandomChangeset(seed: seed)
      let changeset = random.make(instructions: 20)
      var encoder = ChangesetEncoder()
      for index in 0..<changeset.strings.count {
        _ = encoder.intern(changeset.text(of: InternedString(UInt32(index))))
      }
      for instruction in changeset.instructions {
        var instruction = instruction
        if var path = instruction.path {
          path.elements = encoder.addElements(changeset.elements(of: path))
          instruction.path = path
        }
        switch instruction.payload {
        case .string(let range):
          instruction.payload = .string(encoder.addBytes(changeset.text(range)))
        case .binary(let range):
          instruction.payload = .binary(encoder.addBytes(changeset.bytes(range)))
        default: break
        }
        encoder.append(instruction)
      }
      let parsed = try ChangesetParser.parse(encoder.bytes)
      expectEqual(parsed.description, changeset.description, "seed \(seed)")
    }
  }

  /// The assignments that recorders write most are the same instruction.
  @Test func theShortFormsWriteTheSame() {
    var (encoder, short) = (ChangesetEncoder(), ChangesetEncoder())
    for isDefault in [false, true] {
      for key in [nil, "key"] as [String?] {
        for text in ["", "short", String(repeating: "long ", count: 20)] {
          encoder.append(Self.assignment(&encoder, key, text, isDefault))
          let path = Self.path(&short, key)
          short.appendUpdate(path, text: text, isDefault: isDefault)
        }
        let path = Self.path(&encoder, key)
        encoder.append(.update(.init(path: path, value: .double(2.5), isDefault: isDefault)))
        let shortPath = Self.path(&short, key)
        short.appendUpdate(shortPath, .double(2.5), isDefault: isDefault)
      }
    }
    expectEqual(encoder.bytes, short.bytes)
    expectEqual(encoder.instructionCount, short.instructionCount)
  }

  private static func path(_ encoder: inout ChangesetEncoder, _ key: String?) -> InstructionPath {
    let name = encoder.intern("A")
    let steps = key.map { [PathElement.key(encoder.intern($0))] } ?? []
    return InstructionPath(
      table: name, key: .int(7), field: name, elements: encoder.addElements(steps))
  }

  private static func assignment(
    _ encoder: inout ChangesetEncoder, _ key: String?, _ text: String, _ isDefault: Bool
  ) -> Instruction {
    let path = path(&encoder, key)
    return .update(
      .init(path: path, value: .string(encoder.addBytes(text)), isDefault: isDefault))
  }

  @Test func stringsThatNoInstructionNeedsAreNotWritten() throws {
    var changeset = try ChangesetParser.parse(bytes(ChangesetVectorTests.schema))
    changeset.instructions.removeAll()
    expectTrue(ChangesetEncoder.encode(changeset).isEmpty)
  }

  /// A rule that puts an instruction in front may name a string that was interned later.
  @Test func aStringIsDefinedBeforeItsFirstUse() throws {
    var changeset = try ChangesetParser.parse(bytes(ChangesetVectorTests.schema))
    changeset.instructions.reverse()
    let parsed = try ChangesetParser.parse(ChangesetEncoder.encode(changeset))
    expectEqual(parsed.description, changeset.description)
  }

  /// The greater part of the damaged inputs of a run (SY7). What a damaged changeset still means is
  /// encoded and read again with the same result. `ByteReader` 1, `Changeset` 1, 2 and 3
  @Test(.heavy, arguments: 0..<11 as Range<UInt64>)
  func damagedChangesetsNeverTrap(_ part: UInt64) throws {
    var generator = SeededGenerator(seed: part)
    var bases: [[UInt8]] = []
    for seed in 0..<20 as Range<UInt64> {
      var random = RandomChangeset(seed: 1000 * part + seed)
      bases.append(ChangesetEncoder.encode(random.make(instructions: 1 + Int(seed % 3))))
    }
    for round in 0..<30_000 {
      let input = Self.damaged(bases[round % bases.count], &generator)
      guard let changeset = try? ChangesetParser.parse(input) else { continue }
      let broken = changeset.brokenRules
      if !broken.isEmpty { Issue.record("\(broken): \(hex(input))") }
      guard round % 16 == 0 else { continue }
      let again = try ChangesetParser.parse(ChangesetEncoder.encode(changeset))
      expectEqual(again.description, changeset.description, "\(hex(input))")
    }
  }

  private static func damaged(_ base: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var input = base
    let random = generator.next()
    let place = Int(truncatingIfNeeded: random >> 16 & 0xFFFF) % max(1, input.count)
    switch random & 7 {
    case 0: input.removeLast(min(input.count, place))
    case 1: if !input.isEmpty { input.remove(at: place) }
    case 2: input.insert(UInt8(truncatingIfNeeded: random >> 32), at: place)
    case 3: input.insert(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], at: place)
    case 4: if !input.isEmpty { input[place] ^= 1 << UInt8(random >> 40 & 7) }
    default: if !input.isEmpty { input[place] = UInt8(truncatingIfNeeded: random >> 32) }
    }
    return input
  }
}
