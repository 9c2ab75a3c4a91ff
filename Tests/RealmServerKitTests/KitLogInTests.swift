// SPDX-License-Identifier: Apache-2.0

// Logins, registrations and new passwords by functions.

#if Server
import Foundation
import RealmServerKit
import RealmSwift
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

struct KitLogInTests {
  private struct Ticket: Codable, Sendable {
    let name: String
    let word: String
  }

  private struct Broken: Error {}

  @Test func aFunctionLogsUsersIn() async throws {
    var settings = AppSettings()
    settings.logIns = []
    var app = AppDefinition("todos", settings: settings)
    app.logIn { (ticket: Ticket) in
      if ticket.word == "broken" { throw Broken() }
      guard ticket.word == "sesame" else { return nil }
      return LogInProof(id: ticket.name, data: ["name": .string(ticket.name), "id": "ignored"])
    }
    app.function("me") { call -> Document in
      guard let user = call.user else { return [:] }
      return [
        "id": .string(user.id), "name": user.data["name"] ?? nil,
        "providers": .array(user.providers.map { .string($0) }), "isServer": .bool(user.isServer),
        "email": user.email.map { .string($0) }, "custom": user.customData.map { .document($0) },
      ]
    }
    try await KitServer.run(app) { server in
      func logIn(_ payload: Document, _ device: String) async throws -> User {
        try await server.user(.function(payload: payload), device: device)
      }
      let ann = try await logIn(["name": "ann", "word": "sesame"], "a")
      expectTrue(ann.profile.name == "ann")
      #expect(try await logIn(["name": "ann", "word": "sesame"], "b").id == ann.id)
      #expect(try await logIn(["name": "bob", "word": "sesame"], "c").id != ann.id)
      let me = try await ann.call("me", []).documentValue ?? [:]
      expectEqual(me["id"], .some(.string(ann.id)))
      expectEqual(me["name"], .some("ann"))
      expectTrue(me["providers"] == .some(.array(["custom-function"])))
      expectEqual(me["isServer"], .some(false))
      expectEqual(me["email"], .some(nil))
      for payload: Document in [["name": "x", "word": "y"], ["other": 1], [:]] {
        #expect(await KitServer.error { try await logIn(payload, "d") }?.code == .authError)
      }
      #expect(
        await KitServer.error { try await logIn(["name": "x", "word": "broken"], "e") }?.code
          == .internalServerError)
      await #expect(throws: AppError.self) { try await server.user(device: "f") }
    }
  }

  @Test func functionsDecideAboutAddresses() async throws {
    let requests = Mutex<[AddressRequest]>([])
    var settings = AppSettings()
    settings.logIns = [.emailPassword()]
    var app = AppDefinition("todos", settings: settings)
    app.confirm { request in
      requests.withLock { $0.append(request) }
      return request.email.hasPrefix("ann") ? .success : .fail
    }
    app.resetPassword { request in
      requests.withLock { $0.append(request) }
      return request.arguments == ["please"] ? .success : .pending
    }
    try await KitServer.run(app) { server in
      let emails = server.app().emailPasswordAuth
      try await emails.registerUser(email: "ann@example.org", password: "secret-1")
      await #expect(throws: AppError.self) {
        try await emails.registerUser(email: "bob@example.org", password: "secret-1")
      }
      _ = try await server.user(.emailPassword(email: "ann@example.org", password: "secret-1"))
      try await emails.callResetPasswordFunction(
        email: "ann@example.org", password: "secret-2", args: ["please"])
      _ = try await server.user(
        .emailPassword(email: "ann@example.org", password: "secret-2"), device: "other")
      let seen = requests.withLock { $0 }
      expectTrue(seen.map(\.email) == ["ann@example.org", "bob@example.org", "ann@example.org"])
      #expect(seen.allSatisfy { !$0.token.isEmpty && !$0.tokenID.isEmpty })
      expectTrue(seen.map(\.hasPassword) == [nil, nil, false])
    }
  }
}
#endif
