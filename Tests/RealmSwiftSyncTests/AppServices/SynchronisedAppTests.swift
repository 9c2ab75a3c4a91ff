// SPDX-License-Identifier: Apache-2.0

// Apps whose realms meet at a server, over sockets in memory.

#if Sync
import Foundation
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct SynchronisedAppTests {
  fileprivate actor Device {
    private(set) var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm(
        configuration: configuration, actor: self, downloadBeforeOpen: .always)
    }

    func add(_ name: String, priority: Int = 0) throws {
      try realm.write { realm.add(Todo(value: ["name": name, "priority": priority])) }
    }

    func change(_ name: String, _ change: (Todo) -> Void) throws {
      try realm.write {
        for todo in realm.objects(Todo.self).where({ $0.name == name }) { change(todo) }
      }
    }

    func delete(_ name: String) throws {
      try realm.write { realm.delete(realm.objects(Todo.self).where { $0.name == name }) }
    }

    func upload() async throws { try await realm.syncSession?.wait(for: .upload) }

    func download() async throws {
      try await realm.syncSession?.wait(for: .download)
      await realm.asyncRefresh()
    }

    var names: [String] { realm.objects(Todo.self).map(\.name).sorted() }

    var session: SyncSession? { realm.syncSession }
  }

  private static let all: @Sendable (SyncSubscriptionSet) -> Void = { subscriptions in
    subscriptions.append(QuerySubscription<Todo>(name: "all_todos"))
  }

  @Test func twoDevicesShareTheirObjects() async throws {
    let app = try MemoryApp()
    let first = try await Device(app.configuration("first", Self.all))
    try await first.add("Water the plants")
    try await first.upload()
    let second = try await Device(app.configuration("second", Self.all))
    await expectEqual(second.names, ["Water the plants"])
    try await second.add("Feed the cat")
    try await second.upload()
    try await first.download()
    await expectEqual(first.names, ["Feed the cat", "Water the plants"])
  }

  @Test func editsWithoutNetworkMeetLater() async throws {
    let app = try MemoryApp()
    let first = try await Device(app.configuration("first", Self.all))
    try await first.add("a")
    try await first.upload()
    let second = try await Device(app.configuration("second", Self.all))
    app.server.setOnline(false)
    try await first.change("a") { $0.tags.insert("red") }
    try await second.change("a") {
      $0.tags.insert("blue")
      $0.priority += 2
    }
    try await first.change("a") { $0.priority += 3 }
    try await second.add("b")
    app.server.setOnline(true)
    await first.session?.reconnect()
    await second.session?.reconnect()
    try await first.upload()
    try await second.upload()
    try await first.download()
    try await second.download()
    for device in [first, second] {
      await expectEqual(device.names, ["a", "b"])
      let tags = await device.realm(of: "a") { Array($0.tags).sorted() }
      expectEqual(tags, ["blue", "red"])
    }
    let priorities = await [
      first.realm(of: "a") { $0.priority }, second.realm(of: "a") { $0.priority },
    ]
    expectEqual(priorities[0], priorities[1])
  }

  @Test func subscriptionsDecideWhatIsHere() async throws {
    let app = try MemoryApp()
    let first = try await Device(app.configuration("first", Self.all))
    for (name, priority) in [("low", 1), ("middle", 5), ("high", 9)] {
      try await first.add(name, priority: priority)
    }
    try await first.upload()
    let second = try await Device(
      app.configuration("second") { subscriptions in
        subscriptions.append(QuerySubscription<Todo>(name: "urgent") { $0.priority > 4 })
      })
    await expectEqual(second.names, ["high", "middle"])
    try await second.subscribe("urgent", above: 8)
    await expectEqual(second.names, ["high"])
    try await second.subscribe("urgent", above: 0)
    await expectEqual(second.names, ["high", "low", "middle"])
  }

  @Test func aRefusedSubscriptionSaysWhy() async throws {
    let app = try MemoryApp()
    let device = try await Device(app.configuration("first", Self.all))
    try await device.add("a")
    try await device.upload()
    await #expect(throws: Realm.Error.self) { try await device.subscribeByDictionary() }
    await expectEqual(device.names, ["a"])
  }

  /// `SyncSessionCore` 3: the file is opened again while its session ends.
  @Test(.heavy) func aDeviceThatComesBackHasItsChangesStill() async throws {
    let app = try MemoryApp()
    let configuration = try await app.configuration("first", Self.all)
    do {
      let device = try await Device(configuration)
      app.server.setOnline(false)
      try await device.add("offline")
    }
    app.server.setOnline(true)
    let device = try await Device(configuration)
    try await device.upload()
    let second = try await Device(app.configuration("second", Self.all))
    await expectEqual(second.names, ["offline"])
  }

  @Test func anotherUserOfTheAppIsThereAfterAStart() async throws {
    let app = try MemoryApp()
    let user = try await app.device("first").login(credentials: .anonymous)
    expectEqual(app.device("first").currentUser, user)
    expectTrue(user.isLoggedIn)
    expectEqual(user.state, .loggedIn)
    expectEqual(user.identities.map(\.providerType), ["anon-user"])
    try await user.logOut()
    expectEqual(user.state, .removed)
    expectEqual(app.device("first").currentUser, nil)
  }

  @Test func aDeletedObjectIsGoneEverywhere() async throws {
    let app = try MemoryApp()
    let first = try await Device(app.configuration("first", Self.all))
    try await first.add("a")
    try await first.upload()
    let second = try await Device(app.configuration("second", Self.all))
    try await second.delete("a")
    try await second.upload()
    try await first.download()
    #expect(await first.names.isEmpty)
  }

  @Test func progressEndsWithEverything() async throws {
    let app = try MemoryApp()
    let device = try await Device(app.configuration("first", Self.all))
    let (progress, continuation) = AsyncStream.makeStream(of: Double.self)
    try await device.add("a")
    await device.session?.addProgressNotification(
      for: .upload, mode: .forCurrentlyOutstandingWork
    ) { continuation.yield($0.progressEstimate) }
    try await device.add("b")
    for await estimate in progress where estimate >= 1 { break }
    try await device.upload()
  }

  @Test func aPartitionIsARealmOfItsOwn() async throws {
    let app = try MemoryApp(.partition)
    func device(_ name: String, _ partition: String) async throws -> Device {
      let user = try await app.device(name).login(credentials: .anonymous)
      var configuration = user.configuration(partitionValue: partition)
      configuration.objectTypes = [Todo.self]
      return try await Device(configuration)
    }
    let first = try await device("first", "red")
    try await first.add("a")
    try await first.upload()
    let (second, other) = (try await device("second", "red"), try await device("second", "blue"))
    await expectEqual(second.names, ["a"])
    #expect(await other.names.isEmpty)
    await expectEqual(first.session?.configuration()?.partitionValue, .string("red"))
  }

  @Test func aWaitCanBeCancelled() async throws {
    let app = try MemoryApp()
    let device = try await Device(app.configuration("first", Self.all))
    app.server.setOnline(false)
    try await device.add("a")
    let wait = Task { try await device.upload() }
    wait.cancel()
    await #expect(throws: CancellationError.self) { try await wait.value }
  }

  @Test func localRealmsHaveNoSession() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: "\(UUID())", objectTypes: [Todo.self]))
    expectEqual(realm.syncSession, nil)
  }
}

extension SynchronisedAppTests.Device {
  fileprivate func realm<R: Sendable>(of name: String, _ body: (Todo) -> R) -> R? {
    realm.objects(Todo.self).where { $0.name == name }.first.map(body)
  }

  fileprivate func subscribe(_ name: String, above priority: Int) async throws {
    _ = try await realm.objects(Todo.self).where { $0.priority > priority }
      .subscribe(name: name, waitForSync: .always)
    await realm.asyncRefresh()
  }

  fileprivate func subscribeByDictionary() async throws {
    _ = try await realm.objects(Todo.self).filter("extra.@count > 1")
      .subscribe(waitForSync: .always)
  }
}
#endif
