// SPDX-License-Identifier: Apache-2.0

// The walks of ARCHITECTURE.md, one after the other. `Scripts/walks` runs them below a tracer and
// counts the files that each of them enters.

#if Sync
import Foundation
import RealmSwiftTestSupport
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

/// Where a walk begins and where it ends: a tracer sees calls of the two.
private enum Walk {
  @inline(never) static func walkBegins() {}
  @inline(never) static func walkEnds() {}

  /// Takes a walk of one thread.
  static func take<R>(_ body: () throws -> R) rethrows -> R {
    walkBegins()
    defer { walkEnds() }
    return try body()
  }
}

@Suite(.serialized, .timeLimit(.minutes(10))) struct WalkTests {
  @Test @MainActor func walksOfADatabase() async throws {
    var configuration = Realm.Configuration(inMemoryIdentifier: "walks")
    configuration.objectTypes = [Todo.self]
    let realm = try await Realm(configuration: configuration, actor: MainActor.shared)
    let todos = try realm.write {
      (0..<2_000).map { number in
        realm.create(
          Todo.self,
          value: ["_id": ObjectId.generate(), "name": "\(number)", "priority": number % 5]
            as [String: Any])
      }
    }
    let (first, other) = (todos[7], todos[1_500])
    _ = (first.name, other.name, realm.objects(Todo.self).where { $0.priority == 4 }.count)
    expectEqual(Walk.take { first.name }, "7")
    expectEqual(Walk.take { other.name }, "1500")
    try realm.write { todos[3].status = "Done" }
    expectEqual(Walk.take { first.name }, "7")
    let count = Walk.take { realm.objects(Todo.self).where { $0.priority == 3 }.count }
    expectEqual(count, 400)
    try Walk.take { try realm.write { first.priority = 3 } }
    expectEqual(realm.objects(Todo.self).where { $0.priority == 3 }.count, 401)
    let calls = Recorder<ToldChange>()
    let token = realm.objects(Todo.self).observe { calls.add(ToldChange($0)) }
    _ = await calls.wait(for: 1)
    Walk.walkBegins()
    try realm.write { first.priority = 4 }
    await expectEqual(calls.wait(for: 2).count, 2)
    Walk.walkEnds()
    expectEqual(first.priority, 4)
    token.invalidate()
  }

  /// A realm of a device, and its objects.
  @MainActor private func open(_ app: MemoryApp, _ name: String) async throws -> Realm {
    let configuration = try await app.configuration(name) { set in
      set.append(QuerySubscription<Todo>(name: "all"))
    }
    return try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .once)
  }

  @Test @MainActor func walkFromDeviceToDevice() async throws {
    let app = try MemoryApp()
    let (here, there) = (try await open(app, "here"), try await open(app, "there"))
    let calls = Recorder<ToldChange>()
    let token = there.objects(Todo.self).observe { calls.add(ToldChange($0)) }
    _ = await calls.wait(for: 1)
    try here.write { here.add(Todo()) }
    _ = await calls.wait(for: 2)
    try await here.syncSession?.wait(for: .upload)
    let todo = try #require(here.objects(Todo.self).first)
    Walk.walkBegins()
    try here.write { todo.priority = 7 }
    await expectEqual(calls.wait(for: 3).count, 3)
    Walk.walkEnds()
    expectEqual(there.objects(Todo.self).first?.priority, 7)
    token.invalidate()
  }

  @Test @MainActor func walkOfARefusedWrite() async throws {
    let app = try MemoryApp(roles: Self.readOnly)
    let device = app.device("reader")
    let user = try await device.login(credentials: .anonymous)
    let errors = Recorder<SyncError>()
    device.syncManager.errorHandler = { error, session in
      guard let error = error as? SyncError, session?.parentUser() == user else { return }
      errors.add(error)
    }
    var configuration = user.flexibleSyncConfiguration { set in
      set.append(QuerySubscription<Todo>(name: "all"))
    }
    configuration.objectTypes = [Todo.self]
    let realm = try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .once)
    Walk.walkBegins()
    try realm.write { realm.add(Todo()) }
    await expectEqual(errors.wait(for: 1).map(\.code), [.writeRejected])
    Walk.walkEnds()
    realm.refresh()
    expectEqual(realm.objects(Todo.self).count, 0)
  }

  private static let readOnly = """
    {"default": [{"name": "reader", "apply_when": {}, "read": true, "write": false}]}
    """
}
#endif
