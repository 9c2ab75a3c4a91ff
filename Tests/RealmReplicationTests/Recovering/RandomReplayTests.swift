// SPDX-License-Identifier: Apache-2.0

// Random changes are made again on a copy that is as the file was, or has gone on.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@Suite("Random replays", .heavy)
struct RandomReplayTests {
  /// A file with random contents, and its copy.
  private struct Pair {
    let local: ReplicaFile
    let copy: ReplicaFile
    var writer: RandomWriter

    init(_ seed: UInt64) throws {
      (local, copy) = (try ReplicaFile(), try ReplicaFile())
      var random = SeededGenerator(seed: seed)
      writer = RandomWriter(seed: seed, writesInTurn: true)
      writer.erasesSchema = false
      writer.objectCountMax = 4
      try local.write { try RandomSchema.make(in: $0, &random, share: 6) }
      for _ in 0..<12 { try local.write { try writer.writeData($0) } }
      try copy.become(local)
    }

    /// The changesets of some transactions.
    mutating func write(_ count: Int, changesSchema: Bool) throws -> [Changeset] {
      var changesets: [Changeset] = []
      for _ in 0..<count {
        let bytes = try local.write {
          changesSchema ? try writer.write($0) : try writer.writeData($0)
        }
        if !bytes.isEmpty { changesets.append(try ChangesetParser.parse(bytes)) }
      }
      return changesets
    }
  }

  /// On a copy that has not changed, everything is as in the file again.
  @Test(arguments: RandomRuns.seeds(60))
  func anEqualCopyBecomesTheFileAgain(_ seed: UInt64) throws {
    var pair = try Pair(seed)
    let changesets = try pair.write(6, changesSchema: true)
    let (_, dropped) = try ReplayBench.replay(changesets, of: pair.local, onto: pair.copy)
    if try pair.local.digest() != pair.copy.digest() {
      let lines = try StateDifference.lines(from: pair.local.read(), to: pair.copy.read())
      let text = changesets.map(\.description).joined(separator: "\n--\n")
      Issue.record("seed \(seed):\n\(lines.joined(separator: "\n"))\n\(dropped)\n\(text)")
    }
  }

  /// A replay that leaves steps out is found: that of an insertion, an assignment, and any other.
  @Test(arguments: 0..<3) func aFaultIsFound(_ kind: Int) throws {
    var foundCount = 0
    for seed in 0..<12 as Range<UInt64> {
      var pair = try Pair(seed)
      var changesets = try pair.write(6, changesSchema: false)
      for index in changesets.indices {
        changesets[index].instructions.removeAll { instruction in
          switch instruction {
          case .arrayInsert: kind == 0
          case .update: kind == 1
          default: kind == 2
          }
        }
      }
      _ = try ReplayBench.replay(changesets, of: pair.local, onto: pair.copy)
      if try pair.local.digest() != pair.copy.digest() { foundCount += 1 }
    }
    expectTrue(foundCount > 0)
  }

  /// On a copy that has gone on, what is returned has the effect of the replay, and the file is
  /// whole.
  @Test(arguments: RandomRuns.seeds(60))
  func aCopyThatHasGoneOnIsWhole(_ seed: UInt64) throws {
    var pair = try Pair(seed)
    var other = RandomWriter(seed: ~seed, writesInTurn: true)
    other.erasesSchema = false
    for _ in 0..<6 { try pair.copy.write { try other.writeData($0) } }
    let changesets = try pair.write(6, changesSchema: false)
    _ = try ReplayBench.replay(changesets, of: pair.local, onto: pair.copy)
    #expect(try DatabaseCheck.run(pair.copy.file.snapshot()).isEmpty, "seed \(seed)")
  }
}
