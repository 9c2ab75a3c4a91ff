// SPDX-License-Identifier: Apache-2.0

// Random transactions of all kinds on a synchronised file, against a model of its entries
// (SY16).

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct SyncHistoryModelTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A file with random transactions, and what it must hold.
  private struct Run {
    let path: String
    let key: EncryptionKey?
    var random: SeededGenerator
    var model = SyncModel()
    var file: DatabaseFile
    /// Versions that are kept for reading.
    var pinned: [(Snapshot, SyncModel)] = []

    init(_ path: String, _ key: EncryptionKey?, seed: UInt64) throws {
      self.path = path
      self.key = key
      random = SeededGenerator(seed: seed)
      file = try Self.open(path, key)
    }

    static func open(_ path: String, _ key: EncryptionKey?) throws -> DatabaseFile {
      try DatabaseFile.open(
        path: path, options: OpenOptions(encryptionKey: key, history: .syncClient))
    }

    mutating func writeGroup() throws {
      var pending: PendingCommit?
      for _ in 0..<(random.chance(0.3) ? Int.random(in: 2...4, using: &random) : 1) {
        let write = try pending?.begin() ?? file.beginWrite()
        let before = model
        try model.change(write, using: &random)
        if random.chance(0.1) {
          model = before
          write.rollback()
          continue
        }
        if random.chance(0.2) { write.compaction = CompactionStep(byteCount: 64 << 10) }
        pending = try write.writeVersion(changeset: [1, 2, 3])
      }
      try pending?.makeDurable()
    }

    mutating func reopen(compacting: Bool) throws {
      pinned = []
      // The last reference to the file is this one.
      let scratch = directoryOfNothing
      file = try Self.open(scratch, nil)
      if compacting { #expect(try DatabaseFile.compact(path: path, key: key)) }
      file = try Self.open(path, key)
      unlink(scratch)
      unlink(scratch + ".lock")
    }

    private var directoryOfNothing: String { path + ".other" }

    func check() throws {
      let snapshot = try file.snapshot()
      try expectEqual(model.difference(from: snapshot), nil)
      for (snapshot, model) in pinned {
        try expectEqual(model.difference(from: snapshot), nil)
      }
      try expectEqual(file.check(), [])
      if key == nil, model.version > 1 {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        try expectEqual(model.difference(fromBytes: bytes), nil)
      }
    }
  }

  private func run(seed: UInt64, key: EncryptionKey?, groups: Int) throws {
    var run = try Run(directory.file("\(seed).realm"), key, seed: seed)
    for _ in 0..<groups {
      try run.writeGroup()
      try expectEqual(run.model.difference(from: run.file.snapshot()), nil, "seed \(seed)")
      switch Int.random(in: 0..<12, using: &run.random) {
      case 0: try run.check()
      case 1: try run.reopen(compacting: false)
      case 2:
        let isWritten = run.model.version > 1
        try run.reopen(compacting: isWritten)
        try run.check()
      case 3: run.pinned.append((try run.file.snapshot(), run.model))
      case 4: run.pinned = []
      default: break
      }
    }
    try run.check()
  }

  /// `SyncHistory` 1, 2 and 4, `CopiedHistory` 2.
  @Test(arguments: RandomRuns.seeds(6))
  func entriesAreWhatTransactionsLeft(_ seed: UInt64) throws {
    try run(seed: seed, key: nil, groups: 120)
    try expectEqual(IndependentChecker.findings(directory.file("\(seed).realm")), nil)
  }

  @Test(arguments: RandomRuns.seeds(2))
  func entriesOfEncryptedFilesAre(_ seed: UInt64) throws {
    try run(seed: seed, key: try TestKeys.vector(), groups: 60)
  }

  /// Trees of more than one leaf.
  @Test(.heavy) func thousandsOfEntriesAreTrimmedInParts() throws {
    let file = try DatabaseFile.open(
      path: "sync-many",
      options: OpenOptions(isInMemory: true, history: .syncClient))
    let first = try file.beginWrite()
    first.syncEntry = SyncEntry(changeset: [0])
    var pending = try first.writeVersion(changeset: [])
    for number in 1..<2600 {
      let write = try pending.begin()
      write.syncEntry = SyncEntry(
        changeset: [UInt8](repeating: UInt8(number & 255), count: number % 70),
        originTimestamp: Int64(number))
      pending = try write.writeVersion(changeset: [])
    }
    try pending.makeDurable()
    try expectEqual(file.check(), [])
    for limit in [1, 900, 1003, 2400, 2601] as [UInt64] {
      let write = try file.beginWrite()
      try write.trimSyncHistory(through: limit)
      let snapshot = try write.commit(changeset: [])
      let history = try #require(try snapshot.syncHistory())
      expectEqual(history.base, limit)
      if limit < 2600 {
        let head = try history.head(at: limit + 1)
        expectEqual(head.originTimestamp, Int64(limit) - 1)
        expectEqual(head.storedByteCount, (limit == 1 ? 1 : (Int(limit) - 1) % 70))
      }
      try expectEqual(file.check(), [])
    }
  }
}
