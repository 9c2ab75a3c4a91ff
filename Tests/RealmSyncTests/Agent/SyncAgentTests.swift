// SPDX-License-Identifier: Apache-2.0

// One agent a file, on a thread of its own (SY9, SY15).

import Foundation
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct SyncAgentTests {
  /// `SyncAgent` 1.
  @Test func aSecondAgentIsRefused() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    let options = OpenOptions(history: .syncClient)
    let file = try DatabaseFile.open(path: path, options: options)
    let agent = try SyncAgent(file)
    #expect(throws: StorageError.multipleAgents(path: path)) { try SyncAgent(file) }
    // Another process.
    let other = try DatabaseFile.open(
      path: path, options: options, system: SystemFiles(), registry: FileRegistry())
    #expect(throws: StorageError.multipleAgents(path: path)) { try SyncAgent(other) }
    await agent.close()
    _ = try SyncAgent(other)
  }

  @Test func anAgentThatGoesAwayLetsTheNextOne() async throws {
    let file = try SimulatedFileSystem().openDatabase(history: .syncClient)
    for _ in 0..<20 { _ = try await SyncAgent(file).state() }
  }

  @Test func aThreadThatIsRefusedIsAnError() throws {
    let file = try SimulatedFileSystem().openDatabase(history: .syncClient)
    BackgroundThread.$isRefused.withValue(true) {
      #expect(throws: StorageError.self) { try SyncAgent(file) }
    }
    _ = try SyncAgent(file)
  }

  /// `SyncAgent` 2 and 3: agents that wait for the right to write leave the cooperative pool alone.
  @Test func waitingAgentsKeepNoTaskFromRunning() async throws {
    var devices: [TestDevice] = []
    for _ in 0..<3 * ProcessInfo.processInfo.activeProcessorCount {
      devices.append(try TestDevice())
    }
    let blockers = try devices.map { try $0.file.beginWrite() }
    let download = DownloadBatch.of([Items.changeset { $0.addClass() }])
    let requests = devices.map { device in
      let agent = device.agent
      return Task { try await agent.integrate(download).version }
    }
    for device in devices {
      while device.file.writers.waiterCount == 0 { try? await Task.sleep(for: .milliseconds(1)) }
    }
    let value = await Task.detached { 5 }.value
    expectEqual(value, 5)
    for blocker in blockers { blocker.rollback() }
    for request in requests { try await expectEqual(request.value, 2) }
  }

  /// `JobThread` 1.
  @Test func requestsRunOneAfterTheOther() async throws {
    let device = try TestDevice()
    let agent = device.agent
    let tasks = (1...20).map { version in
      Task {
        let download = DownloadBatch(
          cursors: SyncCursors(latest: SaltedVersion(version: 30, salt: UInt64(version))))
        return try await agent.integrate(download).version
      }
    }
    var versions: Set<UInt64> = []
    for task in tasks { versions.insert(try await task.value) }
    expectEqual(versions, Set(2...21))
  }

  @Test func aCommitOfAnyoneIsReportedAndScanned() async throws {
    let device = try TestDevice()
    let version = try device.write(Items.makeClass)
    try await expectEqual(device.agent.state().version, version)
    guard
      case .uploads(let batch, let file) = await device.agent.perform(
        .scanUploads(after: 0, pastQuery: 0))
    else {
      Issue.record("no answer to a scan")
      return
    }
    try expectEqual(batch.body.uploadEntries().map(\.clientVersion), [version])
    expectEqual(file.version, version)
  }
}
