// SPDX-License-Identifier: Apache-2.0

// Damaged changesets lead to errors, and never to a trap or a damaged file (SY7).

import Foundation
import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

/// `OPENREALM_SEEDS` makes it longer, as that of `RecordReplayTests`.
@Suite("Damaged changesets")
struct DamagedChangesetTests {
  private static func environment(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
  }

  @Test(.heavy) func leaveTheVersionBefore() throws {
    let wanted = Self.environment("OPENREALM_SEEDS")
    let first =
      Self.environment("OPENREALM_SEED") ?? (wanted == nil ? 1 : .random(in: 1...1 << 40))
    let count = (wanted ?? 60) / 4
    var (tries, errors) = (0, 0)
    for seed in first..<first + count {
      var writer = RandomWriter(seed: seed, writesInTurn: true)
      var random = SeededGenerator(seed: seed)
      let origin = try ReplicaFile()
      let replica = try ReplicaFile()
      try replica.apply(origin.write { try RandomSchema.make(in: $0, &random) })
      for _ in 0..<25 {
        let bytes = try origin.write { try writer.write($0) }
        for _ in 0..<8 where !bytes.isEmpty {
          tries += 1
          if try !carryOut(Self.damage(bytes, &random), on: replica) { errors += 1 }
          tries += 1
          var changeset = try ChangesetParser.parse(bytes)
          Self.mix(&changeset, &random)
          if try !carryOut(changeset, on: replica) { errors += 1 }
        }
        try replica.apply(bytes)
      }
      try expectEqual(origin.digest(), replica.digest(), "seed \(seed)")
    }
    print("damaged changesets from \(first): \(tries), refused: \(errors)")
    expectTrue(errors > tries / 4)
    expectTrue(errors < tries * 9 / 10)
  }

  /// Parses and carries out bytes, and rolls back; whether they were a changeset that fits.
  private func carryOut(
    _ bytes: [UInt8], on file: ReplicaFile
  ) throws -> Bool {
    guard let changeset = try? ChangesetParser.parse(bytes) else { return false }
    return try carryOut(changeset, on: file)
  }

  /// Carries out a changeset, and rolls back; whether it fits.
  private func carryOut(_ changeset: Changeset, on file: ReplicaFile) throws -> Bool {
    let group = try WriteGroup(file.file.beginWrite(), schemas: file.schemas)
    defer { group.rollback() }
    var applier = InstructionApplier(group)
    do throws(ApplyError) {
      try applier.apply(changeset)
    } catch {
      guard case .badChangeset = error else { throw error }
      return false
    }
    // What was written can be read.
    _ = try StateDigest(of: group)
    return true
  }

  /// Exchanges parts of instructions, repeats some and leaves some out: each is well-formed.
  private static func mix(_ changeset: inout Changeset, _ random: inout SeededGenerator) {
    for _ in 0..<1 + random.number(below: 3) where !changeset.isEmpty {
      let index = random.number(below: changeset.instructions.count)
      let other = random.pick(changeset.instructions)
      switch random.number(below: 7) {
      case 0: changeset.instructions[index].path = other.path
      case 1: changeset.instructions[index].payload = other.payload
      case 2: changeset.instructions[index].priorSize = UInt32(random.number(below: 4))
      case 3: changeset.instructions.insert(other, at: index)
      case 4: changeset.instructions.remove(at: index)
      case 5:
        var path = changeset.instructions[index].path
        path?.field = other.path?.field ?? other.table
        changeset.instructions[index].path = path
      default:
        let count = changeset.elements.count
        guard count > 0 else { continue }
        changeset.elements[random.number(below: count)] = random.pick(
          [.index(0), .index(1), .index(.max), .key(other.table), random.pick(changeset.elements)])
      }
    }
  }

  /// Changes a few bytes, or leaves some out.
  private static func damage(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<random.pick([1, 1, 2, 5]) {
      let index = random.number(below: bytes.count)
      switch random.number(below: 4) {
      case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
      case 1: bytes[index] ^= 1 << random.number(below: 7)
      case 2: bytes[index] = UInt8(random.number(below: 16))
      default:
        let end = min(bytes.count, index + 1 + random.number(below: 8))
        if end - index < bytes.count { bytes.removeSubrange(index..<end) }
      }
    }
    return bytes
  }
}
