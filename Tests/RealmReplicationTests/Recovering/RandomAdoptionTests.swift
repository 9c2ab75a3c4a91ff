// SPDX-License-Identifier: Apache-2.0

// Random files are adopted by a server that is empty, that has the content of another device, or
// that another device fills at the same time.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@Suite("Random adoptions", .heavy)
struct RandomAdoptionTests {
  private func expectEqual(
    _ first: ReplicaFile, _ second: ReplicaFile, _ seed: UInt64,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    if try first.digest() == second.digest() { return }
    let lines = try StateDifference.lines(from: first.read(), to: second.read())
    Issue.record("seed \(seed):\n\(lines.joined(separator: "\n"))", sourceLocation: location)
  }

  /// An empty server gets everything, with what was not uploaded.
  /// `ContentAdoption` 3: increments that stayed in the seed would be made twice.
  @Test(arguments: RandomRuns.seeds(40))
  func anEmptyServerGetsTheFile(_ seed: UInt64) throws {
    var bench = try AdoptionBench(seed)
    try bench.write(6)
    let copy = try ReplicaFile()
    #expect(try bench.adopt(onto: copy).differences == [], "seed \(seed)")
    try expectEqual(bench.local, copy, seed)
    #expect(try DatabaseCheck.run(copy.file.snapshot()).isEmpty, "seed \(seed)")
  }

  /// A server with the same content gets what was not uploaded.
  @Test(arguments: RandomRuns.seeds(40))
  func anEqualServerGetsTheChanges(_ seed: UInt64) throws {
    var bench = try AdoptionBench(seed)
    let copy = try ReplicaFile()
    try copy.become(bench.local)
    try bench.write(6)
    let uploads = try bench.adopt(onto: copy)
    expectTrue(uploads.differences == [], "seed \(seed)")
    try expectEqual(bench.local, copy, seed)
    let isSchemaAlone = uploads.seeds.flatMap(\.instructions).allSatisfy { $0.object == nil }
    // Objects that are new are seeded.
    let waits = bench.waiting.flatMap(\.instructions).contains {
      if case .createObject = $0 { true } else { false }
    }
    expectTrue(isSchemaAlone || waits, "seed \(seed)")
  }

  /// Two devices, of which one has synchronised more, bring the same objects at the same time.
  @Test(arguments: RandomRuns.seeds(50))
  func twoDevicesAtOnceEndEqual(_ seed: UInt64) throws {
    var (first, second) = try devices(seed)
    try first.write(4)
    try second.write(4)
    let ends = try race(&first, &second)
    try expectEqual(ends.0, ends.1, seed)
    #expect(try DatabaseCheck.run(ends.0.file.snapshot()).isEmpty, "seed \(seed)")
  }

  /// Without changes of their own both end as the one that has synchronised last; of objects that
  /// one of them alone has, none is lost.
  /// `ContentAdoption` 2
  @Test(arguments: RandomRuns.seeds(40))
  func theLastToSynchroniseWins(_ seed: UInt64) throws {
    var (first, second) = try devices(seed)
    let ends = try race(&first, &second)
    try expectEqual(ends.0, ends.1, seed)
    let merged = try ReplicaFile()
    try merged.become(second.local)
    _ = try first.adopt(onto: merged)
    try expectEqual(merged, ends.0, seed)
  }

  private func devices(_ seed: UInt64) throws -> (AdoptionBench, AdoptionBench) {
    let first = try AdoptionBench(seed)
    var second = try AdoptionBench(as: first, ~seed)
    try second.synchronise(4)
    return (first, second)
  }

  /// Both adopt from an empty server, and then get what the other has uploaded.
  private func race(
    _ first: inout AdoptionBench, _ second: inout AdoptionBench
  ) throws -> (ReplicaFile, ReplicaFile) {
    let (left, right) = (try ReplicaFile(), try ReplicaFile())
    var transformer = Transformer()
    var ours = Self.dated(try first.adopt(onto: left), seedTime: 50, FileIdentifier(2))
    var theirs = Self.dated(try second.adopt(onto: right), seedTime: 60, FileIdentifier(3))
    _ = try transformer.merge(local: &ours, incoming: &theirs, ownIdent: FileIdentifier(2))
    for changeset in theirs { try left.apply(changeset) }
    for changeset in ours { try right.apply(changeset) }
    return (left, right)
  }

  private static func dated(
    _ uploads: AdoptionBench.Uploads, seedTime: UInt64, _ file: FileIdentifier
  ) -> [Changeset] {
    func date(_ changeset: Changeset, _ time: UInt64) -> Changeset {
      var changeset = changeset
      changeset.origin = ChangesetOrigin(
        file: file, timestamp: OriginTimestamp(milliseconds: time))
      return changeset
    }
    return uploads.seeds.map { date($0, seedTime) }
      + uploads.changes.enumerated().map { date($1, 1_000 + 2 * UInt64($0) + file.rawValue) }
  }

  /// Uploads that lack instructions are found.
  @Test(arguments: 0..<3) func aFaultIsFound(_ kind: Int) throws {
    var foundCount = 0
    for seed in 0..<8 as Range<UInt64> {
      var bench = try AdoptionBench(seed)
      try bench.write(4)
      let uploads = try bench.adopt(
        onto: ReplicaFile(),
        dropping: { instruction in
          switch instruction {
          case .arrayInsert: kind == 0
          case .update: kind == 1
          default: kind == 2
          }
        })
      if !uploads.differences.isEmpty { foundCount += 1 }
    }
    expectTrue(foundCount > 0)
  }
}
