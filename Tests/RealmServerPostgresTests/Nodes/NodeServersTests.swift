// SPDX-License-Identifier: Apache-2.0

// Two whole servers with one database, and a device at each.

#if Postgres
import Foundation
import RealmServerEngine
import RealmServerServices
import RealmServerKit
import RealmServerPostgres
import RealmStorage
import RealmSwift
import RealmTestSupport
import TestExtensions
import Testing

@Suite(.heavy)
struct NodeServersTests {
  private let directory: TemporaryDirectory
  private let addresses = TestNodes()

  init() throws { directory = try TemporaryDirectory() }

  /// - Parameter secondsAhead: How far the clock of its machine is ahead.
  private func server(
    _ folder: String, store: String, secondsAhead: Int64 = 0
  ) throws -> RealmServer {
    try TodoServer.make(directory.file(folder), store: store) {
      // The port is known later.
      $0.nodeURL = "http://127.0.0.1:1"
      $0.nodeDirectory = addresses
      $0.clock = .machine { secondsAhead }
    }
  }

  /// The name that a server has in the database.
  private func node(_ folder: String) throws -> String {
    try String(contentsOfFile: directory.file(folder) + "/replicas/node", encoding: .utf8)
  }

  @MainActor private func realm(_ device: String, at url: String) async throws -> Realm {
    let place = AppConfiguration(baseURL: url, defaultRequestTimeoutMS: 600_000)
    place.directory = directory.file(device)
    let user = try await App(id: "todos", configuration: place).login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
      subscriptions.append(QuerySubscription<StoreTodo>())
    })
    configuration.objectTypes = [StoreTodo.self]
    return try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
  }

  @MainActor private func add(_ text: String, to realm: Realm) async throws {
    try await realm.asyncWrite {
      let todo = StoreTodo()
      todo.text = text
      realm.add(todo)
    }
    try await realm.syncSession?.wait(for: .upload)
  }

  /// Waits until a device has an object.
  @MainActor private func wait(for text: String, in realm: Realm) async throws {
    for _ in 0..<1_200 {
      if realm.objects(StoreTodo.self).contains(where: { $0.text == text }) { return }
      try await Task.sleep(for: .milliseconds(50))
      realm.refresh()
    }
    Issue.record("\(text) does not arrive")
  }

  /// Tokens of one server are valid at the other, though their machines' clocks are years apart.
  @Test(.withPostgres) @MainActor func devicesOfTwoServersMeet() async throws {
    let cluster = try PostgresCluster.shared.get()
    let address = cluster.address(try cluster.makeDatabase())
    let first = try server("first", store: address, secondsAhead: 365 * 86_400)
    // The same keys and apps, and no replicas.
    let files = FileManager.default
    try files.copyItem(atPath: directory.file("first"), toPath: directory.file("second"))
    try files.removeItem(atPath: directory.file("second/replicas"))
    let second = try server("second", store: address, secondsAhead: -86_400)
    let names = (try node("first"), try node("second"))
    expectTrue(names.0 != names.1)
    try await second.run { secondURL in
      addresses.set(secondURL, of: names.1)
      let todos = try second.app("todos").collection(StoreTodo.self)
      var other: Realm?
      try await first.run { firstURL in
        addresses.set(firstURL, of: names.0)
        let own = try await realm("device at the first", at: firstURL)
        try await add("by the first", to: own)
        let device = try await realm("device at the second", at: secondURL)
        other = device
        try await wait(for: "by the first", in: device)
        try await add("by the second", to: device)
        try await wait(for: "by the second", in: own)
        _ = try await todos.insertOne(["text": "by the program"])
        try await wait(for: "by the program", in: own)
        try await expectEqual(todos.count(filter: [:]), 3)
        try await expectEqual(first.app("todos").collection(StoreTodo.self).count(filter: [:]), 3)
        own.syncSession?.suspend()
      }
      // The owner is gone, and the other one goes on.
      let device = try #require(other)
      try await add("after the first", to: device)
      try await expectEqual(todos.count(filter: [:]), 4)
    }
  }
}

/// The addresses of the servers of a test.
private final class TestNodes: NodeDirectory {
  private let addresses = Locked<[String: String]>([:])

  func set(_ address: String, of node: String) { addresses.withLock { $0[node] = address } }

  func address(of node: String) async -> String? { addresses.withLock { $0[node] } }
}
#endif
