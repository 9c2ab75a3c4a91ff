// SPDX-License-Identifier: Apache-2.0

// Random transactions are recorded and carried out on a second file (SY2).

import Foundation
import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import Testing

/// `OPENREALM_SEEDS` is the number of random lives of a database, of 100 transactions each;
/// `OPENREALM_SEED` is the first seed.
@Suite("Recorded transactions")
struct RecordReplayTests {
  private struct Failure: Error, CustomStringConvertible { let description: String }

  private static let transactionCount = 100

  /// The lives are shared out over tests that run at the same time.
  private static let shares = 2

  private static func environment(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
  }

  private static let first = environment("OPENREALM_SEED") ?? .random(in: 1...1 << 40)
  private static let count = environment("OPENREALM_SEEDS") ?? 60

  @Test("lead from the version before to the version after", arguments: 0..<UInt64(shares))
  func replay(share: UInt64) throws {
    var total = InstructionCount()
    for seed in stride(
      from: Self.first + share, to: Self.first + Self.count, by: Self.shares)
    {
      do {
        total.add(try Self.run(seed, digestInterval: 20))
      } catch {
        Issue.record("seed \(seed): \(Self.firstFailure(of: seed) ?? error)")
        return
      }
    }
    print("seeds from \(Self.first): \(total.instructionCount) instructions recorded")
    guard Self.count >= 60 else { return }
    for kind in [
      "AddTable", "EraseTable", "CreateObject", "EraseObject", "Update", "AddInteger", "AddColumn",
      "EraseColumn", "ArrayInsert", "ArrayMove", "ArrayErase", "Clear", "SetInsert", "SetErase",
    ] {
      let occurs = total.has(kind)
      #expect(occurs, "no \(kind)")
    }
    for kind in ["Update", "ArrayInsert", "ArrayErase"] {
      let occurs = total.has(kind, "depth 4")
      #expect(occurs, "no \(kind) far below its property")
    }
    for type in ["objectValue", "erased", "list", "dictionary", "link", "null"] {
      let occurs = total.has("Update", type)
      #expect(occurs, "no Update with \(type)")
    }
  }

  /// Runs a life again, to find the transaction after which the files differ.
  private static func firstFailure(of seed: UInt64) -> (any Error)? {
    do {
      _ = try run(seed, digestInterval: 1)
      return nil
    } catch {
      return error
    }
  }

  private static func run(_ seed: UInt64, digestInterval: Int) throws -> InstructionCount {
    var total = InstructionCount()
    var writer = RandomWriter(seed: seed, writesInTurn: true)
    var random = SeededGenerator(seed: ~seed)
    let origin = try ReplicaFile()
    let replica = try ReplicaFile()
    try replica.apply(origin.write { try RandomSchema.make(in: $0, &random) })
    for number in 1...transactionCount {
      let bytes = try origin.write { try writer.write($0) }
      let changeset = try ChangesetParser.parse(bytes)
      total.add(changeset)
      try carryOut(changeset, on: replica, number)
      if random.percent(20) {
        let foreign = try ChangesetParser.parse(ForeignChangeset.make(&random))
        try carryOut(foreign, on: origin, number)
        try carryOut(foreign, on: replica, number)
      }
      guard number % digestInterval == 0 || number == transactionCount else { continue }
      guard try origin.digest() != replica.digest() else { continue }
      let lines = try StateDifference.lines(from: origin.read(), to: replica.read())
      throw Failure(
        description: "transaction \(number): \(lines.joined(separator: "\n"))\n\(changeset)")
    }
    for file in [origin, replica] {
      let findings = try DatabaseCheck.run(file.file.snapshot())
      guard findings.isEmpty else { throw Failure(description: "\(findings.prefix(5))") }
    }
    return total
  }

  private static func carryOut(
    _ changeset: Changeset, on file: ReplicaFile, _ number: Int
  ) throws {
    do {
      try file.apply(changeset)
    } catch {
      throw Failure(description: "transaction \(number): \(error)\n\(changeset)")
    }
  }
}
