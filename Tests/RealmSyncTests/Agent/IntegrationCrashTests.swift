// SPDX-License-Identifier: Apache-2.0

// What a crash leaves of integrations and bootstraps: a state before or after, never a part (SY10).

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct IntegrationCrashTests {
  /// All that must move together.
  private struct Mark: CrashMark {
    let version: UInt64
    let digest: StateDigest
    let state: FileState
    let entries: [SyncEntry]
    /// The reports of refused writes that the program has not got.
    let reports: [ErrorDocument]

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
      reports = try KeptReports.stored(in: TableGroup(snapshot))
    }
  }

  static func report(at version: UInt64) -> ErrorDocument {
    var document = ErrorDocument(.compensatingWrite, message: "refused")
    document.compensatingWrite = CompensatingWriteReport(
      serverVersion: version, rejectedClientVersion: 3,
      updates: [RejectedUpdate(notAllowed: .int(1), in: "Item")])
    return document
  }

  private func record(reports: [ErrorDocument] = []) throws -> CrashBench<Mark> {
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
    try downloads.integrate(.of(incoming, base: 3), reports: reports)
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
    for index in entries.indices { entries[index].serverVersion = 7 }
    cursors.download.serverVersion = 7
    try bootstraps.integrate(entries, ofQuery: 1, cursors: cursors)
    try bench.note()
    try bench.write { try Items.put(1, "c", $0) }
    return bench
  }

  @Test(arguments: RandomRuns.seeds(2))
  func everyCrashLeavesAStateBeforeOrAfter(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let bench = try record()
    expectEqual(bench.marks.count, 11)
    let (messages, count) = bench.crash(using: &random)
    expectEqual(messages, [], "seed \(seed)")
    expectTrue(count > 100)
  }

  /// Once the cursor has reached the version of a report, so that the server has forgotten it, the
  /// file has it, whatever crash is between them (`KeptReports` 1).
  @Test func aReportIsThereAsSoonAsTheServerForgetsIt() throws {
    var random = SeededGenerator(seed: 1)
    let report = Self.report(at: 2)
    let bench = try record(reports: [report])
    let isReached = { (mark: Mark) in mark.state.cursors.download.serverVersion >= 2 }
    expectTrue(bench.marks.contains(where: isReached))
    expectFalse(bench.marks.allSatisfy(isReached))
    for mark in bench.marks { expectEqual(mark.reports, (isReached(mark) ? [report] : [])) }
    let (messages, count) = bench.crash(using: &random)
    expectEqual(messages, [])
    expectTrue(count > 100)
  }

  /// With a bootstrap it is there before the cursor, and stays until the program has it
  /// (`KeptReports` 1 and 2).
  @Test func aReportOfABootstrapIsKeptWithItsLastPart() async throws {
    let device = try TestDevice()
    try BootstrapIntegrationTests.makeSets(device)
    let report = Self.report(at: BootstrapIntegrationTests.cursors.download.serverVersion)
    _ = try await device.agent.keepBootstrapPart(
      BootstrapIntegrationTests.entries(0..<3), ofQuery: 2,
      cursors: BootstrapIntegrationTests.cursors, reports: [report])
    var kept = try await device.agent.keptReports()
    expectTrue(kept.due.isEmpty)
    expectTrue(kept.hasMore)
    try await device.restart()
    kept = try await device.agent.keptReports()
    expectEqual(kept.due, [report])
    expectFalse(kept.hasMore)
    try await device.agent.removeReport(report.compensatingWrite?.serverVersion ?? 0)
    try await device.restart()
    #expect(try await device.agent.keptReports().due.isEmpty)
    #expect(try device.findings().isEmpty)
  }
}
