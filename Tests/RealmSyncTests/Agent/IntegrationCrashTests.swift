// SPDX-License-Identifier: Apache-2.0

// What a crash leaves of integrations and bootstraps: a state before or after, never a part (SY10).

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import Testing

struct IntegrationCrashTests {
  /// All that must move together.
  private struct Mark: CrashMark {
    let version: UInt64
    let digest: StateDigest
    let state: FileState
    let entries: [SyncEntry]

    init(_ file: DatabaseFile) throws {
      let snapshot = try file.snapshot()
      version = snapshot.version
      digest = try StateDigest(of: TableGroup(snapshot))
      state = try FileState(snapshot)
      var entries: [SyncEntry] = []
      if let history = try snapshot.syncHistory(), let versions = history.versions {
        for version in versions { entries.append(try history.entry(at: version)) }
      }
      self.entries = entries
    }
  }

  private func record() throws -> CrashBench<Mark> {
    var bench = try CrashBench<Mark>()
    let file = bench.file
    try bench.write { group in
      try Items.makeClass(group)
      try Items.put(1, "a", group)
    }
    try IdentAdoption.adopt(FileIdentifier(9), salt: 4, in: file)
    try bench.note()
    try bench.write { try Items.append("mine", to: 1, $0) }
    var downloads = DownloadIntegration(file)
    let incoming = (0..<3 as Range<UInt32>).map { index in
      Items.changeset { $0.insert("x\(index)", at: index, of: 1, priorSize: index) }
    }
    try downloads.integrate(.of(incoming, base: 3))
    try bench.note()
    try bench.write { try Items.put(2, "b", $0) }
    var bootstraps = BootstrapIntegration(file, batchByteCount: 60)
    var cursors = BootstrapIntegrationTests.cursors
    cursors.download.clientVersion = 3
    cursors.upload.clientVersion = 3
    var entries = BootstrapIntegrationTests.entries(10..<16)
    for index in entries.indices { entries[index].clientVersion = 3 }
    try bootstraps.keep(Array(entries[..<3]), ofQuery: 1, cursors: nil)
    try bench.note()
    try bootstraps.keep(Array(entries[3...]), ofQuery: 1, cursors: cursors)
    try bench.note()
    _ = try bootstraps.process()
    try bench.note()
    try bench.write { try Items.put(1, "c", $0) }
    return bench
  }

  @Test(arguments: RandomRuns.seeds(2))
  func everyCrashLeavesAStateBeforeOrAfter(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let bench = try record()
    #expect(bench.marks.count == 10)
    let (messages, count) = bench.crash(using: &random)
    #expect(messages == [], "seed \(seed)")
    #expect(count > 100)
  }
}
