// SPDX-License-Identifier: Apache-2.0

// Client resets without the program's help, with devices and a server in one process.

#if Sync
import Foundation
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct AutomaticResetTests {
  static let modes = [SyncMode.flexible, .partition]

  /// A server that is restored from a backup without `b`, while `c` waits at a device.
  private func restored(
    _ app: MemoryApp, _ configuration: Realm.Configuration
  ) async throws -> ResetDevice {
    let device = try await ResetDevice(configuration)
    try await device.add("a")
    try await device.meet()
    let backup = try app.backUp()
    try await device.add("b")
    try await device.meet()
    app.server.setOnline(false)
    try await device.add("c")
    app.restore(backup)
    return device
  }

  private func goOn(_ app: MemoryApp, _ device: ResetDevice) async throws {
    app.server.setOnline(true)
    try await device.session().reconnect()
  }

  /// 209: the server does not know the version that the device has.
  @Test(arguments: modes)
  func anOlderBackupDiscardsWhatTheServerLacks(_ mode: SyncMode) async throws {
    let app = try MemoryApp(mode)
    let log = ResetDevice.Log()
    let configuration = try await ResetDevice.configuration(
      app, "first",
      .discardUnsyncedChanges(beforeReset: log.beforeBlock, afterReset: log.afterBlock))
    let device = try await restored(app, configuration)
    let ident = try await device.identifier
    await device.observe()
    try await goOn(app, device)
    try await device.waitForNames(["a"])
    // A wait of the program survives the reset.
    try await device.meet()
    expectEqual(log.before.withLock { $0 }, [["a", "b", "c"]])
    let after = log.after.withLock { $0 }
    expectTrue(after.count == 1 && after[0].before == ["a", "b", "c"] && after[0].after == ["a"])
    #expect(log.isBeforeFrozen.withLock { $0 } && log.isAfterLive.withLock { $0 })
    #expect(try await device.identifier != ident)
    // Observers see one difference.
    let changes = try await device.waitForChanges()
    expectEqual(changes, ["(deletions: 2, insertions: 0, modifications: 0)"])
    // Devices go on to share their objects.
    let second = try await ResetDevice(
      ResetDevice.configuration(app, "second", .discardUnsyncedChanges()))
    try await second.add("d")
    try await second.meet()
    try await device.waitForNames(["a", "d"])
    try await device.add("e")
    try await second.waitForNames(["a", "d", "e"])
    try await expectNoTraces(device, configuration)
  }

  /// The record of the reset and the fresh copy are gone, and no file is to be put aside.
  private func expectNoTraces(
    _ device: ResetDevice, _ configuration: Realm.Configuration
  ) async throws {
    let path = try #require(configuration.fileURL).path
    let core = try #require(try await device.session().core)
    for _ in 0..<3_000 {
      if try await !core.agent.hasResetRecord() { break }
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try await !core.agent.hasResetRecord())
    for suffix in ["", ".lock", ".note", ".management"] {
      let copy = FreshCopyPlace.path(of: path) + suffix
      expectFalse(FileManager.default.fileExists(atPath: copy), "\(copy)")
    }
    #expect(try core.configuration.user.app.client.fileActions().isEmpty)
  }

  /// `AutomaticReset` 1 and 2, `ResetBlocks` 1: while a block waits, others write, and the session
  /// rests.
  @Test func blocksMayWait() async throws {
    let app = try MemoryApp()
    let (blocks, block) = AsyncStream.makeStream(of: Int.self)
    let gates = (Handover<Bool>(), Handover<Bool>())
    let configuration = try await ResetDevice.configuration(
      app, "first",
      .recoverUnsyncedChanges(
        beforeReset: { _ in
          block.yield(0)
          _ = gates.0.wait()
        },
        afterReset: { _, _ in
          block.yield(1)
          _ = gates.1.wait()
        }))
    let device = try await restored(app, configuration)
    try await goOn(app, device)
    let core = try #require(try await device.session().core)
    for await number in blocks {
      try await device.add("in block \(number)")
      expectTrue(core.driver.rest(of: core.session) != nil)
      if number == 0 {
        gates.0.give(true)
        continue
      }
      let second = try await ResetDevice(
        ResetDevice.configuration(app, "second", .recoverUnsyncedChanges()))
      try await second.meet()
      await expectEqual(second.names(), ["a"])
      gates.1.give(true)
      break
    }
    try await device.meet()
    let names = ["a", "c", "in block 0", "in block 1"]
    await expectEqual(device.names(), names)
    let third = try await ResetDevice(
      ResetDevice.configuration(app, "third", .recoverUnsyncedChanges()))
    await expectEqual(third.names(), names)
  }

  /// 211: the server has a version of the same number, with another salt.
  @Test(arguments: modes) func anotherSaltDiscards(_ mode: SyncMode) async throws {
    let app = try MemoryApp(mode)
    let configuration = try await ResetDevice.configuration(
      app, "first", .discardUnsyncedChanges())
    let device = try await restored(app, configuration)
    let session = try await device.session()
    session.suspend()
    app.server.setOnline(true)
    let second = try await ResetDevice(
      ResetDevice.configuration(app, "second", .discardUnsyncedChanges()))
    var names = ["a"]
    for number in 0..<6 {
      try await second.add("n\(number)")
      names.append("n\(number)")
    }
    try await second.meet()
    session.resume()
    try await device.waitForNames(names)
    try await device.meet()
  }

  /// 208: the server began with an empty folder, and another device has brought the schema.
  @Test(arguments: modes) func anUnknownFileDiscards(_ mode: SyncMode) async throws {
    let app = try MemoryApp(mode)
    let configuration = try await ResetDevice.configuration(
      app, "first", .discardUnsyncedChanges())
    let device = try await ResetDevice(configuration)
    try await device.add("a")
    try await device.meet()
    let session = try await device.session()
    session.suspend()
    try app.server.forgetFiles()
    let second = try await ResetDevice(
      ResetDevice.configuration(app, "second", .discardUnsyncedChanges()))
    try await second.add("new")
    try await second.meet()
    session.resume()
    try await device.waitForNames(["new"])
    try await device.meet()
  }

  /// What waits for its upload is made again, and reaches the other devices.
  @Test(arguments: modes) func whatWaitsIsRecovered(_ mode: SyncMode) async throws {
    let app = try MemoryApp(mode)
    let log = ResetDevice.Log()
    let configuration = try await ResetDevice.configuration(
      app, "first",
      .recoverUnsyncedChanges(beforeReset: log.beforeBlock, afterReset: log.afterBlock))
    let device = try await restored(app, configuration)
    try await device.change { realm in
      for todo in realm.objects(Todo.self) where todo.name == "a" {
        todo.tags.insert("offline")
        todo.extra["k"] = 7
        todo.priority += 5
      }
    }
    await device.observe()
    try await goOn(app, device)
    try await device.waitForNames(["a", "c"])
    try await device.meet()
    expectEqual(log.before.withLock { $0 }, [["a", "b", "c"]])
    let after = log.after.withLock { $0 }
    expectTrue(after.count == 1 && after[0].after == ["a", "c"])
    let changes = try await device.waitForChanges()
    expectEqual(changes, ["(deletions: 1, insertions: 0, modifications: 0)"])
    let second = try await ResetDevice(
      ResetDevice.configuration(app, "second", .recoverUnsyncedChanges()))
    try await second.waitForNames(["a", "c"])
    let shared = await second.read { realm in
      realm.objects(Todo.self).where { $0.name == "a" }.map { todo in
        "\(Array(todo.tags)) \(todo.extra["k"] ?? 0) \(todo.priority)"
      }
    }
    expectEqual(Array(shared), ["[\"offline\"] 7 5"])
    try await second.add("d")
    try await device.waitForNames(["a", "c", "d"])
    try await expectNoTraces(device, configuration)
  }

  /// The server has lost everything, and another device has brought the schema.
  @Test(arguments: modes) func whatWaitsIsRecoveredAtANewServer(_ mode: SyncMode) async throws {
    let app = try MemoryApp(mode)
    let device = try await ResetDevice(
      ResetDevice.configuration(app, "first", .recoverOrDiscardUnsyncedChanges()))
    let session = try await device.session()
    session.suspend()
    try await device.add("a")
    try app.server.forgetFiles()
    let second = try await ResetDevice(
      ResetDevice.configuration(app, "second", .recoverOrDiscardUnsyncedChanges()))
    try await second.add("new")
    try await second.meet()
    session.resume()
    try await device.waitForNames(["a", "new"])
    try await second.waitForNames(["a", "new"])
  }

  /// Subscriptions that were changed offline are taken back by a reset that discards.
  @Test func aDiscardedSubscriptionIsSuperseded() async throws {
    let app = try MemoryApp()
    let device = try await restored(
      app, ResetDevice.configuration(app, "first", .discardUnsyncedChanges()))
    let wait = await device.subscribe("offline")
    await expectEqual(device.subscriptionNames.count, 2)
    try await goOn(app, device)
    try await device.waitForNames(["a"])
    #expect(await wait.value == nil)
    await expectEqual(device.subscriptionNames, [nil])
  }

  /// They are sent after a reset that recovers.
  @Test func aSubscriptionIsSentAfterARecovery() async throws {
    let app = try MemoryApp()
    let device = try await restored(
      app, ResetDevice.configuration(app, "first", .recoverUnsyncedChanges()))
    let wait = await device.subscribe("offline")
    try await goOn(app, device)
    try await device.waitForNames(["a", "c"])
    #expect(await wait.value == nil)
    await expectEqual(device.subscriptionNames, [nil, "offline"])
    try await device.meet()
  }

  /// The fresh copy lacks the classes: the program decides.
  @Test(arguments: modes) func aResetThatFailsIsTheProgramsToDecide(_ mode: SyncMode) async throws {
    let app = try MemoryApp(mode)
    let configuration = try await ResetDevice.configuration(
      app, "first", .discardUnsyncedChanges())
    let errors = AsyncStream.makeStream(of: SyncError.self)
    app.device("first").syncManager.errorHandler = { error, _ in
      if let error = error as? SyncError { errors.continuation.yield(error) }
    }
    let device = try await ResetDevice(configuration)
    try await device.add("a")
    try await device.meet()
    try app.server.forgetFiles()
    try await device.session().reconnect()
    for await error in errors.stream {
      expectEqual(error.code, .clientResetError)
      #expect(error.message.contains("when classes have been removed: {Todo}"), "\(error.message)")
      let (backup, _) = try #require(error.clientResetInfo())
      let actions = try app.device("first").core.client.fileActions()
      expectEqual(actions.map(\.backupPath), [backup])
      break
    }
    await expectEqual(device.names(), ["a"])
    try await expectEqual(device.session().state, .inactive)
    await #expect(throws: SyncError.self) { try await device.session().wait(for: .upload) }
  }

  /// A session that is suspended while its fresh copy is downloaded resets when it is resumed.
  /// `SyncResetTask` 1 and 2.
  @Test func aSuspendedResetGoesOnLater() async throws {
    let app = try MemoryApp()
    let configuration = try await ResetDevice.configuration(
      app, "first", .discardUnsyncedChanges())
    let device = try await restored(app, configuration)
    let session = try await device.session()
    app.server.setOnline(true)
    for _ in 0..<20 {
      session.reconnect()
      try await Task.sleep(for: .milliseconds(3))
      session.suspend()
      session.resume()
    }
    try await device.waitForNames(["a"])
    try await device.meet()
    expectEqual(session.state, .active)
  }

  /// A realm that is closed during its reset keeps its file open until the reset is over.
  @Test func aClosedRealmIsReset() async throws {
    let app = try MemoryApp()
    let configuration = try await ResetDevice.configuration(
      app, "first", .discardUnsyncedChanges())
    do {
      let device = try await restored(app, configuration)
      try await goOn(app, device)
    }
    let again = try await ResetDevice(configuration)
    try await again.waitForNames(["a"])
    try await again.add("later")
    try await again.meet()
  }
}
#endif
