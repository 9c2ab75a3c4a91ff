// SPDX-License-Identifier: Apache-2.0

// A file is made equal to another with writes for differences alone.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import Testing

@Suite("State transfers")
struct StateTransferTests {
  /// Transfers a state; whether anything was written.
  @discardableResult
  private func transfer(from source: ReplicaFile, to target: ReplicaFile) throws -> Bool {
    let group = try WriteGroup(target.file.beginWrite(), schemas: target.schemas)
    group.recorder = target.recorder
    do {
      var transfer = StateTransfer(from: try source.read(), to: group)
      try transfer.run()
      #expect(try target.recorder.finish(group).isEmpty)
      let isChanged = !group.log.isEmpty
      _ = try group.commit()
      return isChanged
    } catch {
      group.rollback()
      throw error
    }
  }

  private func expectEqual(
    _ left: ReplicaFile, _ right: ReplicaFile, _ location: SourceLocation = #_sourceLocation
  ) throws {
    guard try left.digest() != right.digest() else { return }
    let lines = try StateDifference.lines(from: left.read(), to: right.read())
    Issue.record("\(lines.joined(separator: "\n"))", sourceLocation: location)
  }

  @Test(arguments: [3, .random(in: 4...1 << 40)] as [UInt64])
  func makeFilesEqualAndWriteNothingTheSecondTime(_ first: UInt64) throws {
    for seed in first..<first + 4 {
      var random = SeededGenerator(seed: seed)
      let (source, target) = (try ReplicaFile(), try ReplicaFile())
      let schema = try source.write { try RandomSchema.make(in: $0, &random) }
      try target.apply(schema)
      var writers = (
        RandomWriter(seed: seed, writesInTurn: true),
        RandomWriter(seed: ~seed, writesInTurn: true)
      )
      for _ in 0..<25 {
        try source.write { try writers.0.writeData($0) }
        try source.apply(ForeignChangeset.make(&random))
        try target.write { try writers.1.writeData($0) }
        try target.apply(ForeignChangeset.make(&random))
      }
      try dropObjectsWithoutKey(source)
      try dropObjectsWithoutKey(target)
      try transfer(from: source, to: target)
      try expectEqual(source, target)
      #expect(try DatabaseCheck.run(target.file.snapshot()).isEmpty)
      let isChanged = try transfer(from: source, to: target)
      #expect(!isChanged, "seed \(seed)")
    }
  }

  /// Objects without primary key that two files made at the same time are not the same.
  private func dropObjectsWithoutKey(_ file: ReplicaFile) throws {
    try file.write { try $0.existing("Note").deleteAll() }
  }

  @Test func addClassesAndPropertiesThatAreMissing() throws {
    let source = try ItemFile()
    let target = try ReplicaFile()
    try transfer(from: source.file, to: target)
    try expectEqual(source.file, target)
  }

  @Test func keepThePlacesOfMissingObjects() throws {
    let (source, target) = (try ItemFile(), try ItemFile())
    try source.apply { changeset, item in
      changeset.insertLink(item, "a", "links", "later", at: 0)
      changeset.insertLink(item, "a", "links", "a", at: 1)
    }
    try target.apply { changeset, item in
      changeset.create(item, "later")
      changeset.insertLink(item, "a", "links", "later", at: 0)
      changeset.insertLink(item, "a", "links", "a", at: 1)
    }
    try transfer(from: source.file, to: target.file)
    try expectEqual(source.file, target.file)
    for items in [source, target] {
      try items.apply { changeset, item in
        changeset.create(item, "later")
        changeset.insertLink(item, "a", "links", "a", at: 2)
      }
      #expect(try items.links("links") == ["later", "a", "a"])
    }
  }

  @Test func refuseAClassWithAnotherKey() throws {
    let (source, target) = (try ReplicaFile(), try ReplicaFile())
    try source.apply { $0.addClass("T", key: ("id", .int, false)) }
    try target.apply { $0.addClass("T", key: ("id", .string, false)) }
    #expect(throws: ApplyError.self) { try transfer(from: source, to: target) }
  }
}
