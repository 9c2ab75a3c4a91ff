// SPDX-License-Identifier: Apache-2.0

// Files that a former server has synchronised go on with another one, with devices and both servers
// in one process.

#if Sync
import Foundation
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct AdoptionTests {
  static let modes = [SyncMode.flexible, .partition]

  private let former: MemoryApp
  private let present: MemoryApp

  init() throws {
    // Replaced by the tests that need the other mode.
    former = try MemoryApp(.flexible)
    present = try MemoryApp(.flexible)
  }

  /// The servers of a mode.
  private func servers(_ mode: SyncMode) throws -> (former: MemoryApp, present: MemoryApp) {
    if mode == .flexible { return (former, present) }
    return (try MemoryApp(mode), try MemoryApp(mode))
  }

  /// The configuration of a new user of a device whose former file goes on.
  private func configuration(
    _ app: MemoryApp, _ name: String, after path: String,
    _ mode: ClientResetMode = .recoverUnsyncedChanges()
  ) async throws -> Realm.Configuration {
    var configuration = try await ResetDevice.configuration(app, name, mode)
    configuration.syncConfiguration?.formerFile = .file(URL(fileURLWithPath: path))
    return configuration
  }

  /// Lets a device of the former server write, and closes its file.
  ///
  /// - Parameters:
  ///   - shared: What it brings to the server.
  ///   - waiting: What the server does not get.
  /// - Returns: The path of the file.
  private func leave(
    _ app: MemoryApp, _ name: String, shared: [String], waiting: [String]
  ) async throws -> String {
    let configuration = try await ResetDevice.configuration(app, name, .manual())
    let path = try #require(configuration.fileURL).path
    do {
      let device = try await ResetDevice(configuration)
      for text in shared { try await device.add(text) }
      try await device.meet()
      try await device.session().suspend()
      for text in waiting { try await device.add(text) }
    }
    try await untilClosed(path)
    return path
  }

  private func untilClosed(_ path: String) async throws {
    for _ in 0..<3_000 {
      if try DatabaseFile.whileClosed(path: path, {}) { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("'\(path)' stays open")
  }

  /// Two devices of the former server: the first brings everything, and the second what it has in
  /// addition. Nothing is there twice.
  @Test(arguments: modes) func devicesGoOnWithAnotherServer(_ mode: SyncMode) async throws {
    let (former, present) = try servers(mode)
    let one = try await leave(former, "one", shared: ["a", "b"], waiting: ["one waits"])
    let two = try await leave(former, "two", shared: ["c"], waiting: ["two waits"])
    let log = ResetDevice.Log()
    let first = try await ResetDevice(
      configuration(
        present, "one", after: one,
        .discardUnsyncedChanges(beforeReset: log.beforeBlock, afterReset: log.afterBlock)))
    // The first file has not seen what the second device brought to the former server.
    try await first.waitForNames(["a", "b", "one waits"])
    try await first.meet()
    expectEqual(log.before.withLock { $0 }, [["a", "b", "one waits"]])
    let after = log.after.withLock { $0 }
    expectEqual(after.count, 1)
    expectEqual(after.first?.after, ["a", "b", "one waits"])
    // A device without any file has what the first one brought.
    let third = try await ResetDevice(
      ResetDevice.configuration(present, "three", .recoverUnsyncedChanges()))
    await expectEqual(third.names(), ["a", "b", "one waits"])

    let second = try await ResetDevice(configuration(present, "two", after: two))
    let all = ["a", "b", "c", "one waits", "two waits"]
    for device in [first, second, third] {
      try await device.waitForNames(all)
      try await device.meet()
    }
    // They are ordinary devices of the present server.
    try await second.add("later")
    try await first.waitForNames((all + ["later"]).sorted())
    try await third.waitForNames((all + ["later"]).sorted())
  }

  /// The former file keeps its bytes under another name, and is not adopted a second time.
  /// `FormerFileCopy` 2.
  @Test func theFormerFileIsPutAside() async throws {
    let path = try await leave(former, "one", shared: ["a"], waiting: ["b"])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let configuration = try await configuration(present, "one", after: path)
    let device = try await ResetDevice(configuration)
    try await device.waitForNames(["a", "b"])
    try await device.meet()
    expectFalse(FileManager.default.fileExists(atPath: path))
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: path + ".adopted")), bytes)
    let folder = try #require(configuration.fileURL).deletingLastPathComponent().path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names.allSatisfy { $0.hasPrefix("flx_sync_default.realm") }, "\(names)")
    let core = try #require(try await device.session().core)
    #expect(try !core.agent.waitsForAdoption())
    // Another user begins with what the server has.
    let other = try await ResetDevice(self.configuration(present, "other", after: path))
    try await other.waitForNames(["a", "b"])
  }

  /// A device that starts without a server shows its objects, takes writes, and is adopted later.
  @Test(arguments: modes) func aDeviceStartsOffline(_ mode: SyncMode) async throws {
    let (former, present) = try servers(mode)
    let path = try await leave(former, "one", shared: ["a"], waiting: ["b"])
    let configuration = try await configuration(present, "one", after: path)
    present.server.setOnline(false)
    do {
      let device = try await ResetDevice(configuration, .never)
      await expectEqual(device.names(), ["a", "b"])
      try await device.add("offline")
      try await device.session().suspend()
    }
    try await untilClosed(try #require(configuration.fileURL).path)
    present.server.setOnline(true)
    let device = try await ResetDevice(configuration)
    try await device.waitForNames(["a", "b", "offline"])
    try await device.meet()
    let other = try await ResetDevice(
      ResetDevice.configuration(present, "two", .recoverUnsyncedChanges()))
    await expectEqual(other.names(), ["a", "b", "offline"])
  }

  /// A crash after the copy is found: the former file is renamed at the next start.
  @Test func aCrashAfterTheCopyIsFound() async throws {
    let path = try await leave(former, "one", shared: ["a"], waiting: [])
    let configuration = try await configuration(present, "one", after: path)
    let place = try #require(configuration.fileURL).path
    try FileManager.default.createDirectory(
      atPath: URL(fileURLWithPath: place).deletingLastPathComponent().path,
      withIntermediateDirectories: true)
    try FormerFileCopy(source: path, path: place, key: nil).run()
    try FileManager.default.moveItem(atPath: path + ".adopted", toPath: path)
    let device = try await ResetDevice(configuration)
    try await device.waitForNames(["a"])
    expectFalse(FileManager.default.fileExists(atPath: path))
  }

  /// What a process that ends in the middle of the copy leaves: a part of it, all of it without its
  /// mark, and all of it without its name.
  @Test(arguments: 0..<3) func aCrashInTheMiddleOfTheCopyIsFound(_ step: Int) async throws {
    let path = try await leave(former, "one", shared: ["a"], waiting: ["b"])
    let configuration = try await configuration(present, "one", after: path)
    let place = try #require(configuration.fileURL).path
    let (files, unfinished) = (FileManager.default, place + ".1.former")
    try files.createDirectory(
      atPath: URL(fileURLWithPath: place).deletingLastPathComponent().path,
      withIntermediateDirectories: true)
    switch step {
    case 0:
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      try whole.prefix(5_000).write(to: URL(fileURLWithPath: unfinished))
    case 1: try files.copyItem(atPath: path, toPath: unfinished)
    default:
      try FormerFileCopy(source: path, path: place, key: nil).run()
      try files.moveItem(atPath: place, toPath: unfinished)
      try files.moveItem(atPath: path + ".adopted", toPath: path)
    }
    let device = try await ResetDevice(configuration)
    try await device.waitForNames(["a", "b"])
    try await device.meet()
    expectFalse(files.fileExists(atPath: path))
    expectTrue(files.fileExists(atPath: path + ".adopted"))
    expectFalse(files.fileExists(atPath: unfinished))
  }

  /// Both apps and both users have the same id: the file is there already.
  @Test func aFileInItsPlaceIsAdopted() async throws {
    let path = try await leave(former, "one", shared: ["a"], waiting: ["b"])
    let configuration = try await ResetDevice.configuration(
      present, "one", .recoverUnsyncedChanges())
    let place = try #require(configuration.fileURL)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: URL(fileURLWithPath: path), to: place)
    var adopting = configuration
    adopting.syncConfiguration?.formerFile = .file(place)
    let device = try await ResetDevice(adopting)
    try await device.waitForNames(["a", "b"])
    try await device.meet()
    let other = try await ResetDevice(
      ResetDevice.configuration(present, "two", .recoverUnsyncedChanges()))
    await expectEqual(other.names(), ["a", "b"])
  }

  /// A copy that was made to be shipped with an app has no identifier, but a version of the former
  /// server: what it has is brought to the present one, by each user who begins with it, and the
  /// copy stays as it is.
  /// `FormerFileCopy` 3.
  @Test(arguments: modes, [true, false])
  func aShippedFileIsAdopted(_ mode: SyncMode, _ isWritable: Bool) async throws {
    let (former, present) = try servers(mode)
    let maker = try await ResetDevice(
      ResetDevice.configuration(former, "maker", .recoverUnsyncedChanges()))
    try await maker.add("a", "b")
    try await maker.meet()
    let folder = try TemporaryDirectory()
    let shipped = URL(fileURLWithPath: "\(folder.path)/shipped.realm")
    var target = try await ResetDevice.configuration(former, "maker", .manual())
    target.fileURL = shipped
    try await maker.copy(to: target)
    let bytes = try Data(contentsOf: shipped)
    if !isWritable {
      try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: shipped.path)
    }
    var last: ResetDevice?
    for (name, before) in [("one", ["a", "b"]), ("two", ["a", "b", "one"])] {
      let device = try await ResetDevice(configuration(present, name, after: shipped.path))
      try await device.waitForNames(before)
      try await device.add(name)
      try await device.meet()
      let core = try #require(try await device.session().core)
      #expect(try !core.agent.waitsForAdoption())
      last = device
    }
    try await last?.waitForNames(["a", "b", "one", "two"])
    try expectEqual(Data(contentsOf: shipped), bytes)
    expectFalse(FileManager.default.fileExists(atPath: shipped.path + ".adopted"))
  }

  // MARK: Finding the file

  private func directory(_ app: MemoryApp, _ name: String) -> URL {
    URL(fileURLWithPath: app.device(name).core.paths.base)
  }

  @Test(arguments: modes) func theFileOfAFormerUserIsFound(_ mode: SyncMode) async throws {
    let (former, present) = try servers(mode)
    _ = try await leave(former, "one", shared: ["a"], waiting: ["b"])
    let place = directory(former, "one")
    let users = SyncConfiguration.FormerFile.userIDs(ofAtlasApp: former.server.id, in: place)
    expectEqual(users.count, 1)
    var configuration = try await ResetDevice.configuration(
      present, "one", .recoverUnsyncedChanges())
    configuration.syncConfiguration?.formerFile = .atlas(
      appID: former.server.id, directory: place)
    let device = try await ResetDevice(configuration)
    try await device.waitForNames(["a", "b"])
  }

  /// The app has named the file, and knows nothing of the copy that is made of it.
  @Test func aFileOfAnotherKindIsRefusedByItsOwnName() async throws {
    let folder = try TemporaryDirectory()
    let local = "\(folder.path)/local.realm"
    _ = try DatabaseFile.open(path: local).beginWrite().commit(changeset: [])
    let foreign = "\(folder.path)/foreign.realm"
    try Data("SQLite format 3\0".utf8 + [UInt8](repeating: 0, count: 4080)).write(
      to: URL(fileURLWithPath: foreign))
    for (path, text) in [(local, "has history type"), (foreign, "it is an SQLite database")] {
      let configuration = try await configuration(present, "one", after: path)
      let error = #expect(throws: Realm.Error.self) { _ = try Realm(configuration: configuration) }
      let said = error?.localizedDescription ?? ""
      expectTrue(said.contains("'\(path)'"), "\(said)")
      expectTrue(said.contains(text), "\(said)")
      expectFalse(said.contains(".former"), "\(said)")
    }
  }

  @Test func ofSeveralUsersOneIsNamed() async throws {
    let first = try await leave(former, "one", shared: ["a"], waiting: [])
    let folder = URL(fileURLWithPath: first).deletingLastPathComponent()
    let other = folder.deletingLastPathComponent().appendingPathComponent("another")
    try FileManager.default.copyItem(at: folder, to: other)
    let second = other.appendingPathComponent("flx_sync_default.realm").path
    let place = directory(former, "one")
    let users = SyncConfiguration.FormerFile.userIDs(ofAtlasApp: former.server.id, in: place)
    expectEqual(users.count, 2)
    var configuration = try await ResetDevice.configuration(
      present, "one", .recoverUnsyncedChanges())
    configuration.syncConfiguration?.formerFile = .atlas(
      appID: former.server.id, directory: place)
    let error = await #expect(throws: Realm.Error.self) { try await ResetDevice(configuration) }
    expectEqual(error?.code, .invalidInput)
    #expect(users.allSatisfy { error?.localizedDescription.contains($0) ?? false })
    configuration.syncConfiguration?.formerFile = .atlas(
      appID: former.server.id, userID: users.first { first.contains($0) }, directory: place)
    let device = try await ResetDevice(configuration)
    try await device.waitForNames(["a"])
    expectTrue(FileManager.default.fileExists(atPath: second))
  }

  /// On devices without a former file the option has no effect.
  @Test func withoutAFileNothingIsAdopted() async throws {
    var configuration = try await ResetDevice.configuration(
      present, "one", .recoverUnsyncedChanges())
    configuration.syncConfiguration?.formerFile = .atlas(
      appID: "none", directory: directory(present, "one"))
    let device = try await ResetDevice(configuration)
    try await device.add("new")
    try await device.meet()
    await expectEqual(device.names(), ["new"])
    expectEqual(
      SyncConfiguration.FormerFile.userIDs(
        ofAtlasApp: "none", in: directory(present, "one")), [])
  }

  // MARK: What cannot be adopted

  @Test func anOpenFileIsNotCopied() async throws {
    let open = try await ResetDevice.configuration(former, "one", .manual())
    let device = try await ResetDevice(open)
    try await device.add("a")
    let configuration = try await configuration(
      present, "one", after: try #require(open.fileURL).path)
    let error = await #expect(throws: Realm.Error.self) { try await ResetDevice(configuration) }
    expectEqual(error?.code, .alreadyOpen)
    await expectEqual(device.names(), ["a"])
  }

  /// `FormerFileCopy` 1.
  @Test func aLocalFileIsNoFormerFile() async throws {
    let folder = try TemporaryDirectory()
    let local = folder.path + "/local.realm"
    try autoreleasepool {
      let realm = try Realm(
        configuration: Realm.Configuration(
          fileURL: URL(fileURLWithPath: local), objectTypes: [Todo.self]))
      try realm.write { realm.add(Todo(value: ["name": "a"])) }
    }
    let configuration = try await configuration(present, "one", after: local)
    let error = await #expect(throws: Realm.Error.self) { try await ResetDevice(configuration) }
    expectEqual(error?.code, .incompatibleHistories)
    expectTrue(FileManager.default.fileExists(atPath: local))
    #expect(
      !FileManager.default.fileExists(atPath: try #require(configuration.fileURL).path))
  }
}
#endif
