// SPDX-License-Identifier: Apache-2.0

// The data of an app, for the server's own code.

#if Server
import Foundation
import RealmServerKit
import RealmSwift
import RealmTestSupport
import TestExtensions
import Testing

struct KitDataTests {
  @Test @MainActor func whatTheProgramWritesComesToDevices() async throws {
    try await KitServer.run(.open()) { server in
      let todos = try server.server.app("todos").collection(KitTodo.self)
      let user = try await server.user()
      var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
        subscriptions.append(QuerySubscription<KitTodo>())
      })
      configuration.objectTypes = [KitTodo.self, KitPlace.self]
      let realm = try await Realm(
        configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
      _ = try await todos.insertOne(
        ["text": "by the server", "place": .document(["street": "Main"])])
      for _ in 0..<1_500 where realm.objects(KitTodo.self).isEmpty {
        try await Task.sleep(for: .milliseconds(20))
        await realm.asyncRefresh()
      }
      let todo = try #require(realm.objects(KitTodo.self).first)
      expectEqual(todo.text, "by the server")
      expectEqual(todo.place?.street, "Main")
      try await realm.asyncWrite { todo.isDone = true }
      try await realm.syncSession?.wait(for: .upload)
      #expect(try await todos.count(filter: ["isDone": true]) == 1)
    }
  }

  @Test func theProgramWatchesACollection() async throws {
    try await KitServer.run(.open()) { server in
      let todos = try server.server.app("todos").collection(KitTodo.self)
      let (opens, open) = AsyncStream.makeStream(of: Void.self)
      let stream = todos.changeEvents(onOpen: { open.yield() })
      let first = Task { try await stream.first { _ in true } }
      for await _ in opens { break }
      _ = try await todos.insertOne(["text": "a"])
      let event = try await first.value
      expectTrue(event?.documentValue?["operationType"] == .some("insert"))
    }
  }

  @Test func aFunctionHasTheRightsThatItAsksFor() async throws {
    var settings = AppSettings()
    settings.rules = .roles(
      ClassRoles(
        KitTodo.self, AccessRole("own").writing(where: .property(\KitTodo.owner).equals(.userID))))
    var app = AppDefinition("todos", settings: settings, classes: [KitTodo.self])
    app.function("counts") { call -> [Int] in
      [
        try await call.collection(KitTodo.self).count(filter: [:]),
        try await call.collection(withName: "KitTodo").count(filter: [:]),
        try await call.collection(ofUser: KitTodo.self).count(filter: [:]),
      ]
    }
    app.function("bad") { call -> Int in
      try await call.collection(KitTodo.self).count(filter: ["$where": 1])
    }
    try await KitServer.run(app) { server in
      let todos = try server.server.app("todos").collection(KitTodo.self)
      let user = try await server.user()
      _ = try await todos.insertMany([["owner": "x"], ["owner": .string(user.id)]])
      #expect(try await user.call("counts", []) == .array([2, 2, 1]))
      let error = await KitServer.error { try await user.call("bad", []) }
      expectTrue(error?.code == .functionExecutionError)
      expectTrue(error?.message.contains("$where") == true)
      expectTrue(error?.message.contains("AppError") == false)
      #expect(
        await KitServer.error { try await todos.count(filter: ["$where": 1]) }?.code
          == .mongoDBError)
    }
    let directory = try TemporaryDirectory()
    let server = try RealmServer(
      KitServer.configuration(directory), apps: [app], logger: KitServer.errors)
    #expect(throws: ServerFailure.self) { try server.app("other") }
  }
}
#endif
