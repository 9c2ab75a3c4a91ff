// SPDX-License-Identifier: Apache-2.0

// A file with its agent and a session whose messages can be lost anywhere.

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import Synchronization
import Testing

/// One device of a test.
final class TestDevice {
  private let system: SimulatedFileSystem
  private(set) var file: DatabaseFile
  private(set) var agent: SyncAgent
  private var recorded: RecordedWrite
  private let schemas = SchemaCache()
  private let limits: TurnLimits
  let clock = Clock()
  /// What the agent has reported as lost.
  let losses = Locked<[UploadLoss]>([])
  /// The versions that have something to upload.
  private(set) var written: [UInt64] = []

  /// A clock that a test sets.
  final class Clock: Sendable {
    private let value = Atomic<UInt64>(1000)

    func set(_ milliseconds: UInt64) { value.store(milliseconds, ordering: .relaxed) }

    func now() -> OriginTimestamp {
      OriginTimestamp(milliseconds: value.load(ordering: .relaxed))
    }
  }

  init(limits: TurnLimits = TurnLimits()) throws {
    system = try SimulatedFileSystem()
    self.limits = limits
    file = try system.openDatabase(history: .syncClient)
    agent = try SyncAgent(file, limits: limits) { [losses] loss in
      losses.withLock { $0.append(loss) }
    }
    let clock = clock
    recorded = RecordedWrite { clock.now() }
  }

  /// Ends the process, and starts it again.
  func restart() async throws {
    await agent.close()
    let clock = clock
    recorded = RecordedWrite { clock.now() }
    file = try system.openDatabase(history: .syncClient)
    agent = try SyncAgent(file, limits: limits) { [losses] loss in
      losses.withLock { $0.append(loss) }
    }
    _ = try await agent.activate()
  }

  /// Runs a local transaction; its version.
  @discardableResult
  func write(_ body: (WriteGroup) throws -> Void) throws -> UInt64 {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    do {
      try recorded.attach(to: group)
      try body(group)
      let snapshot = try group.commit()
      let history = try #require(try snapshot.syncHistory())
      if try history.head(at: snapshot.version).isUploadable { written.append(snapshot.version) }
      return snapshot.version
    } catch {
      group.rollback()
      throw error
    }
  }

  func read() throws -> TableGroup { try TableGroup(file.snapshot(), schemas: schemas) }

  func history() throws -> SyncHistory { try #require(try file.snapshot().syncHistory()) }

  func digest() throws -> StateDigest {
    let group = try read()
    return try StateDigest(
      of: group, file: FileIdentifier(UInt64(try group.snapshot.top().fileIdentifier)))
  }

  /// What the check of the file finds.
  func findings() throws -> [CheckFinding] { try DatabaseCheck.run(try file.snapshot()) }
}
