// SPDX-License-Identifier: Apache-2.0

// Each call whose result is published, from a device to a server over sockets.

#if Server && (canImport(Combine) || OpenCombine)
#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
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

@MainActor @Suite(.timeLimit(.minutes(10))) struct FutureCallTests {
  private struct NoResult: Error {}

  /// What a future publishes, as a value that can be sent.
  private func value<Output, R: Sendable>(
    _ future: Future<Output, any Error>, _ map: @escaping @Sendable (Output) -> R
  ) async throws -> R {
    let result = Locked<Result<R, any Error>?>(nil)
    let subscription = future.sink(
      receiveCompletion: { @Sendable end in
        if case .failure(let error) = end { result.withLock { $0 = .failure(error) } }
      },
      receiveValue: { @Sendable value in
        let value = map(value)
        result.withLock { $0 = .success(value) }
      })
    defer { subscription.cancel() }
    for _ in 0..<6_000 {
      if let result = result.withLock({ $0 }) { return try result.get() }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw NoResult()
  }

  private func value<R: Sendable>(_ future: Future<R, any Error>) async throws -> R {
    try await value(future) { $0 }
  }

  @Test func callsAboutAccounts() async throws {
    let server = try await RunningServer(
      file: AppCallTests.file(#""local-userpass":{"confirm":"mail"}"#))
    let (app, outbox) = (AppDevice.app(server), Outbox(server))
    let auth = app.emailPasswordAuth
    try await value(auth.registerUser(email: "ann@x.org", password: "secret1"))
    _ = try outbox.take("ann@x.org")
    try await value(auth.resendConfirmationEmail(email: "ann@x.org"))
    let mail = try outbox.take("ann@x.org")
    try await value(auth.confirmUser(mail.token, tokenId: mail.id))
    try await value(auth.sendResetPasswordEmail(email: "ann@x.org"))
    let reset = try outbox.take("ann@x.org")
    try await value(auth.resetPassword(to: "another", token: reset.token, tokenId: reset.id))
    let login: Future<User, any Error> = app.login(
      credentials: .emailPassword(email: "ann@x.org", password: "another"))
    let user = try await value(login)
    expectTrue(user.isLoggedIn)
    expectEqual(app.currentUser, user)
    let refused: Future<User, any Error> = app.login(
      credentials: .emailPassword(email: "ann@x.org", password: "secret1"))
    let error = await #expect(throws: AppError.self) { try await value(refused) }
    expectEqual(error?.code, .invalidPassword)
    try await server.stop()
  }

  @Test func callsThatAskTheProgram() async throws {
    let server = try await RunningServer(
      file: AppCallTests.functionFile, logins: AppCallTests.logins)
    let app = AppDevice.app(server)
    let auth = app.emailPasswordAuth
    try await value(auth.registerUser(email: "ann@x.org", password: "secret1"))
    try await value(auth.retryCustomConfirmation(email: "ann@x.org"))
    try await value(
      auth.callResetPasswordFunction(email: "ann@x.org", password: "another", args: [1]))
    let login: Future<User, any Error> = app.login(
      credentials: .emailPassword(email: "ann@x.org", password: "another"))
    #expect(try await value(login).isLoggedIn)
    try await server.stop()
  }

  @Test func callsOfUsers() async throws {
    let server = try await RunningServer(
      file: AppCallTests.file(#""anon-user":{},"local-userpass":{"confirm":"auto"}"#))
    let other = try await RunningServer(mode: .flexible)
    let app = AppDevice.app(server)
    for name in ["ann", "bob", "eve"] {
      try await value(
        app.emailPasswordAuth.registerUser(email: "\(name)@x.org", password: "secret1"))
    }
    let user = try await app.login(credentials: .anonymous)
    let linked: Future<User, any Error> = user.linkUser(
      credentials: .emailPassword(email: "ann@x.org", password: "secret1"))
    #expect(try await value(linked) === user)
    expectEqual(user.identities.map(\.providerType), ["anon-user", "local-userpass"])
    try await server.accounts.setCustomData(
      .document([BSONElement("level", .int64(3))]), of: user.id)
    let data: Future<[AnyHashable: Any], any Error> = user.refreshCustomData()
    try await expectEqual(value(data) { $0["level"] as? Int }, 3)
    try await value(user.logOut())
    expectEqual(user.state, .loggedOut)
    let bob = try await app.login(
      credentials: .emailPassword(email: "bob@x.org", password: "secret1"))
    try await value(bob.remove())
    expectEqual(bob.state, .removed)
    let eve = try await app.login(
      credentials: .emailPassword(email: "eve@x.org", password: "secret1"))
    let count = try await server.accounts.counts().users
    try await value(eve.delete())
    expectEqual(eve.state, .removed)
    try await expectEqual(server.accounts.counts().users, count - 1)
    try await value(app.updateBaseUrl(to: other.address))
    expectEqual(app.baseURL, other.address)
    try await server.stop()
    try await other.stop()
  }

  @Test func callsOfCollections() async throws {
    let server = try await RunningServer(file: AppCallTests.file(#""anon-user":{}"#))
    let user = try await AppDevice(server, "ann").user
    let todos = user.mongoClient("mongodb-atlas").database(named: "db")
      .collection(withName: "Todo")
    let id: Future<AnyBSON, any Error> = todos.insertOne(["name": "a"])
    #expect(try await value(id).objectIdValue != nil)
    let ids: Future<[AnyBSON], any Error> = todos.insertMany([["name": "b"], ["name": "c"]])
    try await expectEqual(value(ids).count, 2)
    let found: Future<[Document], any Error> = todos.find(
      filter: [:], options: FindOptions(2, nil, [["name": -1]]))
    try await expectEqual(value(found).map { $0["name"]??.stringValue }, ["c", "b"])
    let one: Future<Document?, any Error> = todos.findOneDocument(filter: ["name": "b"])
    try await expectEqual(value(one)?["name"], .some("b"))
    let groups: Future<[Document], any Error> = todos.aggregate(pipeline: [["$count": "n"]])
    try await expectEqual(value(groups).count, 1)
    let count: Future<Int, any Error> = todos.count(filter: [:], limit: 2)
    try await expectEqual(value(count), 2)
    let set: Document = ["$set": ["owner": "x"]]
    let first: Future<UpdateResult, any Error> = todos.updateOneDocument(
      filter: ["name": "d"], update: set, upsert: true)
    #expect(try await value(first) { $0.documentId != nil })
    let all: Future<UpdateResult, any Error> = todos.updateManyDocuments(filter: [:], update: set)
    try await expectEqual(value(all) { $0.matchedCount }, 4)
    let before: Future<Document?, any Error> = todos.findOneAndUpdate(
      filter: ["name": "a"], update: ["$set": ["name": "z"]])
    try await expectEqual(value(before)?["name"], .some("a"))
    let after: Future<Document?, any Error> = todos.findOneAndReplace(
      filter: ["name": "z"], replacement: ["name": "y"],
      options: FindOneAndModifyOptions(nil, [], false, true))
    // What the replacement lacks has its default, and is there.
    try await expectEqual(value(after)?["owner"], .some(""))
    let gone: Future<Document?, any Error> = todos.findOneAndDelete(filter: ["name": "y"])
    try await expectEqual(value(gone)?["name"], .some("y"))
    let deleted: Future<Int, any Error> = todos.deleteOneDocument(filter: ["name": "b"])
    try await expectEqual(value(deleted), 1)
    let rest: Future<Int, any Error> = todos.deleteManyDocuments(filter: [:])
    try await expectEqual(value(rest), 2)
    let refused: Future<Int, any Error> = todos.count(filter: ["$where": 1])
    await #expect(throws: AppError.self) { try await value(refused) }
    try await server.stop()
  }
}
#endif
