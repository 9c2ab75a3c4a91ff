// SPDX-License-Identifier: Apache-2.0

// Settings, rules and classes in Swift.

#if Server
import Foundation
import RealmServerKit
import RealmSwift
import RealmTestSupport
import Testing

/// The rights of a user.
class KitRights: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var user: String
  @Persisted var editor: Bool

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct KitDefinitionTests {
  private static func file(_ name: String, _ directory: TemporaryDirectory) throws -> String {
    try String(contentsOfFile: directory.file("server/apps/todos/" + name), encoding: .utf8)
  }

  /// `AppDefinition+Folder` 1
  @Test func theFolderHasWhatTheProgramSays() async throws {
    var settings = AppSettings()
    settings.name = "Things to do"
    settings.logIns = [
      .anonymous, .apiKey, .emailPassword(confirm: .mail), .apple(clientIDs: ["org.example.app"]),
      .google(clientIDs: ["client"]),
      .jwt(.secret(String(repeating: "k", count: 32)), audiences: ["todos"], issuers: ["me"]),
    ]
    settings.rules = .roles(
      ClassRoles(KitTodo.self, AccessRole("all").reading()),
      otherwise: [AccessRole("none", when: .never)])
    settings.mail = .smtp(
      host: "localhost", port: 25, security: .none, user: "u", password: "p")
    settings.mailSender = "server@example.org"
    settings.confirmationPage = "https://example.org/confirm"
    settings.passwordPage = "https://example.org/reset"
    settings.allowedOrigins = ["https://app.example.org"]
    settings.accessMinutes = 5
    settings.refreshDays = 7
    settings.setCustomUserData(of: KitRights.self, user: \.user)
    let app = AppDefinition(
      "todos", settings: settings, classes: [KitTodo.self, KitRights.self])
    try await KitServer.run(app) { server in
      let file = try Self.file("app.json", server.directory)
      for part in [
        "\"name\":\"Things to do\"", "\"mode\":\"production\"", "\"anon-user\":{}",
        "\"api-key\":{}",
        "\"confirm\":\"mail\"", "org.example.app", "\"oauth2-google\"", "\"HS256\"",
        "\"localhost\"",
        "https://example.org/confirm", "https://example.org/reset", "\"accessMinutes\":5",
        "\"refreshDays\":7", "\"class\":\"KitRights\"", "\"name\":\"none\"",
        "\"allowed_origins\":[\"https://app.example.org\"]",
      ] {
        #expect(file.contains(part), "\(part) in \(file)")
      }
      let schema = try Self.file("schema.json", server.directory)
      #expect(schema.contains("KitTodo"))
      #expect(schema.contains("KitPlace"))
      let outcomes = await server.server.reload()
      #expect(outcomes.count == 1)
    }
  }

  @Test func rolesHoldForDevicesAndDocuments() async throws {
    var settings = AppSettings()
    settings.rules = .roles(
      ClassRoles(
        KitTodo.self,
        AccessRole("editor", when: .customData("editor").equals(true))
          .writing().inserting().deleting(),
        AccessRole("owner")
          .reading(where: .property(\KitTodo.isDone).equals(true))
          .writing(where: .property(\KitTodo.owner).equals(.userID))
          .inserting()
          .property(\KitTodo.text, write: false)))
    settings.setCustomUserData(of: KitRights.self, user: \.user)
    let app = AppDefinition(
      "todos", settings: settings, classes: [KitTodo.self, KitRights.self])
    try await KitServer.run(app) { server in
      let all = try server.server.app("todos").collection(KitTodo.self)
      _ = try await all.insertMany([
        ["text": "open", "owner": "x"], ["text": "done", "owner": "x", "isDone": true],
      ])
      let user = try await server.user()
      let own = user.mongoClient("mongodb-atlas").database(named: "d")
        .collection(withName: "KitTodo")
      #expect(try await own.find(filter: [:]).map { $0["text"] } == [.some("done")])
      await #expect(throws: AppError.self) {
        try await own.insertOne(["text": "mine", "owner": .string(user.id)])
      }
      _ = try await own.insertOne(["owner": .string(user.id)])
      #expect(try await own.count(filter: [:]) == 2)
      // A class without roles is nobody's.
      let rights = user.mongoClient("mongodb-atlas").database(named: "d")
        .collection(withName: "KitRights")
      await #expect(throws: AppError.self) {
        try await rights.insertOne(["user": .string(user.id), "editor": true])
      }
      _ = try await server.server.app("todos").collection(KitRights.self)
        .insertOne(["user": .string(user.id), "editor": true])
      #expect(try await own.count(filter: [:]) == 3)
      #expect(try await own.deleteManyDocuments(filter: [:]) == 3)
    }
  }

  @Test func conditionsAreThoseOfTheFile() async throws {
    var settings = AppSettings()
    let condition: ObjectCondition =
      .property(\KitTodo.text).isIn(["a", "b"])
      && (.property(named: "text").isNotIn(["c"]) || .property(\KitTodo.text).differs(from: "d"))
      && .property(\KitTodo.owner).isAtLeast("a") && .property(\KitTodo.owner).isAtMost("z")
      && .property(\KitTodo.owner).isMore(than: "A") && .property(\KitTodo.owner).isLess(than: "zz")
      && .user(.userID.isIn(.customData("team")) || .userType.differs(from: "server"))
    settings.rules = .roles(
      ClassRoles(
        KitTodo.self,
        AccessRole("a", when: .customData("a").exists() && .customData("b").exists(false))
          .reading(where: condition)
          .property(\KitTodo.place?.street, read: false).otherProperties(read: true, write: false)))
    try await KitServer.run(
      AppDefinition("todos", settings: settings, classes: [KitTodo.self])
    ) { server in
      let file = try Self.file("app.json", server.directory)
      for part in [
        #""$in""#, #""$nin""#, #""$ne":"d""#, #""$gte":"a""#, #""$lte":"z""#, #""$gt":"A""#,
        #""$lt":"zz""#, #""%%user.custom_data.team""#, #""%%user.type""#, #""$exists":false"#,
        #""street":{"read":false}"#, #""additional_fields""#,
      ] {
        #expect(file.contains(part), "\(part) in \(file)")
      }
    }
  }

  @Test func partitionsHaveRules() async throws {
    var settings = AppSettings(sync: .partitions)
    settings.rules = .partitions(
      read: .partition.equals("public"), write: .partition.equals(.userID))
    try await KitServer.run(
      AppDefinition("todos", settings: settings, classes: [KitTodo.self])
    ) { server in
      let user = try await server.user()
      let own = user.mongoClient("mongodb-atlas").database(named: "d")
        .collection(withName: "KitTodo")
      _ = try await own.insertOne(["text": "a", "_partition": .string(user.id)])
      await #expect(throws: AppError.self) {
        try await own.insertOne(["text": "a", "_partition": "public"])
      }
      let all = try server.server.app("todos").collection(withName: "KitTodo")
      _ = try await all.insertOne(["text": "b", "_partition": "public"])
      #expect(try await own.count(filter: ["_partition": "public"]) == 1)
      #expect(try await all.count(filter: ["_partition": .string(user.id)]) == 1)
    }
  }

  @Test func whatDevicesHaveCannotChange() async throws {
    let directory = try TemporaryDirectory()
    try await KitServer.run(.open(), directory: directory) { _ in }
    let schema = try Self.file("schema.json", directory)
    try schema.replacingOccurrences(
      of: #""name":"isDone","type":"bool""#, with: #""name":"isDone","type":"int""#
    )
    .write(
      toFile: directory.file("server/apps/todos/schema.json"), atomically: true, encoding: .utf8)
    let error = #expect(throws: ServerFailure.self) {
      try RealmServer(KitServer.configuration(directory), apps: [.open()])
    }
    #expect(error?.description.contains("KitTodo.isDone") == true)
    #expect(throws: ServerFailure.self) {
      try RealmServer(KitServer.configuration(directory), apps: [.open(.partitions)])
    }
  }

  @Test func anAppMayHaveTheSettingsOfItsFolder() async throws {
    var app = AppDefinition("todos")
    app.function("one") { call in 1 }
    let directory = try TemporaryDirectory()
    try await KitServer.run(app, directory: directory) { server in
      let user = try await server.user()
      #expect(try await user.call("one", []) == .int64(1))
    }
    let path = directory.file("server/apps/todos/app.json")
    try #"{"id":"todos","mode":"development","providers":{"custom-function":{"function":"logIn"}}}"#
      .write(toFile: path, atomically: true, encoding: .utf8)
    app.logIn { (payload: [String: String]) in payload["name"].map { LogInProof(id: $0) } }
    try await KitServer.run(app, directory: directory) { server in
      _ = try await server.user(.function(payload: ["name": "ann"]), device: "ann")
      await #expect(throws: AppError.self) { try await server.user(device: "new") }
    }
  }

  @Test(arguments: ["", "Todos", "a b", "-a"])
  func idsOfAppsAreNamesOfFolders(_ id: String) throws {
    let directory = try TemporaryDirectory()
    #expect(throws: ServerFailure.self) {
      try RealmServer(KitServer.configuration(directory), apps: [AppDefinition(id)])
    }
  }

  @Test func rulesThatDoNotFitAreRefused() throws {
    let directory = try TemporaryDirectory()
    var settings = AppSettings(sync: .partitions)
    settings.rules = .roles(ClassRoles(KitTodo.self, AccessRole("a").reading()))
    let error = #expect(throws: ServerFailure.self) {
      try RealmServer(
        KitServer.configuration(directory), apps: [AppDefinition("todos", settings: settings)])
    }
    #expect(error?.description.contains("roles") == true)
    settings = AppSettings()
    settings.rules = .roles(
      ClassRoles(KitTodo.self, AccessRole("a", when: .userEmail.equals("a@example.org"))))
    #expect(throws: ServerFailure.self) {
      try RealmServer(
        KitServer.configuration(directory), apps: [AppDefinition("todos", settings: settings)])
    }
  }
}
#endif
