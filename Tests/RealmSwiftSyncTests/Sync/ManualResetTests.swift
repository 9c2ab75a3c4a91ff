// SPDX-License-Identifier: Apache-2.0

// Client resets that the program decides about: the error, its token, and what the next start does.

#if Sync
import Dispatch
import Foundation
import RealmSession
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct ManualResetTests {
  private actor Device {
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm(
        configuration: configuration, actor: self, downloadBeforeOpen: .always)
    }

    func session() throws -> SyncSession { try #require(realm.syncSession) }

    func add(_ name: String) throws {
      try realm.write { realm.add(Todo(value: ["name": name])) }
    }
  }

  private let app: MemoryApp
  private let errors = AsyncStream.makeStream(of: SyncError.self)

  init() throws { app = try MemoryApp() }

  private func configuration(_ app: MemoryApp) async throws -> Realm.Configuration {
    let user = try await app.device("first").login(credentials: .anonymous)
    let reset = ClientResetMode.manual { [errors] error, session in
      if let error = error as? SyncError, session != nil { errors.continuation.yield(error) }
    }
    var configuration =
      app.mode == .partition
      ? user.configuration(partitionValue: "p", clientResetMode: reset)
      : user.flexibleSyncConfiguration(clientResetMode: reset) {
        $0.append(QuerySubscription<Todo>())
      }
    configuration.objectTypes = [Todo.self]
    return configuration
  }

  /// Lets the server forget everything while a device has an object that waits for its upload.
  ///
  /// - Returns: The path of the file, the error, and the device.
  private func reset(
    _ app: MemoryApp
  ) async throws -> (path: String, error: SyncError, device: Device) {
    let configuration = try await configuration(app)
    let path = try #require(configuration.fileURL).path
    let device = try await Device(configuration)
    let session = try await device.session()
    app.server.setOnline(false)
    try await device.add("waits")
    try app.server.forgetFiles()
    app.server.setOnline(true)
    session.reconnect()
    for await error in errors.stream {
      expectEqual(error.code, .clientResetError)
      expectEqual(session.state, .inactive)
      return (path, error, device)
    }
    throw CancellationError()
  }

  private func waitUntilGone(_ path: String) async throws {
    for _ in 0..<3_000 where FileManager.default.fileExists(atPath: path) {
      try await Task.sleep(for: .milliseconds(20))
    }
    expectFalse(FileManager.default.fileExists(atPath: path))
  }

  /// The names of the objects of a backup, which any program can read.
  private func names(in backup: String) throws -> [String] {
    let configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: backup), readOnly: true, objectTypes: [Todo.self])
    return try Realm(configuration: configuration).objects(Todo.self).map(\.name)
  }

  @Test(arguments: [SyncMode.flexible, .partition])
  func theFileIsPutAsideWhenTheProgramSaysSo(_ mode: SyncMode) async throws {
    let app = try MemoryApp(mode)
    let path: String
    let backup: String
    do {
      let (file, error, device) = try await reset(app)
      path = file
      let (place, token) = try #require(error.clientResetInfo())
      backup = place
      expectTrue(backup.contains("/recovered-realms/recovered_realm-"))
      expectTrue(app.device("first").core.paths.recoveredRealms.hasPrefix("/"))
      SyncSession.immediatelyHandleError(token)
      _ = try await device.session()
    }
    try await waitUntilGone(path)
    try expectEqual(names(in: backup), ["waits"])
    #expect(try app.device("first").core.client.fileActions().isEmpty)
  }

  /// `SyncSessionCore` 5: also in the handler of the error.
  @Test(arguments: [SyncMode.flexible, .partition], [false, true])
  func theFileIsAsideWhenTheCallReturns(_ mode: SyncMode, _ isInHandler: Bool) async throws {
    let app = try MemoryApp(mode)
    let user = try await app.device("first").login(credentials: .anonymous)
    let queue = DispatchQueue(label: "realm")
    let held = Locked<UnsafeTransfer<Realm>?>(nil)
    let path = Locked("")
    let putAside: @Sendable (any Error) -> Bool = { error in
      queue.sync { held.withLock { $0 = nil } }
      guard let token = (error as? SyncError)?.clientResetInfo()?.1 else { return false }
      SyncSession.immediatelyHandleError(token)
      return !FileManager.default.fileExists(atPath: path.withLock { $0 })
    }
    let (outcomes, outcome) = AsyncStream.makeStream(of: (isAside: Bool, error: any Error).self)
    let reset = ClientResetMode.manual { error, _ in
      outcome.yield((isInHandler && putAside(error), error))
    }
    var configuration =
      mode == .partition
      ? user.configuration(partitionValue: "p", clientResetMode: reset)
      : user.flexibleSyncConfiguration(clientResetMode: reset)
    configuration.objectTypes = [Todo.self]
    let file = try #require(configuration.fileURL).path
    path.withLock { $0 = file }
    let opened = configuration
    let session = try queue.sync {
      let realm = try Realm(configuration: opened, queue: queue)
      let kept = UnsafeTransfer(realm)
      held.withLock { $0 = kept }
      return realm.syncSession
    }
    try await session?.wait(for: .download)
    try app.server.forgetFiles()
    session?.reconnect()
    for await (isAside, error) in outcomes {
      expectTrue(isInHandler ? isAside : putAside(error))
      break
    }
  }

  private static func inode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
  }

  /// `PendingFileActions` 1 and 2.
  @Test func theNextStartPutsTheFileAside() async throws {
    var path = ""
    var inode: Int?
    var backup = ""
    do {
      let (file, error, device) = try await reset(app)
      path = file
      backup = try #require(error.clientResetInfo()).0
      inode = try Self.inode(path)
      // The file is open.
      let again = app.device("first", start: 1)
      try expectEqual(again.core.client.fileActions().map(\.path), [path])
      expectTrue(FileManager.default.fileExists(atPath: path))
      _ = try await device.session()
    }
    for start in 2..<1_500 {
      if try app.device("first", start: start).core.client.fileActions().isEmpty { break }
      try await Task.sleep(for: .milliseconds(20))
    }
    expectFalse(FileManager.default.fileExists(atPath: path))
    try expectEqual(names(in: backup), ["waits"])
    // It was moved, and not copied.
    expectTrue(inode != nil)
    try expectEqual(Self.inode(backup), inode)
    // What is made later at the place stays.
    try Data().write(to: URL(fileURLWithPath: path))
    _ = app.device("first", start: 1_500)
    expectTrue(FileManager.default.fileExists(atPath: path))
  }

  @Test func aFileIsDeletedAtTheNextStart() async throws {
    let first = app.device("first")
    let path = first.core.paths.directory + "/a.realm"
    for name in [path, path + ".note", path + ".fresh"] {
      try Data().write(to: URL(fileURLWithPath: name))
    }
    _ = try await first.core.client.store(FileAction(deleting: path))
    _ = app.device("first", start: 1)
    expectFalse(FileManager.default.fileExists(atPath: path))
    expectTrue(!FileManager.default.fileExists(atPath: path + ".note"))
    expectTrue(!FileManager.default.fileExists(atPath: path + ".fresh"))
    #expect(try first.core.client.fileActions().isEmpty)
  }

  @Test func withoutAHandlerTheAppsHandlerGetsTheError() async throws {
    let user = try await app.device("first").login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration(clientResetMode: .manual())
    configuration.objectTypes = [Todo.self]
    app.device("first").syncManager.errorHandler = { [errors] error, _ in
      if let error = error as? SyncError { errors.continuation.yield(error) }
    }
    let device = try await Device(configuration)
    let session = try await device.session()
    try app.server.forgetFiles()
    session.reconnect()
    for await error in errors.stream {
      expectTrue(error.clientResetInfo() != nil)
      break
    }
  }
}
#endif
