// SPDX-License-Identifier: Apache-2.0

// Properties of merging, against a model.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSyncProtocol

struct TransformerTests {
  /// A world with some content, and two sequences of changesets that both begin there.
  private struct Divergence {
    var base: ModelWorld
    var left: [Changeset]
    var right: [Changeset]
    var afterLeft: ModelWorld
    var afterRight: ModelWorld

    init(seed: UInt64, transactions: Int, changes: Int) {
      var writer = ModelWriter(world: ModelWorld(), seed: seed)
      _ = writer.transaction(changes: 30)
      base = writer.world
      var sides: [([Changeset], ModelWorld)] = []
      for side in 1...2 as ClosedRange<UInt64> {
        var writer = ModelWriter(world: base, seed: seed &* 7 &+ side)
        var clock: UInt64 = 0
        var changesets: [Changeset] = []
        for _ in 0..<transactions {
          clock += UInt64.random(in: 0...2, using: &writer.generator)
          var changeset = writer.transaction(changes: changes)
          changeset.origin = ChangesetOrigin(
            file: FileIdentifier(side + 1), timestamp: OriginTimestamp(milliseconds: clock))
          changesets.append(changeset)
        }
        sides.append((changesets, writer.world))
      }
      (left, afterLeft) = sides[0]
      (right, afterRight) = sides[1]
    }

    var script: String {
      "left:\n\(left.map(\.description).joined(separator: "\n--\n"))\nright:\n"
        + right.map(\.description).joined(separator: "\n--\n")
    }
  }

  /// `Transformer` 1. `MergeStep` 1: the sides have string tables of their own. `MergeStep` 2: what
  /// a rule changes must arrive in the changesets. `Changeset` 1, 2 and 3: of what merging makes.
  @Test(.heavy, arguments: [(1, 1, 1500), (1, 4, 600), (3, 4, 300)])
  func bothSidesEndWithTheSameContent(
    _ transactions: Int, _ changes: Int, _ runs: Int
  ) throws {
    for seed in RandomRuns.seeds(runs) {
      let start = Divergence(seed: seed, transactions: transactions, changes: changes)
      var (local, incoming) = (start.left, start.right)
      var transformer = Transformer()
      let outcome = try transformer.merge(
        local: &local, incoming: &incoming, ownIdent: FileIdentifier(9))
      var (left, right) = (start.afterLeft, start.afterRight)
      do {
        for changeset in incoming { try left.apply(changeset) }
        for changeset in local { try right.apply(changeset) }
      } catch {
        Issue.record("seed \(seed): \(error)\n\(start.script)")
        return
      }
      guard left == right else {
        Issue.record("seed \(seed)\n\(start.script)\n\(left)\n\(right)")
        return
      }
      for changeset in local + incoming {
        expectEqual(changeset.brokenRules, [], "seed \(seed)")
      }
      for position in local.indices where !outcome.alteredLocal.contains(position) {
        expectEqual(local[position].description, start.left[position].description)
      }
      for position in incoming.indices where !outcome.alteredIncoming.contains(position) {
        expectEqual(incoming[position].description, start.right[position].description)
      }
    }
  }

  /// Which side is local makes no difference: the peers do the same merge from both ends.
  @Test func theSidesCanBeExchanged() throws {
    for seed in RandomRuns.seeds(300) {
      let start = Divergence(seed: seed, transactions: 2, changes: 4)
      var (local, incoming) = (start.left, start.right)
      var (otherLocal, otherIncoming) = (start.right, start.left)
      var transformer = Transformer()
      _ = try transformer.merge(local: &local, incoming: &incoming, ownIdent: FileIdentifier(9))
      _ = try transformer.merge(
        local: &otherLocal, incoming: &otherIncoming, ownIdent: FileIdentifier(9))
      expectEqual(local.map(\.description), otherIncoming.map(\.description), "seed \(seed)")
      expectEqual(incoming.map(\.description), otherLocal.map(\.description), "seed \(seed)")
    }
  }

  /// The same for any instructions, with changes of the schema.
  @Test func theSidesOfAnyPairCanBeExchanged() throws {
    for seed in RandomRuns.seeds(400) {
      var random = RandomConflict(seed: seed)
      let left = (0..<2).map { _ in random.make(instructions: 4, file: 2) }
      let right = (0..<2).map { _ in random.make(instructions: 4, file: 3) }
      var results: [[String]] = []
      for isLeftLocal in [true, false] {
        var (local, incoming) = isLeftLocal ? (left, right) : (right, left)
        var transformer = Transformer()
        do throws(MergeError) {
          _ = try transformer.merge(
            local: &local, incoming: &incoming, ownIdent: FileIdentifier(9))
          let both = isLeftLocal ? local + incoming : incoming + local
          results.append(both.map(\.description))
        } catch {
          // Which of several contradictions is met first depends on the side.
          results.append(["error"])
        }
      }
      expectEqual(results[0], results[1], "seed \(seed)")
    }
  }

