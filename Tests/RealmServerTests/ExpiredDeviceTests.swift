// SPDX-License-Identifier: Apache-2.0

// Devices that come back after the time for which a server keeps what they need (P4 E), over real
// sockets.

#if Server
import Foundation
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSwift
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct ExpiredDeviceTests {
  /// The realm of a device, which counts its resets.
  @MainActor private static func open(
    _ device: AppDevice, _ mode: SyncMode, _ resets: Locked<Int>
  ) async throws -> Realm {
    let count: @Sendable (Realm) -> Void = { _ in resets.withLock { $0 += 1 } }
    var configuration =
      switch mode {
      case .partition:
        device.user.configuration(
          partitionValue: "home", clientResetMode: .recoverUnsyncedChanges(beforeReset: count))
      case .flexible:
        device.user.flexibleSyncConfiguration(
          clientResetMode: .recoverUnsyncedChanges(beforeReset: count),
          initialSubscriptions: { subscriptions in
            subscriptions.append(QuerySubscription<Todo>(name: "all"))
          })
      }
    configuration.objectTypes = [Todo.self]
    return try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
  }

  @MainActor private static func add(_ name: String, to realm: Realm) async throws {
    try await realm.asyncWrite { realm.add(Todo(value: ["name": name])) }
  }

  @MainActor private static func wait(for names: Set<String>, in realm: Realm) async throws {
    for _ in 0..<6_000 {
      await realm.asyncRefresh()
      if Set(realm.objects(Todo.self).map(\.name)) == names { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    expectEqual(Set(realm.objects(Todo.self).map(\.name)), names)
  }

  /// Does the upkeep of a server that does not run, as if it was so many days later.
  private static func trim(_ server: RunningServer, after days: UInt64) async throws -> Trimmed {
    let later = OriginTimestamp.now().milliseconds + days * 24 * 3600 * 1000
    let realms = RealmDirectory(
      EmbeddedStore(DirectoryFiles(directory: server.directory.path + "/data")),
      clock: ServerClock { OriginTimestamp(milliseconds: later) })
    let realm = try #require(try await realms.realms(ofApp: server.app).first)
    let opened = try await realms.open(try await realms.peek(realm).name).realm
    let trimmed = try await opened.trim()
    await opened.close()
    return trimmed
  }

  /// 222 after 60 days, and 208 after another year: the device gets all that it has missed, what it
  /// has written meanwhile is uploaded, and a new device gets the state in place of the history.
  @Test(
    arguments: [SyncMode.partition, .flexible].flatMap { mode in
      ([[61], [61, 430]] as [[UInt64]]).map { days in (mode, days) }
    })
  @MainActor func aDeviceThatWasAwayIsResetAndLosesNothing(
    _ mode: SyncMode, _ days: [UInt64]
  ) async throws {
    let first = try await RunningServer(mode: mode)
    let (away, other) = (
      try await AppDevice(first, "away"), try await AppDevice(first, "other")
    )
    let resets = [Locked(0), Locked(0), Locked(0)]
    let theirs = try await Self.open(other, mode, resets[1])
    try await Self.add("theirs", to: theirs)
    try await theirs.syncSession?.wait(for: .upload)
    let mine = try await Self.open(away, mode, resets[0])
    try await Self.add("mine", to: mine)
    try await Self.wait(for: ["theirs", "mine"], in: theirs)
    mine.syncSession?.suspend()
    try await Self.add("missed", to: theirs)
    try await theirs.syncSession?.wait(for: .upload)
    let port = try #require(URLComponents(string: first.address)?.port)
    try await first.stop()
    try await Self.add("offline", to: mine)
    var trimmed: [Trimmed] = []
    for days in days { trimmed.append(try await Self.trim(first, after: days)) }
    expectEqual(trimmed[0].expiredFiles, 2)
    expectTrue(trimmed[0].versions > 0)
    if days.count == 2 { expectEqual(trimmed[1].forgottenFiles, 2) }

    let second = try await RunningServer(first.directory, port: port)
    mine.syncSession?.resume()
    let all: Set<String> = ["theirs", "mine", "missed", "offline"]
    try await Self.wait(for: all, in: theirs)
    try await Self.wait(for: all, in: mine)
    expectEqual(resets[0].withLock { $0 }, 1)
    expectEqual(resets[1].withLock { $0 }, 1)
    let new = try await Self.open(AppDevice(second, "new"), mode, resets[2])
    try await Self.wait(for: all, in: new)
    try await Self.add("new", to: new)
    try await Self.wait(for: all.union(["new"]), in: mine)
    expectEqual(resets[2].withLock { $0 }, 0)
    for device in [away, other] { #expect(device.errors.withLock { $0.isEmpty }) }
    try await second.stop()
  }
}
#endif
