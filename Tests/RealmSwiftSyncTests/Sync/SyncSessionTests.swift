// SPDX-License-Identifier: Apache-2.0

// Sessions as programs see them: states, waits, progress, errors.

#if Sync
import Dispatch
import Foundation
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct SyncSessionTests {
  private actor Device {
    private(set) var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm(
        configuration: configuration, actor: self, downloadBeforeOpen: .always)
    }

    func session() throws -> SyncSession { try #require(realm.syncSession) }

    func add(_ name: String) throws {
      try realm.write { realm.add(Todo(value: ["name": name])) }
    }

    func unsubscribe() -> Int {
      let results = realm.objects(Todo.self)
      results.unsubscribe()
      return realm.subscriptions.count
    }

    func subscribe(above priority: Int, timeout: TimeInterval?) async throws -> [String?] {
      let todos = realm.objects(Todo.self).where { $0.priority > priority }
      let same = try await todos.subscribe(name: "high", waitForSync: .always, timeout: timeout)
      expectEqual(same.count, todos.count)
      return realm.subscriptions.map(\.name)
    }

    func subscribe(_ mode: WaitForSyncMode) async throws -> Int {
      try await realm.objects(Todo.self).subscribe(waitForSync: mode)
      return realm.subscriptions.count
    }
  }

  private static let all: @Sendable (SyncSubscriptionSet) -> Void = {
    $0.append(QuerySubscription<Todo>())
  }

  /// `SyncSessionCore` 4.
  @Test func aSessionIsSuspendedAndResumed() async throws {
    let app = try MemoryApp()
    let configuration = try await app.configuration("first", Self.all)
    let device = try await Device(configuration)
    let session = try await device.session()
    expectEqual(session.state, .active)
    expectEqual(session.connectionState, .connected)
    expectEqual(session.parentUser(), configuration.syncConfiguration?.user)
    expectEqual(session.configuration()?.initialSubscriptions?.rerunOnOpen, false)
    #expect(try await device.session() == session)
    session.suspend()
    expectEqual(session.state, .inactive)
    try await device.add("a")
    session.resume()
    expectEqual(session.state, .active)
    let error = await withCheckedContinuation { continuation in
      session.wait(for: .upload, queue: DispatchQueue(label: "wait")) {
        continuation.resume(returning: $0)
      }
    }
    expectTrue(error == nil)
    try await configuration.syncConfiguration?.user.logOut()
    expectEqual(session.state, .invalid)
    expectTrue(session.configuration() == nil)
    expectEqual(SyncSession.State(rawValue: 2), .invalid)
    expectEqual(SyncSession.ConnectionState(rawValue: 1), .connecting)
  }

  /// Calls that are made one after the other are carried out in that order.
  @Test(.timeLimit(.minutes(10))) func callsOfASessionKeepTheirOrder() async throws {
    let app = try MemoryApp()
    let device = try await Device(app.configuration("first", Self.all))
    let session = try await device.session()
    for number in 0..<12 {
      session.suspend()
      session.resume()
      try await device.add("\(number)")
      // A session that rests never gets there.
      try await session.wait(for: .upload)
    }
    session.resume()
    session.suspend()
    expectEqual(session.state, .inactive)
    expectEqual(session.core?.isSuspended, true)
  }

  /// An opening that waits for the server's data lets a suspended session go on.
  /// `SyncSessionCore` 1.
  @Test(.timeLimit(.minutes(10))) func anOpenResumesASuspendedSession() async throws {
    let app = try MemoryApp()
    let configuration = try await app.configuration("first", Self.all)
    let device = try await Device(configuration)
    let session = try await device.session()
    session.suspend()
    _ = try await Device(configuration)
    expectEqual(session.state, .active)
    session.suspend()
    let isOpen = await withCheckedContinuation { continuation in
      Realm.asyncOpen(configuration: configuration, callbackQueue: DispatchQueue(label: "open")) {
        continuation.resume(returning: (try? $0.get()) != nil)
      }
    }
    expectTrue(isOpen)
    expectEqual(session.state, .active)
    // One that does not wait changes nothing.
    session.suspend()
    let queue = DispatchQueue(label: "open")
    try queue.sync { _ = try Realm(configuration: configuration, queue: queue) }
    expectEqual(session.state, .inactive)
    expectEqual(session.connectionState, .disconnected)
    session.resume()
    expectEqual(session.connectionState, .connected)
  }

  @Test func theConnectionsStateIsTold() async throws {
    let app = try MemoryApp()
    let device = try await Device(app.configuration("first", Self.all))
    let session = try await device.session()
    app.server.setOnline(false)
    for _ in 0..<1_500 where session.connectionState != .disconnected {
      try await Task.sleep(for: .milliseconds(20))
    }
    expectEqual(session.connectionState, .disconnected)
    for _ in 0..<1_500 where session.currentError == nil {
      try await Task.sleep(for: .milliseconds(20))
    }
    expectTrue(session.currentError != nil)
    app.server.setOnline(true)
    session.reconnect()
    for _ in 0..<1_500 where session.connectionState != .connected {
      try await Task.sleep(for: .milliseconds(20))
    }
    for _ in 0..<1_500 where session.currentError != nil {
      try await Task.sleep(for: .milliseconds(20))
    }
    expectTrue(session.currentError == nil)
  }

  @Test func progressIsReportedUntilItsTokenIsInvalidated() async throws {
    let app = try MemoryApp()
    let device = try await Device(app.configuration("first", Self.all))
    let session = try await device.session()
    let (reports, continuation) = AsyncStream.makeStream(of: SyncSession.Progress.self)
    let token = session.addProgressNotification(for: .upload, mode: .reportIndefinitely) {
      continuation.yield($0)
    }
    try await device.add("a")
    for await progress in reports where progress.isTransferComplete {
      expectEqual(progress.progressEstimate, 1)
      break
    }
    token?.invalidate()
    let progress = SyncSession.Progress(
      TransferProgress(transferred: 1, transferable: 4, estimate: 0.25))
    expectEqual(progress.progressEstimate, 0.25)
    expectFalse(progress.isTransferComplete)
  }

  @available(*, deprecated)
  @Test func deprecatedNamesStillWork() {
    let progress = SyncSession.Progress(
      TransferProgress(transferred: 1, transferable: 4, estimate: 0.25))
    expectEqual(progress.transferredBytes, 1)
    expectEqual(progress.transferrableBytes, 4)
    expectEqual(progress.fractionTransferred, 0.25)
    expectEqual(SyncTimeoutOptions(connectTimeout: 5, connectionLingerTime: 6).connectTimeout, 5)
    let configuration = AppConfiguration(
      baseURL: "http://h", transport: nil, localAppName: "n", localAppVersion: "v")
    expectEqual(configuration.baseURL, "http://h")
    expectTrue(configuration.transport == nil)
    expectTrue(configuration.enableSessionMultiplexing)
    expectEqual(configuration.syncTimeouts.connectTimeout, 120_000)
    let mode = ClientResetMode.discardLocal(beforeReset: { _ in })
    guard case .discardUnsyncedChanges(.some, nil) = mode else {
      Issue.record("\(mode)")
      return
    }
  }

  @Test func anOpenWithACallbackWaitsForTheServer() async throws {
    let app = try MemoryApp()
    let first = try await Device(app.configuration("first", Self.all))
    try await first.add("a")
    try await first.session().wait(for: .upload)
    let configuration = try await app.configuration("second", Self.all)
    let queue = DispatchQueue(label: "realm")
    let count = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Int, any Error>) in
      let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
        continuation.resume(with: result.map { $0.objects(Todo.self).count })
      }
      task.addProgressNotification(queue: queue) { _ in }
    }
    expectEqual(count, 1)
  }

  /// By default an open waits for a server that does not answer.
  @Test(.timeLimit(.minutes(10)), arguments: [false, true])
  func anOpenEndsWithTheFirstObstacleIfItIsTo(_ isStrict: Bool) async throws {
    let app = try MemoryApp()
    let user = try await app.device("first").login(credentials: .anonymous)
    app.server.setOnline(false)
    var configuration = user.flexibleSyncConfiguration(
      cancelAsyncOpenOnNonFatalErrors: isStrict, initialSubscriptions: Self.all)
    configuration.objectTypes = [Todo.self]
    let opened = configuration
    let device = Task { try await Device(opened) }
    if isStrict {
      let error = await #expect(throws: SyncError.self) { _ = try await device.value }
      expectEqual(error?.code, .connectionFailed)
    } else {
      while user.allSessions.first?.currentError == nil {
        try await Task.sleep(for: .milliseconds(5))
      }
      app.server.setOnline(true)
      user.allSessions.first?.reconnect()
      let session = try await device.value.session()
      expectTrue(session.currentError == nil)
    }
  }

  @Test func resultsSubscribeAndUnsubscribe() async throws {
    let app = try MemoryApp()
    let device = try await Device(app.configuration("first") { _ in })
    try await expectEqual(device.subscribe(.onCreation), 1)
    try await expectEqual(device.subscribe(.never), 1)
    await expectEqual(device.unsubscribe(), 0)
    // The query of a name is replaced.
    try await expectEqual(device.subscribe(above: 1, timeout: nil), ["high"])
    try await expectEqual(device.subscribe(above: 2, timeout: 600), ["high"])
    app.server.setOnline(false)
    let error = await #expect(throws: NSError.self) {
      _ = try await device.subscribe(above: 3, timeout: 0.02)
    }
    expectEqual(error?.domain, NSPOSIXErrorDomain)
    expectEqual(error?.code, Int(ETIMEDOUT))
  }

  /// What the server says, and the error that the program gets.
  @Test(arguments: [
    (SessionErrorCode.permissionDenied, ErrorAction.applicationBug, 9),
    (.badQuery, .applicationBug, 10), (.compensatingWrite, .warning, 11),
    (.userMismatch, .applicationBug, 5), (.other, .warning, 14), (.other, .applicationBug, 4),
  ])
  func errorsOfTheServerHaveCodes(
    _ code: SessionErrorCode, _ action: ErrorAction, _ number: Int
  ) {
    let error = SyncError(
      ErrorCode(code), ErrorDocument(message: "m", action: action))
    expectEqual(error.code.rawValue, number)
    expectEqual(error.message, "m")
    expectEqual(SyncError.Code(rawValue: number).map { $0 ~= error }, true)
  }

  @Test func failuresOfConnectionsHaveCodes() {
    func code(_ failure: ConnectionFailure) -> SyncError.Code? { SyncError(failure)?.code }
    expectEqual(code(.closed(.tlsFailed, message: "")), .tlsHandshakeFailed)
    expectEqual(code(.closed(.forbidden, message: "")), .underlyingAuthError)
    expectEqual(code(.closed(.fatal, message: "")), .connectionFailed)
    expectEqual(code(.violation(.badSyntax, message: "")), .clientInternalError)
    expectEqual(SyncError(timeout: .connectTimeout)?.code, .connectionFailed)
    expectEqual(SyncError(timeout: .pongTimeout)?.code, .connectionFailed)
    expectTrue(SyncError(timeout: .closed(.fatal, message: "")) == nil)
    expectTrue(code(.connectTimeout) == nil)
    expectTrue(code(.closed(.goingAway, message: "")) == nil)
  }
}
#endif
