// SPDX-License-Identifier: Apache-2.0

// Triggers in Swift.

#if Server
import Foundation
import RealmServerKit
import RealmSwift
import RealmTestSupport
import Synchronization
import Testing

/// What triggers have told.
private final class Told: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  /// Waits until there are some lines.
  func wait(for count: Int) async throws -> [String] {
    for _ in 0..<6_000 where lines.withLock({ $0.count }) < count {
      try await Task.sleep(for: .milliseconds(20))
    }
    return lines.withLock { $0 }
  }
}

struct KitTriggerTests {
  private struct Plain: Codable {
    let text: String
    let isDone: Bool
  }

  private struct Failure: Error {}

  /// A program that imports both modules can name what the observers and the triggers of both get.
  @Test func eventsOfTriggersHaveANameOfTheirOwn() {
    let observed: [ObjectChange<KitTodo>] = [.deleted]
    let operations: [TriggerEvent.Operation] = [.delete]
    #expect(observed.count == operations.count)
  }

  @Test func changesOfAClassAreTold() async throws {
    let told = Told()
    var app = AppDefinition.open()
    var options = TriggerOptions()
    options.hasDocumentBefore = true
    app.trigger("all", on: KitTodo.self, options: options) { call, change in
      let plain = try change.decode(Plain.self)
      let before = change.documentBefore?["text"]??.stringValue
      told.add(
        "\(change.operation) \(plain?.text ?? "-") \(before ?? "-") "
          + "\(change.updatedFields.keys.sorted()) \(change.id.objectIdValue != nil) "
          + "\(change.partition == nil) \(call.user == nil)")
    }
    try await KitServer.run(app) { server in
      let todos = try server.server.app("todos").collection(KitTodo.self)
      _ = try await todos.insertOne(["text": "a"])
      _ = try await told.wait(for: 1)
      _ = try await todos.updateOneDocument(filter: [:], update: ["$set": ["text": "b"]])
      _ = try await told.wait(for: 2)
      _ = try await todos.deleteOneDocument(filter: [:])
      #expect(
        try await told.wait(for: 3) == [
          "insert a - [] true true true", #"update b a ["text"] true true true"#,
          "delete - b [] true true true",
        ])
    }
  }

  @Test func triggersGoOnWhereTheyWere() async throws {
    let told = Told()
    let isBroken = Mutex(true)
    var app = AppDefinition.open()
    app.trigger("inserts", on: KitTodo.self, [.insert]) { _, change in
      if isBroken.withLock({ $0 }) { throw Failure() }
      told.add("\(change.document?["text"]??.stringValue ?? "-") \(change.attempt > 0)")
    }
    let directory = try TemporaryDirectory()
    try await KitServer.run(app, directory: directory) { server in
      let todos = try server.server.app("todos").collection(KitTodo.self)
      _ = try await todos.insertOne(["text": "a"])
      _ = try await todos.updateOneDocument(filter: [:], update: ["$set": ["isDone": true]])
    }
    isBroken.withLock { $0 = false }
    try await KitServer.run(app, directory: directory) { server in
      let todos = try server.server.app("todos").collection(KitTodo.self)
      _ = try await told.wait(for: 1)
      _ = try await todos.insertOne(["text": "b"])
      #expect(try await told.wait(for: 2) == ["a true", "b true"])
    }
  }

  @Test func filtersSelectChanges() async throws {
    let told = Told()
    var options = TriggerOptions()
    options.filter = ["fullDocument.isDone": true]
    options.attempts = 3
    options.skipsFailures = true
    options.isUnordered = true
    var app = AppDefinition.open()
    app.trigger("done", on: KitTodo.self, options: options) { _, change in
      told.add(change.document?["text"]??.stringValue ?? "-")
    }
    try await KitServer.run(app) { server in
      let todos = try server.server.app("todos").collection(KitTodo.self)
      _ = try await todos.insertOne(["text": "open"])
      _ = try await todos.insertOne(["text": "done", "isDone": true])
      #expect(try await told.wait(for: 1) == ["done"])
    }
  }

  @Test func whatUsersDoIsTold() async throws {
    let told = Told()
    var app = AppDefinition.open()
    for kind in UserEvent.Kind.allCases {
      app.trigger("\(kind)", onUsers: kind) { _, event in
        told.add("\(event.kind) \(event.userID.count) \(event.providers)")
      }
    }
    try await KitServer.run(app) { server in
      let user = try await server.user()
      _ = try await told.wait(for: 2)
      try await user.delete()
      let lines = try await told.wait(for: 3)
      #expect(
        Set(lines) == [
          #"create 24 ["anon-user"]"#, #"login 24 ["anon-user"]"#, #"delete 24 ["anon-user"]"#,
        ])
    }
  }

  @Test func aScheduleNeedsFiveFields() throws {
    var app = AppDefinition.open()
    app.schedule("nightly", "30 2 * * *") { _, run in _ = run.scheduledTime }
    let directory = try TemporaryDirectory()
    _ = try RealmServer(
      KitServer.configuration(directory), apps: [app], logger: KitServer.errors)
    app.schedule("other", "30 2 * *") { _, _ in }
    let error = #expect(throws: ServerFailure.self) {
      try RealmServer(KitServer.configuration(directory), apps: [app])
    }
    #expect(error?.description.contains("five fields") == true)
  }
}
#endif
