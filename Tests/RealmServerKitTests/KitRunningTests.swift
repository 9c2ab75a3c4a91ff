// SPDX-License-Identifier: Apache-2.0

// The life of a server inside a program.

#if Server
import AsyncHTTPClient
import Foundation
import MetricsTestKit
import NIOCore
import RealmServerKit
import RealmSwift
import RealmTestSupport
import ServiceLifecycle
import Testing

struct KitRunningTests {
  private static func server(_ directory: TemporaryDirectory) throws -> RealmServer {
    try RealmServer(
      KitServer.configuration(directory), apps: [.open()], logger: KitServer.errors)
  }

  @Test func aServerIsAServiceAndEndsGracefully() async throws {
    let directory = try TemporaryDirectory()
    let server = try Self.server(directory)
    let group = ServiceGroup(services: [server], logger: KitServer.errors)
    let running = Task { try await group.run() }
    let address = try await server.address
    #expect(address.hasPrefix("http://127.0.0.1:"))
    let kit = KitServer(server: server, address: address, directory: directory)
    let user = try await kit.user()
    let collection = user.mongoClient("mongodb-atlas").database(named: "d")
      .collection(withName: "KitTodo")
    _ = try await collection.insertOne(["text": "a"])
    await group.triggerGracefulShutdown()
    try await running.value
    await #expect(throws: ServerFailure.self) { try await server.address }
    await #expect(throws: ServerFailure.self) { try await server.run() }
    await #expect(throws: AppError.self) {
      try await server.app("todos").collection(KitTodo.self).count(filter: [:])
    }
    // The folder is free, and has what was written.
    let next = try Self.server(directory)
    let count = try await next.run { _ in
      try await next.app("todos").collection(KitTodo.self).count(filter: [:])
    }
    #expect(count == 1)
  }

  @Test func theEndOfATaskIsAShutdown() async throws {
    let server = try Self.server(try TemporaryDirectory())
    let running = Task { try await server.run() }
    _ = try await server.address
    running.cancel()
    try await running.value
  }

  @Test func anErrorOfTheClosureEndsTheServer() async throws {
    let server = try Self.server(try TemporaryDirectory())
    await #expect(throws: CocoaError.self) {
      try await server.run { _ in throw CocoaError(.fileNoSuchFile) }
    }
    await #expect(throws: ServerFailure.self) { try await server.address }
  }

  /// `RealmServer` 1
  @Test func whoWaitsForTheAddressHearsWhyThereIsNone() async throws {
    let directory = try TemporaryDirectory()
    let server = try Self.server(directory)
    try await server.run { address in
      var configuration = KitServer.configuration(try TemporaryDirectory())
      configuration.port = try #require(URL(string: address)?.port)
      let second = try RealmServer(configuration, apps: [.open()], logger: KitServer.errors)
      let waiting = Task { try await second.address }
      await #expect(throws: ServerFailure.self) { try await second.run() }
      await #expect(throws: ServerFailure.self) { try await waiting.value }
    }
    let idle = try Self.server(try TemporaryDirectory())
    let waiting = Task { try await idle.address }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test func aFolderHasOneServer() async throws {
    let directory = try TemporaryDirectory()
    let server = try Self.server(directory)
    #expect(throws: ServerFailure.self) { try Self.server(directory) }
    _ = server
  }

  @Test func twoServersRunInOneProcess() async throws {
    var one = AppDefinition.open()
    one.function("name") { call in "one" }
    var two = AppDefinition.open()
    two.function("name") { call in "two" }
    try await KitServer.run(one) { first in
      try await KitServer.run(two) { second in
        let users = (try await first.user(device: "a"), try await second.user(device: "b"))
        #expect(try await users.0.call("name", []) == "one")
        #expect(try await users.1.call("name", []) == "two")
      }
    }
  }

  @Test func appsOfOneServerHaveTheirOwnCode() async throws {
    var one = AppDefinition.open()
    one.function("name") { call in call.app }
    var two = AppDefinition("notes", settings: AppSettings())
    two.function("other") { call in call.app }
    try await KitServer.run(one, two) { server in
      let (first, second) = (
        try await server.user(device: "a"), try await server.user(app: "notes", device: "b")
      )
      #expect(try await first.call("name", []) == "todos")
      #expect(try await second.call("other", []) == "notes")
      #expect(
        await KitServer.error { try await second.call("name", []) }?.code == .functionNotFound)
    }
    #expect(throws: ServerFailure.self) {
      try RealmServer(.init(folder: "/none"), apps: [.open(), .open()])
    }
  }

  @Test @MainActor func metricsGoToTheFactoryOfTheProgram() async throws {
    let metrics = TestMetrics()
    try await KitServer.run(
      .open(),
      configure: { configuration in
        configuration.metrics = metrics
        configuration.metricsText = { "the text of the program" }
      }
    ) { server in
      let user = try await server.user()
      var configuration = user.flexibleSyncConfiguration()
      configuration.objectTypes = [KitTodo.self, KitPlace.self]
      _ = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
      let answer = try await HTTPClient.shared.execute(
        HTTPClientRequest(url: server.address + "/metrics"), timeout: .minutes(10))
      let text = String(buffer: try await answer.body.collect(upTo: 1 << 16))
      #expect(text == "the text of the program")
    }
    #expect(try metrics.expectCounter("realm_connections_total").totalValue > 0)
  }

  @Test func aServerMayHaveAPageForItsOperator() async throws {
    try await KitServer.run(
      .open(),
      configure: {
        $0.adminPort = 0
        $0.adminEdits = true
      }
    ) { server in
      let file = server.directory.file("server/admin")
      var address: String?
      for _ in 0..<1_500 where address == nil {
        address = try? String(contentsOfFile: file, encoding: .utf8)
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(address?.hasPrefix("http://127.0.0.1:") == true)
    }
  }

  @Test func optionsThatMakeNoSenseAreRefused() throws {
    let directory = try TemporaryDirectory()
    var configuration = KitServer.configuration(directory)
    configuration.certificateFile = "a.pem"
    #expect(throws: ServerFailure.self) { try RealmServer(configuration) }
    configuration = KitServer.configuration(directory)
    configuration.limits.openPartitions = 0
    #expect(throws: ServerFailure.self) { try RealmServer(configuration) }
    configuration.limits.openPartitions = 1
    configuration.trustedProxies = ["nowhere"]
    #expect(throws: ServerFailure.self) { try RealmServer(configuration) }
    configuration.trustedProxies = []
    configuration.adminEdits = true
    #expect(throws: ServerFailure.self) { try RealmServer(configuration) }
  }
}
#endif
