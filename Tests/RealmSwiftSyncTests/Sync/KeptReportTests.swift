// SPDX-License-Identifier: Apache-2.0

// Reports of refused writes whose program ended before it had them.

#if Sync
import Foundation
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import TestExtensions
import Testing

@testable import RealmSwift
@testable import RealmSync

@Suite(.timeLimit(.minutes(10))) struct KeptReportTests {
  private actor Device {
    private var realm: Realm?

    init(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm(configuration: configuration, actor: self)
    }

    func agent() throws -> SyncAgent { try #require(realm?.syncSession?.core).agent }

    func close() { realm = nil }
  }

  /// The file of a session, and its agent as long as something uses it.
  private struct Ended {
    weak var agent: SyncAgent?
    var file: DatabaseFile?
  }

  /// Opens the realm, works with its agent, and closes it.
  private func open(
    _ configuration: Realm.Configuration, _ user: User,
    _ body: (SyncAgent) async throws -> Void
  ) async throws {
    let device = try await Device(configuration)
    try await body(device.agent())
    await device.close()
    while !user.allSessions.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
  }

  /// `ReportDelivery` 1
  @Test func theNextStartHandsThemOverOnce() async throws {
    let app = try MemoryApp()
    let user = try await app.device("first").login(credentials: .anonymous)
    app.server.setOnline(false)
    var configuration = user.flexibleSyncConfiguration()
    configuration.objectTypes = [Todo.self]
    let opened = configuration
    let heard = Locked<[SyncError]>([])
    app.device("first").syncManager.errorHandler = { error, session in
      guard let error = error as? SyncError, session?.parentUser() == user else { return }
      heard.withLock { $0.append(error) }
    }
    let first = Locked(Ended())
    try await open(opened, user) { agent in
      // An upload that waits for the server would keep the session.
      user.allSessions.first?.suspend()
      first.withLock { $0 = Ended(agent: agent, file: agent.file) }
    }
    // Until then the session may look for reports.
    while first.withLock({ $0.agent != nil }) { try await Task.sleep(for: .milliseconds(2)) }
    // As a process leaves it that ends between a commit and the handler.
    let file = try #require(first.withLock { $0.file })
    var document = ErrorDocument(.compensatingWrite, message: "refused")
    document.compensatingWrite = CompensatingWriteReport(
      serverVersion: 0, rejectedClientVersion: 3,
      updates: [RejectedUpdate(notAllowed: .string("k"), in: "Todo")])
    let group = try WriteGroup(file.beginWrite())
    try group.commit { (group) throws(StorageError) in
      try KeptReports.store([document], in: group)
    }
    #expect(heard.withLock { $0.isEmpty })
    try await open(opened, user) { agent in
      user.allSessions.first?.suspend()
      while try await !agent.keptReports().due.isEmpty {
        try await Task.sleep(for: .milliseconds(2))
      }
    }
    let error = try #require(heard.withLock { $0.first })
    expectEqual(error.code, .writeRejected)
    expectEqual(error.message, "refused")
    expectEqual(error.compensatingWriteInfo?.first?.primaryKey, .string("k"))
    try await open(opened, user) { agent in
      user.allSessions.first?.suspend()
      let kept = try await agent.keptReports()
      expectTrue(kept.due.isEmpty)
    }
    expectEqual(heard.withLock { $0.count }, 1)
  }

  /// The block after a reset is called at the next start if the process ended before it.
  @Test func theNextStartTellsOfAReset() async throws {
    let app = try MemoryApp()
    let user = try await app.device("first").login(credentials: .anonymous)
    app.server.setOnline(false)
    let (log, calls) = (ResetDevice.Log(), Locked(0))
    var configuration = user.flexibleSyncConfiguration(
      clientResetMode: .recoverUnsyncedChanges(afterReset: { before, after in
        log.afterBlock(before, after)
        calls.withLock { $0 += 1 }
      }))
    configuration.objectTypes = [Todo.self]
    let opened = configuration
    try await open(opened, user) { agent in
      user.allSessions.first?.suspend()
      let group = try WriteGroup(agent.file.beginWrite())
      try group.commit { (group) throws(StorageError) in try KeptReports.noteReset(in: group) }
    }
    for _ in 0..<2 {
      try await open(opened, user) { agent in
        user.allSessions.first?.suspend()
        while try agent.hasUnannouncedReset() { try await Task.sleep(for: .milliseconds(2)) }
      }
    }
    expectEqual(calls.withLock { $0 }, 1)
    #expect(log.isAfterLive.withLock { $0 })
  }

  /// `ReportDelivery` 2
  @Test func aReportIsHandedOverOnceInAProcess() async throws {
    let app = try MemoryApp()
    let user = try await app.device("first").login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration()
    configuration.objectTypes = [Todo.self]
    try await open(configuration, user) { agent in
      let delivery = ReportDelivery(agent)
      var document = ErrorDocument(.compensatingWrite, message: "refused")
      document.compensatingWrite = CompensatingWriteReport(
        serverVersion: 7, rejectedClientVersion: 3, updates: [])
      var count = 0
      for _ in 0..<2 { delivery.hand(document) { _ in count += 1 } }
      expectEqual(count, 1)
      await delivery.finish()
    }
  }
}
#endif
