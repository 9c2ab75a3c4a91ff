// SPDX-License-Identifier: Apache-2.0

// Each call of an app about its accounts and users, from a device to a server over sockets: as
// `async` function and with a block.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSwift
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct AppCallTests {
  static func file(_ providers: String) -> String {
    #"{"id":"todos","mode":"development","sync":"flexible","providers":{\#(providers)}}"#
  }

  /// A program that confirms addresses at the second time, and all new passwords.
  static var logins: LoginFunctions {
    let known = Locked<Set<String>>([])
    var logins = LoginFunctions()
    logins["confirm"] = { arguments in
      let name = arguments[0]["username"].map { "\($0)" } ?? ""
      let isNew = known.withLock { $0.insert(name).inserted }
      return .document([BSONElement("status", .string(isNew ? "pending" : "success"))])
    }
    logins["reset"] = { _ in .document([BSONElement("status", .string("success"))]) }
    return logins
  }

  static let functionFile = file(
    #""local-userpass":{"confirm":"function","confirm_function":"confirm","#
      + #""reset":"function","reset_function":"reset"}"#)

  /// The error of a call with a block.
  nonisolated(nonsending) private static func error(
    _ call: (@escaping @Sendable ((any Error)?) -> Void) -> Void
  ) async -> (any Error)? {
    await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }
  }

  /// The result of a call with a block.
  nonisolated(nonsending) private static func value<R: Sendable>(
    _ call: (@escaping @Sendable (Result<R, any Error>) -> Void) -> Void
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      call { continuation.resume(with: $0) }
    }
  }

  private static func code(_ error: (any Error)?) -> AppError.Code? { (error as? AppError)?.code }

  // MARK: Accounts with passwords

  @Test func addressesAreConfirmedAndPasswordsChangedByMails() async throws {
    let server = try await RunningServer(file: Self.file(#""local-userpass":{"confirm":"mail"}"#))
    let (app, outbox) = (AppDevice.app(server), Outbox(server))
    let auth = app.emailPasswordAuth
    try await auth.registerUser(email: "ann@x.org", password: "secret1")
    #expect(
      await Self.error {
        auth.registerUser(email: "bob@x.org", password: "secret1", completion: $0)
      } == nil)
    for name in ["ann@x.org", "bob@x.org"] {
      let early = await #expect(throws: AppError.self) {
        try await app.login(credentials: .emailPassword(email: name, password: "secret1"))
      }
      expectEqual(early?.code, .invalidPassword)
      _ = try outbox.take(name)
    }
    try await auth.resendConfirmationEmail("ann@x.org")
    #expect(
      await Self.error { auth.resendConfirmationEmail("bob@x.org", completion: $0) } == nil)
    let (ann, bob) = (try outbox.take("ann@x.org"), try outbox.take("bob@x.org"))
    try await auth.confirmUser(ann.token, tokenId: ann.id)
    #expect(
      Self.code(
        await Self.error { auth.confirmUser(ann.token, tokenId: bob.id, completion: $0) }) != nil)
    #expect(
      await Self.error { auth.confirmUser(bob.token, tokenId: bob.id, completion: $0) } == nil)
    try await app.login(credentials: .emailPassword(email: "ann@x.org", password: "secret1"))
    let credentials = Credentials.emailPassword(email: "bob@x.org", password: "secret1")
    let user: User = try await Self.value { app.login(credentials: credentials, $0) }
    expectTrue(user.isLoggedIn)
    expectEqual(app.currentUser, user)
    expectEqual(app.allUsers.count, 2)

    try await auth.sendResetPasswordEmail("ann@x.org")
    #expect(await Self.error { auth.sendResetPasswordEmail("bob@x.org", completion: $0) } == nil)
    let (first, second) = (try outbox.take("ann@x.org"), try outbox.take("bob@x.org"))
    try await auth.resetPassword(to: "another", token: first.token, tokenId: first.id)
    #expect(
      await Self.error {
        auth.resetPassword(to: "another", token: second.token, tokenId: second.id, completion: $0)
      } == nil)
    for name in ["ann@x.org", "bob@x.org"] {
      try await app.login(credentials: .emailPassword(email: name, password: "another"))
    }
    let failed: Result<User, any Error> = await withCheckedContinuation { continuation in
      app.login(credentials: credentials) { continuation.resume(returning: $0) }
    }
    guard case .failure(let error) = failed else { return #expect(Bool(false), "the old password") }
    expectEqual(Self.code(error), .invalidPassword)
    try await server.stop()
  }

  @Test func addressesAreConfirmedAndPasswordsChangedByTheProgram() async throws {
    let server = try await RunningServer(file: Self.functionFile, logins: Self.logins)
    let app = AppDevice.app(server)
    let auth = app.emailPasswordAuth
    for name in ["ann@x.org", "bob@x.org"] {
      try await auth.registerUser(email: name, password: "secret1")
    }
    try await auth.retryCustomConfirmation("ann@x.org")
    #expect(await Self.error { auth.retryCustomConfirmation("bob@x.org", completion: $0) } == nil)
    for name in ["ann@x.org", "bob@x.org"] {
      try await app.login(credentials: .emailPassword(email: name, password: "secret1"))
    }
    try await auth.callResetPasswordFunction(
      email: "ann@x.org", password: "another", args: ["a word", 2])
    #expect(
      await Self.error {
        auth.callResetPasswordFunction(
          email: "bob@x.org", password: "another", args: [], $0)
      } == nil)
    for name in ["ann@x.org", "bob@x.org"] {
      try await app.login(credentials: .emailPassword(email: name, password: "another"))
    }
    try await server.stop()
  }

  // MARK: Users

  @Test func usersHaveTheirDataAndAreLinked() async throws {
    let server = try await RunningServer(
      file: Self.file(
        """
        "anon-user":{},"local-userpass":{"confirm":"auto"},
        "custom-token":{"algorithm":"HS256","keys":[{"secret":"\(TestIssuer.secret)"}],
          "metadata_fields":[{"name":"name"}]}
        """))
    let app = AppDevice.app(server)
    try await app.emailPasswordAuth.registerUser(email: "ann@x.org", password: "secret1")
    let user = try await app.login(credentials: .anonymous)
    expectEqual(user.identities.map(\.providerType), ["anon-user"])
    #expect(user.identities.allSatisfy { !$0.identifier.isEmpty })
    expectTrue(user.profile.metadata.isEmpty)
    expectTrue(user.customData.isEmpty)
    let token = try TestIssuer().token(TestClaims(name: "Ann"), .hs256)
    try await expectEqual(user.linkUser(credentials: .jwt(token: token)), user)
    let linked: User = try await Self.value {
      user.linkUser(
        credentials: .emailPassword(email: "ann@x.org", password: "secret1"), $0)
    }
    expectTrue(linked === user)
    expectEqual(
      user.identities.map(\.providerType), ["anon-user", "custom-token", "local-userpass"])
    expectEqual(user.profile.name, "Ann")
    expectEqual(user.profile.email, "ann@x.org")

    try await server.accounts.setCustomData(
      .document([BSONElement("level", .int64(3))]), of: user.id)
    try await expectEqual(user.refreshCustomData(), ["level": 3])
    expectEqual(user.customData, ["level": 3])
    try await server.accounts.setCustomData(
      .document([BSONElement("level", .int64(4))]), of: user.id)
    let level = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Int?, any Error>) in
      user.refreshCustomData { continuation.resume(with: $0.map { $0["level"] as? Int }) }
    }
    expectEqual(level, 4)
    expectEqual(user.customData, ["level": 4])
    expectTrue(user.accessToken != nil)
    expectTrue(user.refreshToken != nil)
    expectEqual(app.appId, server.app)
    try await server.stop()
  }

  @Test func usersLeaveInAllWays() async throws {
    let server = try await RunningServer(
      file: Self.file(#""local-userpass":{"confirm":"auto"}"#))
    let app = AppDevice.app(server)
    let names = (0..<6).map { "user\($0)@x.org" }
    var users: [User] = []
    for name in names {
      try await app.emailPasswordAuth.registerUser(email: name, password: "secret1")
      users.append(
        try await app.login(credentials: .emailPassword(email: name, password: "secret1")))
    }
    expectTrue(app.switch(to: users[0]) == users[0])
    expectEqual(app.currentUser, users[0])
    expectEqual(Set(app.allUsers.keys), Set(users.map(\.id)))
    let sessions = try await server.accounts.counts().sessions
    try await users[0].logOut()
    #expect(await Self.error { users[1].logOut(completion: $0) } == nil)
    expectEqual(users[0].state, .loggedOut)
    expectEqual(users[1].state, .loggedOut)
    try await users[2].remove()
    #expect(await Self.error { users[3].remove(completion: $0) } == nil)
    expectEqual(users[2].state, .removed)
    expectEqual(users[3].state, .removed)
    // All of them are logged out at the server, which keeps the users.
    try await expectEqual(server.accounts.counts().sessions, sessions - 4)
    try await expectEqual(server.accounts.counts().users, 6)
    try await users[4].delete()
    #expect(await Self.error { users[5].delete(completion: $0) } == nil)
    expectEqual(users[4].state, .removed)
    expectEqual(users[5].state, .removed)
    try await expectEqual(server.accounts.counts().users, 4)
    for name in names[4...] {
      let gone = await #expect(throws: AppError.self) {
        try await app.login(credentials: .emailPassword(email: name, password: "secret1"))
      }
      expectEqual(gone?.code, .invalidPassword)
    }
    #expect(
      try await app.login(credentials: .emailPassword(email: names[0], password: "secret1"))
        === users[0])
    try await server.stop()
  }

  // MARK: The app

  @Test @MainActor func anAppFindsItsServerElsewhere() async throws {
    let server = try await RunningServer(mode: .partition)
    let other = try await RunningServer(mode: .partition)
    let app = AppDevice.app(server)
    try await app.login(credentials: .anonymous)
    try await app.updateBaseUrl(to: other.address)
    expectEqual(app.baseURL, other.address)
    let there = try await other.accounts.counts().users
    try await app.emailPasswordAuth.registerUser(email: "ann@x.org", password: "secret1")
    try await app.login(credentials: .emailPassword(email: "ann@x.org", password: "secret1"))
    try await expectEqual(other.accounts.counts().users, there + 1)
    #expect(await Self.error { app.updateBaseUrl(to: server.address, $0) } == nil)
    expectEqual(app.baseURL, server.address)
    let refused = await #expect(throws: AppError.self) {
      try await app.login(credentials: .emailPassword(email: "ann@x.org", password: "secret1"))
    }
    expectEqual(refused?.code, .invalidPassword)
    try await server.stop()
    try await other.stop()
  }

  @Test @MainActor func sessionsOfAUserAreFound() async throws {
    let server = try await RunningServer(mode: .partition)
    let device = try await AppDevice(server, "ann")
    expectTrue(device.user.allSessions.isEmpty)
    let realm = try await Realm(
      configuration: device.configuration("home"), actor: MainActor.shared,
      downloadBeforeOpen: .always)
    let session = try #require(device.user.session(forPartitionValue: "home"))
    expectEqual(session.parentUser(), device.user)
    expectEqual(session.state, .active)
    expectEqual(device.user.allSessions.count, 1)
    expectEqual(device.user.session(forPartitionValue: "other"), nil)
    try await realm.asyncWrite { realm.add(Todo(value: ["name": "a"])) }
    try await session.wait(for: .upload)
    try await server.stop()
  }

  // MARK: Push messages

  @Test func devicesAreRegisteredWithBlocks() async throws {
    let web = try await TestWebServer()
    web.answer("/push", "")
    let secret = String(repeating: "w", count: 32)
    let server = try await RunningServer(
      mode: .flexible,
      file: #"{"id":"todos","mode":"development","sync":"flexible","providers":{"anon-user":{}},"#
        + #""push":[{"service":"apns","webhook":"\#(web.address)/push","secret":"\#(secret)"}]}"#,
      functions: .notifying(with: .null))
    let device = try await AppDevice(server, "ann")
    let (user, push) = (device.user, device.app.pushClient(serviceName: "apns"))
    let id = AnyBSON.string(user.id)
    #expect(await Self.error { push.registerDevice(token: "t", user: user, completion: $0) } == nil)
    try await expectEqual(user.functions.notify([id]), 1)
    #expect(await Self.error { push.deregisterDevice(user: user, completion: $0) } == nil)
    let count: AnyBSON = try await Self.value { user.functions.notify([id], $0) }
    expectEqual(count, 0)
    let unknown = device.app.pushClient(serviceName: "gcm")
    #expect(
      Self.code(
        await Self.error { unknown.registerDevice(token: "t", user: user, completion: $0) })
        != nil)
    try await server.stop()
    try await web.stop()
  }

  // MARK: Streams

  private final class Delegate: ChangeEventDelegate, Sendable {
    let events = AsyncStream.makeStream(of: String.self)

    func changeStreamDidOpen(_ changeStream: ChangeStream) { events.continuation.yield("open") }
    func changeStreamDidReceive(changeEvent: AnyBSON?) {
      let name = changeEvent?.documentValue?["fullDocument"]??.documentValue?["name"]
      events.continuation.yield(name??.stringValue ?? "none")
    }
    func changeStreamDidReceive(error: any Error) { events.continuation.yield("error") }
    func changeStreamDidClose(with error: (any Error)?) {
      events.continuation.yield(error == nil ? "closed" : "failed")
    }
  }

  /// Streams of some documents, and of what matches a condition.
  @Test func delegatesGetTheEventsTheyAskFor() async throws {
    let server = try await RunningServer(file: Self.file(#""anon-user":{}"#))
    let user = try await AppDevice(server, "ann").user
    let todos = user.mongoClient("mongodb-atlas").database(named: "db")
      .collection(withName: "Todo")
    let ids = (0..<3).map { _ in ObjectId.generate() }
    let (some, matching, refused) = (Delegate(), Delegate(), Delegate())
    let queue = DispatchQueue(label: "events")
    let first = todos.watch(filterIds: [ids[1]], delegate: some, queue: queue)
    let second = todos.watch(
      matchFilter: ["fullDocument.owner": "x"], delegate: matching, queue: queue)
    var (ofSome, ofMatching) = (
      some.events.stream.makeAsyncIterator(), matching.events.stream.makeAsyncIterator()
    )
    await expectEqual(ofSome.next(), "open")
    await expectEqual(ofMatching.next(), "open")
    for (number, id) in ids.enumerated() {
      _ = try await todos.insertOne([
        "_id": .objectId(id), "name": .string("\(number)"), "owner": number == 2 ? "x" : "y",
      ])
    }
    await expectEqual(ofSome.next(), "1")
    await expectEqual(ofMatching.next(), "2")
    first.close()
    second.close()
    await expectEqual(ofSome.next(), "closed")
    await expectEqual(ofMatching.next(), "closed")
    let third = todos.watch(matchFilter: ["$where": 1], delegate: refused, queue: queue)
    var ofRefused = refused.events.stream.makeAsyncIterator()
    #expect(["error", "failed"].contains(await ofRefused.next()))
    third.close()
    try await server.stop()
  }
}
#endif
