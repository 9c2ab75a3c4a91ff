// SPDX-License-Identifier: Apache-2.0

// A device of the tests of client resets.

#if Sync
import Foundation
import RealmSession
import RealmStorage
import RealmSync
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmSwift

/// The names that an actor's realm has, and what is reported to the actor.
actor ResetDevice {
  /// What the blocks of a reset have seen.
  final class Log: Sendable {
    let before = Locked<[[String]]>([])
    let after = Locked<[(before: [String], after: [String])]>([])
    let isBeforeFrozen = Locked(false)
    let isAfterLive = Locked(false)

    static func names(_ realm: Realm) -> [String] { realm.objects(Todo.self).map(\.name).sorted() }

    var beforeBlock: @Sendable (Realm) -> Void {
      { realm in
        self.isBeforeFrozen.withLock { $0 = realm.isFrozen }
        self.before.withLock { $0.append(Self.names(realm)) }
      }
    }

    var afterBlock: @Sendable (Realm, Realm) -> Void {
      { before, after in
        self.isAfterLive.withLock { $0 = before.isFrozen && !after.isFrozen }
        self.after.withLock { $0.append((Self.names(before), Self.names(after))) }
      }
    }
  }

  private var realm: Realm!
  private var token: NotificationToken?
  private var changes: [(deletions: Int, insertions: Int, modifications: Int)] = []

  init(
    _ configuration: Realm.Configuration, _ behavior: Realm.OpenBehavior = .always
  ) async throws {
    realm = try await Realm(
      configuration: configuration, actor: self, downloadBeforeOpen: behavior)
  }

  /// The configuration of a device's realm, for an app with subscriptions or partitions.
  static func configuration(
    _ app: MemoryApp, _ name: String, _ mode: ClientResetMode
  ) async throws -> Realm.Configuration {
    let user = try await app.device(name).login(credentials: .anonymous)
    var configuration =
      app.mode == .partition
      ? user.configuration(partitionValue: "p", clientResetMode: mode)
      : user.flexibleSyncConfiguration(clientResetMode: mode) {
        $0.append(QuerySubscription<Todo>())
      }
    configuration.objectTypes = [Todo.self]
    return configuration
  }

  func session() throws -> SyncSession { try #require(realm.syncSession) }

  func add(_ names: String...) throws {
    try realm.write {
      for name in names { realm.add(Todo(value: ["name": name])) }
    }
  }

  func change(_ body: (Realm) throws -> Void) throws { try realm.write { try body(realm) } }

  /// Changes the subscriptions. Returns what waits until the server has answered.
  func subscribe(_ name: String) -> Task<(any Error)?, Never> {
    let (ends, end) = AsyncStream.makeStream(of: (any Error)?.self)
    let set = realm.subscriptions
    set.update({ set.append(QuerySubscription<Todo>(name: name) { $0.priority > 5 }) }) {
      end.yield($0)
    }
    return Task {
      for await error in ends { return error }
      return CancellationError()
    }
  }

  var subscriptionNames: [String?] {
    let set = realm.subscriptions
    return (0..<set.count).map { set[$0]?.name }
  }

  func read<R: Sendable>(_ body: (Realm) throws -> R) rethrows -> R {
    realm.refresh()
    return try body(realm)
  }

  /// Copies the realm.
  func copy(to configuration: Realm.Configuration) throws {
    try read { try $0.writeCopy(configuration: configuration) }
  }

  func names() -> [String] {
    realm.refresh()
    return ResetDevice.Log.names(realm)
  }

  /// Counts the changes of all objects from now on.
  func observe() async {
    token = await realm.objects(Todo.self).observe(on: self) { actor, change in
      if case .update(_, let deletions, let insertions, let modifications) = change {
        actor.changes.append((deletions.count, insertions.count, modifications.count))
      }
    }
  }

  /// The changes so far, of which there is one at least.
  func waitForChanges() async throws -> [String] {
    for _ in 0..<3_000 where changes.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
    return changes.map { "\($0)" }
  }

  /// Waits until the realm has exactly these names.
  func waitForNames(
    _ names: [String], _ location: SourceLocation = #_sourceLocation
  ) async throws {
    for _ in 0..<600 where self.names() != names {
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(self.names() == names, sourceLocation: location)
  }

  /// Waits until everything is at the server, and here.
  func meet() async throws {
    try await session().wait(for: .upload)
    try await session().wait(for: .download)
  }

  var identifier: UInt64 {
    get throws { UInt64(try realm.core.shared.file.snapshot().top().fileIdentifier) }
  }
}
#endif
