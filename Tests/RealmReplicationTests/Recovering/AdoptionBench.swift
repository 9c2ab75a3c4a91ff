// SPDX-License-Identifier: Apache-2.0

// Files that a former server has synchronised, and copies of a server that has not seen them.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import Testing

/// A file with random content and changes that wait for their upload.
struct AdoptionBench {
  let local: ReplicaFile
  var writer: RandomWriter
  var waiting: [Changeset] = []

  /// A file whose content a former server has.
  init(_ seed: UInt64) throws {
    local = try ReplicaFile()
    var random = SeededGenerator(seed: seed)
    writer = Self.writer(seed)
    try local.write { group in
      try RandomSchema.make(in: group, &random, share: 6)
      // Objects without primary key are not adopted.
      let notes = try group.existing("Note")
      let key = try notes.addColumn(named: "key", type: .int)
      try notes.setPrimaryKey(key.key)
    }
    for _ in 0..<12 { try local.write { try writer.writeData($0) } }
  }

  /// Another device with the same content.
  init(as other: AdoptionBench, _ seed: UInt64) throws {
    local = try ReplicaFile()
    writer = Self.writer(seed)
    try local.become(other.local)
  }

  private static func writer(_ seed: UInt64) -> RandomWriter {
    var writer = RandomWriter(seed: seed, writesInTurn: true)
    writer.erasesSchema = false
    writer.isConvergent = true
    writer.objectCountMax = 4
    return writer
  }

  /// Makes changes that the former server has.
  mutating func synchronise(_ count: Int) throws {
    for _ in 0..<count { try local.write { try writer.writeData($0) } }
  }

  /// Makes changes that the former server does not have.
  mutating func write(_ count: Int) throws {
    for _ in 0..<count {
      let bytes = try local.write { try writer.writeData($0) }
      if !bytes.isEmpty { waiting.append(try ChangesetParser.parse(bytes)) }
    }
  }

  /// Makes changes that are not random.
  mutating func write(_ body: (WriteGroup) throws -> Void) throws {
    waiting.append(try ChangesetParser.parse(try local.write(body)))
  }

  /// What an adoption uploads.
  struct Uploads {
    let seeds: [Changeset]
    let changes: [Changeset]
    /// How the copy differs from one on which these were carried out.
    let differences: [String]
  }

  /// Brings the content onto a copy.
  ///
  /// What is returned has the same effect (`ContentAdoption` 1).
  ///
  /// - Parameter dropping: Chooses instructions that are left out of it, as a fault would.
  func adopt(
    onto copy: ReplicaFile, dropping: ((Instruction) -> Bool)? = nil
  ) throws -> Uploads {
    let twin = try ReplicaFile()
    try twin.become(copy)
    let group = try WriteGroup(copy.file.beginWrite(), schemas: copy.schemas)
    var seeds: [Changeset] = []
    var changes: [Changeset] = []
    do {
      var content = ContentAdoption(of: try local.read(), .own, waiting, onto: group, .own)
      var parts = [try content.begin()]
      try content.seed { parts.append($0) }
      seeds = try parts.map { try ChangesetParser.parse($0) }
      for number in waiting.indices {
        changes += try content.replay(number).map { try ChangesetParser.parse($0) }
      }
      _ = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
    for var changeset in seeds + changes {
      if let dropping { changeset.instructions.removeAll(where: dropping) }
      // What depends on dropped instructions is not carried out.
      try twin.apply(changeset, policy: dropping == nil ? .strict : .recovering)
    }
    let differences =
      try twin.digest() == copy.digest()
      ? [] : try StateDifference.lines(from: copy.read(), to: twin.read())
    return Uploads(seeds: seeds, changes: changes, differences: differences)
  }
}
