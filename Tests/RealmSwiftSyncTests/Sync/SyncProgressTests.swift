// SPDX-License-Identifier: Apache-2.0

// What progress handlers hear, and when.

#if Sync
import Dispatch
import Foundation
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct SyncProgressTests {
  private actor Device {
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm(
        configuration: configuration, actor: self, downloadBeforeOpen: .always)
    }

    func session() throws -> SyncSession { try #require(realm.syncSession) }

    /// Adds objects with names of so many bytes.
    func add(_ count: Int = 1, byteCount: Int = 10) throws {
      try realm.write {
        for _ in 0..<count {
          let name = String(repeating: "a", count: byteCount)
          realm.add(Todo(value: ["_id": ObjectId.generate(), "name": name] as [String: Any]))
        }
      }
    }

    func upload() async throws { try await session().wait(for: .upload) }

    func download() async throws { try await session().wait(for: .download) }

    /// Changes the subscriptions, and does not wait.
    func subscribe(above priority: Int) {
      let set = realm.subscriptions
      set.change {
        set.removeAll()
        set.append(QuerySubscription<Todo> { $0.priority > priority })
      }
    }
  }

  /// What a handler has heard since the last look. It takes its time, so that a wait that does not
  /// know of it ends before.
  private final class Heard: Sendable {
    private let values = Locked<[Double]>([])

    func add(_ progress: SyncSession.Progress) {
      Thread.sleep(forTimeInterval: 0.03)
      values.withLock { $0.append(progress.progressEstimate) }
    }

    func take() -> [Double] {
      values.withLock { values in
        defer { values = [] }
        return values
      }
    }
  }

  private func configuration(_ app: MemoryApp, _ name: String) async throws -> Realm.Configuration {
    let user = try await app.device(name).login(credentials: .anonymous)
    var configuration =
      app.mode == .partition
      ? user.configuration(partitionValue: "p")
      : user.flexibleSyncConfiguration { $0.append(QuerySubscription<Todo>()) }
    configuration.objectTypes = [Todo.self]
    return configuration
  }

  /// P1 D.6: the last call is made before a wait ends, in both directions and modes.
  @Test(arguments: [SyncMode.flexible, .partition])
  func progressArrivesBeforeAWaitReturns(_ mode: SyncMode) async throws {
    let app = try MemoryApp(mode)
    let first = try await Device(configuration(app, "first"))
    let second = try await Device(configuration(app, "second"))
    let (uploads, downloads) = (Heard(), Heard())
    let tokens = [
      try await first.session().addProgressNotification(
        for: .upload, mode: .reportIndefinitely, block: uploads.add),
      try await second.session().addProgressNotification(
        for: .download, mode: .reportIndefinitely, block: downloads.add),
    ]
    for round in 0..<5 {
      try await first.add(byteCount: 20_000)
      try await first.upload()
      expectEqual(uploads.take().last, 1, "\(round)")
      try await second.download()
      expectEqual(downloads.take().last, 1, "\(round)")
    }
    for token in tokens { token?.invalidate() }
  }

  /// A handler that is added for the work at hand hears of its end before the wait returns.
  /// `SyncProgressReporter` 1.
  @Test(arguments: [SyncMode.flexible, .partition])
  func theWorkAtHandIsToldOnce(_ mode: SyncMode) async throws {
    let app = try MemoryApp(mode)
    let device = try await Device(configuration(app, "first"))
    for _ in 0..<4 {
      let (uploads, downloads) = (Heard(), Heard())
      try await device.add()
      let session = try await device.session()
      session.addProgressNotification(
        for: .upload, mode: .forCurrentlyOutstandingWork, block: uploads.add)
      session.addProgressNotification(
        for: .download, mode: .forCurrentlyOutstandingWork, block: downloads.add)
      try await device.upload()
      try await device.download()
      expectEqual(uploads.take().filter { $0 >= 1 }, [1])
      expectEqual(downloads.take().filter { $0 >= 1 }, [1])
    }
  }

  /// Opens a realm with a callback, and returns what its handler heard until then.
  private func open(_ configuration: Realm.Configuration) async throws -> [Double] {
    let heard = Heard()
    let queue = DispatchQueue(label: "open")
    return try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<[Double], any Error>) in
      let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
        continuation.resume(with: result.map { _ in heard.take() })
      }
      task.addProgressNotification(queue: queue, block: heard.add)
    }
  }

  @Test(arguments: [SyncMode.flexible, .partition])
  func anOpenTellsOfItsWholeDownload(_ mode: SyncMode) async throws {
    let app = try MemoryApp(mode)
    let first = try await Device(configuration(app, "first"))
    try await first.add(3, byteCount: 1_100_000)
    try await first.upload()
    for number in 0..<2 {
      let heard = try await open(configuration(app, "device \(number)"))
      expectEqual(heard.last, 1)
      expectEqual(heard, heard.sorted())
      // A bootstrap of several messages begins with nothing.
      if mode == .flexible { expectEqual(heard.first, 0, "\(heard)") }
    }
    // A file that has everything is told so.
    try await expectEqual(open(configuration(app, "first")).last, 1)
  }

  /// What an older set has brought is not the work at hand of a newer one.
  @Test func theWorkAtHandIsThatOfTheNewestSet() async throws {
    let app = try MemoryApp()
    let device = try await Device(configuration(app, "first"))
    let session = try await device.session()
    try await device.download()
    session.suspend()
    await device.subscribe(above: 3)
    let heard = Heard()
    session.addProgressNotification(
      for: .download, mode: .forCurrentlyOutstandingWork, block: heard.add)
    await session.core?.progress.flush(hasDownloaded: true)
    expectEqual(heard.take(), [])
    session.resume()
    for _ in 0..<1_500 {
      try await device.download()
      let values = heard.take()
      if !values.isEmpty { return expectEqual(values.last, 1) }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("nothing was heard")
  }

  /// A value of a session keeps no file open, and says that it is over. `SyncSessionCore` 2.
  @Test func aSessionThatHasEndedIsInactive() async throws {
    let app = try MemoryApp()
    let configuration = try await configuration(app, "first")
    var device: Device? = try await Device(configuration)
    let session = try #require(try await device?.session())
    try await device?.upload()
    let token = session.addProgressNotification(for: .upload, mode: .reportIndefinitely) { _ in }
    // What waits for its upload keeps it.
    app.server.setOnline(false)
    try await device?.add()
    device = nil
    try await Task.sleep(for: .milliseconds(60))
    expectTrue(session.core != nil)
    app.server.setOnline(true)
    session.reconnect()
    for _ in 0..<1_500 where session.core != nil { try await Task.sleep(for: .milliseconds(20)) }
    expectTrue(session.core == nil)
    expectEqual(session.state, .inactive)
    expectEqual(session.connectionState, .disconnected)
    expectTrue(session.currentError == nil)
    expectEqual(session.parentUser(), configuration.syncConfiguration?.user)
    session.suspend()
    session.resume()
    session.reconnect()
    token?.invalidate()
    expectTrue(
      session.addProgressNotification(for: .upload, mode: .reportIndefinitely) { _ in } == nil)
    await #expect(throws: SyncError.self) { try await session.wait(for: .upload) }
    let next = try await Device(configuration).session()
    expectFalse(next == session)
  }
}
#endif