  /// SY5: merging incoming changesets one by one with the reciprocals of the merges before gives
  /// what merging them at once gives.
  @Test func mergingAgainFromBaseAndReciprocalsGivesTheSame() throws {
    for seed in RandomRuns.seeds(300) {
      let start = Divergence(seed: seed, transactions: 4, changes: 3)
      var (local, incoming) = (start.left, start.right)
      var transformer = Transformer()
      _ = try transformer.merge(local: &local, incoming: &incoming, ownIdent: FileIdentifier(9))
      var reciprocals = start.left
      for (position, changeset) in start.right.enumerated() {
        var one = [changeset]
        _ = try transformer.merge(
          local: &reciprocals, incoming: &one, ownIdent: FileIdentifier(9))
        expectEqual(one[0].description, incoming[position].description, "seed \(seed)")
      }
      expectEqual(reciprocals.map(\.description), local.map(\.description), "seed \(seed)")
    }
  }

  /// `InstructionIndex` 1.
  @Test func theIndexChangesNothing() throws {
    for seed in RandomRuns.seeds(300) {
      let start = Divergence(seed: seed, transactions: 3, changes: 4)
      try expectSameWithoutIndex(start.left, start.right, "seed \(seed)")
    }
  }

  /// `InstructionIndex` 1, `InstructionIndex` 2, `Transformer` 2: with changes of the schema, and
  /// instructions that fit no database.
  @Test func theIndexChangesNothingInAnyPair() throws {
    for seed in RandomRuns.seeds(600) {
      var random = RandomConflict(seed: seed)
      let left = (0..<2).map { _ in random.make(instructions: 4, file: 2) }
      let right = (0..<2).map { _ in random.make(instructions: 4, file: 3) }
      try expectSameWithoutIndex(left, right, "seed \(seed)")
    }
  }

  private func expectSameWithoutIndex(
    _ left: [Changeset], _ right: [Changeset], _ comment: Comment
  ) throws {
    var results: [String] = []
    for usesIndex in [true, false] {
      var (local, incoming) = (left, right)
      var transformer = Transformer(usesIndex: usesIndex)
      do throws(MergeError) {
        let outcome = try transformer.merge(
          local: &local, incoming: &incoming, ownIdent: FileIdentifier(9))
        let lines = (local + incoming).map(\.description)
        results.append("\(outcome)\n" + lines.joined(separator: "\n--\n"))
      } catch {
        results.append("\(error)")
        expectEqual(local.map(\.description), left.map(\.description))
      }
    }
    expectEqual(results[0], results[1], comment)
  }

  /// Clients that write, upload and download in any order end with the server's content.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func severalClientsEndWithTheSameContent(_ part: UInt64) throws {
    for seed in RandomRuns.seeds(25) {
      let seed = 1000 * part + seed
      var generator = SeededGenerator(seed: seed)
      var server = ModelServer()
      var clients = (0..<3 as Range<UInt64>).map { number in
        var writer = ModelWriter(world: ModelWorld(), seed: 10 * seed + number)
        writer.keepsKinds = true
        return ModelClient(ident: FileIdentifier(number + 2), writer: writer)
      }
      do {
        for _ in 0..<60 {
          let number = Int.random(in: 0..<3, using: &generator)
          try Self.act(&clients[number], &server, &generator)
        }
        for number in [0, 1, 2, 0, 1, 2] {
          try Self.upload(&clients[number], &server, limit: .max)
          try Self.download(&clients[number], server, limit: .max)
        }
      } catch {
        Issue.record("seed \(seed): \(error)")
        continue
      }
      let isEqual = clients.allSatisfy { $0.writer.world == server.world }
      expectTrue(isEqual, "seed \(seed)")
    }
  }

  private static func act(
    _ client: inout ModelClient, _ server: inout ModelServer, _ generator: inout SeededGenerator
  ) throws {
    let limit = Int.random(in: 1...3, using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: try upload(&client, &server, limit: limit)
    case 1: try download(&client, server, limit: limit)
    default: client.write(changes: limit)
    }
  }

  private static func upload(
    _ client: inout ModelClient, _ server: inout ModelServer, limit: Int
  ) throws {
    let waiting = client.own.filter { $0.origin.version > client.uploaded }.prefix(limit)
    guard let last = waiting.last else { return }
    try server.integrate(Array(waiting), of: client.ident)
    client.uploaded = last.origin.version
  }

  private static func download(
    _ client: inout ModelClient, _ server: ModelServer, limit: Int
  ) throws {
    try client.integrate(
      server.entries(for: client.ident, after: client.serverVersion, limit: limit))
  }
}
