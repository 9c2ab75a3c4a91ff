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

@Suite struct IntegrationCrashTests {
  /// All that must move together.
  private struct Mark: Equatable {
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

  private func record(_ system: SimulatedFileSystem) throws -> [Mark] {
    let file = try system.openDatabase(history: .syncClient)
    var marks = [try Mark(file)]
    system.file.acknowledge(file.newestVersion)
    func note() throws {
      marks.append(try Mark(file))
      system.file.acknowledge(file.newestVersion)
    }
    let recorded = RecordedWrite()
    func write(_ body: (WriteGroup) throws -> Void) throws {
      let group = try WriteGroup(file.beginWrite())
      try recorded.attach(to: group)
      try body(group)
      _ = try group.commit()
      try note()
    }
    try write { group in
      try Items.makeClass(group)
      try Items.put(1, "a", group)
    }
    try IdentAdoption.adopt(FileIdentifier(9), salt: 4, in: file)
    try note()
    try write { try Items.append("mine", to: 1, $0) }
    var downloads = DownloadIntegration(file)
    let incoming = (0..<3 as Range<UInt32>).map { index in
      Items.changeset { $0.insert("x\(index)", at: index, of: 1, priorSize: index) }
    }
    try downloads.integrate(.of(incoming, base: 3))
    try note()
    try write { try Items.put(2, "b", $0) }
    var bootstraps = BootstrapIntegration(file, batchByteCount: 60)
    var cursors = BootstrapIntegrationTests.cursors
    cursors.download.clientVersion = 3
    cursors.upload.clientVersion = 3
    var entries = BootstrapIntegrationTests.entries(10..<16)
    for index in entries.indices { entries[index].clientVersion = 3 }
    try bootstraps.keep(Array(entries[..<3]), ofQuery: 1, cursors: nil)
    try note()
    try bootstraps.keep(Array(entries[3...]), ofQuery: 1, cursors: cursors)
    try note()
    _ = try bootstraps.process()
    try note()
    try write { try Items.put(1, "c", $0) }
    return marks
  }

  @Test(arguments: RandomRuns.seeds(2))
  func everyCrashLeavesAStateBeforeOrAfter(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let system = try SimulatedFileSystem()
    let marks = try record(system)
    #expect(marks.count == 10)
    var messages: [String] = []
    let states = CrashStates(of: system.file.trace, initial: [], sampleCount: 12)
    let count = try states.forEach(using: &random) { state in
      guard messages.count < 5 else { return }
      let file = try SimulatedFileSystem(contents: state.contents)
        .openDatabase(history: .syncClient)
      let found = try Mark(file)
      let known = marks.lastIndex { $0.version <= state.acknowledged } ?? 0
      if !marks[known...].prefix(2).contains(found) {
        messages.append("\(state.name): version \(found.version) is none of those that were seen")
      }
      let findings = try DatabaseCheck.run(try file.snapshot())
      if findings != [] { messages.append("\(state.name): \(findings)") }
    }
    #expect(messages == [], "seed \(seed)")
    #expect(count > 100)
  }
}
