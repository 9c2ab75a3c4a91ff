// SPDX-License-Identifier: Apache-2.0

// Random transactions are recorded and carried out on a second file (SY2).

import Foundation
import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

/// `OPENREALM_SEEDS` is the number of random lives of a database, of 200 transactions each;
/// `OPENREALM_SEED` is the first seed, a random one if only the number is said. Without both it is
/// always the same 30 lives, and those must have each kind of instruction.
@Suite("Recorded transactions")
struct RecordReplayTests {
  private struct Failure: Error, CustomStringConvertible { let description: String }

  /// The lives whose instructions are counted.
  private static let countedLives: UInt64 = 30

  private static let transactionCount = 200

  /// The lives are shared out over tests that run at the same time.
  private static let shares = 2

  private static func environment(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
  }

  private static let first =
    environment("OPENREALM_SEED")
    ?? (environment("OPENREALM_SEEDS") == nil ? usualFirst : .random(in: 1...1 << 40))
  private static let usualFirst: UInt64 = 1
  private static let count = environment("OPENREALM_SEEDS") ?? countedLives

  /// `SyncRecorder` 3 and 4: objects are written to in turn, so a wrong name of the last one would
  /// be another object's. `ChangesetBuilder` 1: one recorder writes all changesets.
  @Test("lead from the version before to the version after", .heavy, arguments: 0..<UInt64(shares))
  func replay(share: UInt64) throws {
    var total = InstructionCount()
    for seed in stride(
      from: Self.first + share, to: Self.first + Self.count, by: Self.shares)
    {
      do {
        // Counting takes time, and some lives have everything.
        let isCounted = seed < Self.first + Self.countedLives
        let count = try Self.run(seed, digestInterval: 20, isCounted: isCounted)
        if isCounted { total.add(count) }
      } catch {
        Issue.record("seed \(seed): \(Self.firstFailure(of: seed) ?? error)")
        return
      }
    }
    print("\(Self.count) lives from seed \(Self.first)")
    guard Self.first == Self.usualFirst, Self.count >= Self.countedLives else { return }
    for kind in [
      "AddTable", "EraseTable", "CreateObject", "EraseObject", "Update", "AddInteger", "AddColumn",
      "EraseColumn", "ArrayInsert", "ArrayMove", "ArrayErase", "Clear", "SetInsert", "SetErase",
    ] {
      let occurs = total.has(kind)
      expectTrue(occurs, "no \(kind)")
    }
    for kind in ["Update", "ArrayInsert", "ArrayErase"] {
      let occurs = total.has(kind, "depth 4")
      expectTrue(occurs, "no \(kind) far below its property")
    }
    for type in ["objectValue", "erased", "list", "dictionary", "link", "null"] {
      let occurs = total.has("Update", type)
      expectTrue(occurs, "no Update with \(type)")
    }
  }

  /// Runs a life again, to find the transaction after which the files differ.
  private static func firstFailure(of seed: UInt64) -> (any Error)? {
    do {
      _ = try run(seed, digestInterval: 1, isCounted: false)
      return nil
    } catch {
      return error
    }
  }

  private static func run(
    _ seed: UInt64, digestInterval: Int, isCounted: Bool
  ) throws -> InstructionCount {
    var total = InstructionCount()
    var writer = RandomWriter(seed: seed, writesInTurn: true)
    var random = SeededGenerator(seed: ~seed)
    let origin = try ReplicaFile()
    let replica = try ReplicaFile()
    try replica.apply(origin.write { try RandomSchema.make(in: $0, &random, share: 12) })
    var pending = PendingReplica(replica)
    for number in 1...transactionCount {
      let bytes = try origin.write { try writer.write($0) }
      let changeset = try ChangesetParser.parse(bytes)
      if isCounted { total.add(changeset) }
      try pending.apply(changeset, number)
      if random.percent(20) {
        let foreign = try ChangesetParser.parse(ForeignChangeset.make(&random))
        try origin.apply(foreign)
        try pending.apply(foreign, number)
      }
      // A transaction often carries out several changesets, as an integration does.
      if random.percent(25) || number % 20 == 0 { try pending.commit() }
      guard number % digestInterval == 0 || number == transactionCount else { continue }
      try pending.commit()
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

  /// The replica, with a transaction that is open from its first changeset to the commit.
  private struct PendingReplica {
    private let replica: ReplicaFile
    private var group: WriteGroup?

    init(_ replica: ReplicaFile) { self.replica = replica }

    mutating func apply(_ changeset: Changeset, _ number: Int) throws {
      let group = try group ?? WriteGroup(replica.file.beginWrite(), schemas: replica.schemas)
      self.group = group
      var applier = InstructionApplier(group)
      do {
        try applier.apply(changeset)
      } catch {
        group.rollback()
        self.group = nil
        throw Failure(description: "transaction \(number): \(error)\n\(changeset)")
      }
    }

    mutating func commit() throws {
      _ = try group?.commit()
      group = nil
    }
  }
}
