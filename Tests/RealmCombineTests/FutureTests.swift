// SPDX-License-Identifier: Apache-2.0

// Calls of an app whose results are published.

#if Sync && (canImport(Combine) || OpenCombine)
#if canImport(Combine)
import Combine
#else
import OpenCombine
import OpenCombineDispatch
#endif
import Foundation
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

import RealmSwift

private class Visitor: Object {
  @Persisted(primaryKey: true) var id: Int

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@MainActor @Suite(.timeLimit(.minutes(10))) struct FutureTests {
  /// A server that answers each request by its path.
  private final class Answers: RLMNetworkTransport, Sendable {
    /// The paths and bodies of what was sent to the provider of passwords.
    let sent = Locked<[String]>([])
    /// Whether calls about accounts are refused.
    let isRefusing = Locked(false)

    static func token(_ level: Int) -> String {
      let payload = Data(
        #"{"exp":4102444800,"iat":1,"user_data":{"level":\#(level),"none":null}}"#.utf8)
      return "e30.\(payload.base64EncodedString().filter { $0 != "=" }).c2ln"
    }

    private func answer(_ url: String) -> String {
      if url.hasSuffix("/location") {
        return #"{"deployment_model":"L","location":"l","hostname":"http://h","#
          + #""ws_hostname":"ws://h"}"#
      } else if url.contains("/login") {
        return #"{"access_token":"\#(Self.token(3))","refresh_token":"\#(Self.token(0))","#
          + #""user_id":"00000000000000000000000b","device_id":"000000000000000000000000"}"#
      } else if url.hasSuffix("/profile") {
        return #"{"identities":[{"id":"i","provider_type":"custom-token"}],"data":{}}"#
      } else if url.hasSuffix("/session") {
        return #"{"access_token":"\#(Self.token(4))"}"#
      }
      return "{}"
    }

    func sendRequest(
      toServer request: RLMRequest, completion: @escaping @Sendable (RLMResponse) -> Void
    ) {
      let response = RLMResponse()
      response.httpStatusCode = 200
      response.headers = ["Content-Type": "application/json"]
      response.body = answer(request.url)
      if let range = request.url.range(of: "/local-userpass/") {
        sent.withLock { $0.append("\(request.url[range.upperBound...]) \(request.body)") }
        if isRefusing.withLock({ $0 }) {
          response.httpStatusCode = 401
          response.body = #"{"error":"no","error_code":"InvalidPassword"}"#
        }
      }
      completion(response)
    }
  }

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func app(_ answers: Answers) -> App {
    let configuration = AppConfiguration(baseURL: "http://first", transport: answers)
    configuration.directory = directory.path
    return App(id: "app-\(UUID().uuidString)", configuration: configuration)
  }

  /// What a call without result publishes.
  private func end(_ future: Future<Void, any Error>) async throws -> [String] {
    try await future.told(2, { _ in "done" }, after: {})
  }

  @Test func aLoginIsPublished() async throws {
    let app = app(Answers())
    let future: Future<User, any Error> = app.login(credentials: .jwt(token: "t"))
    let id: @Sendable (User) -> String = { $0.id }
    try await expectEqual(future.told(2, id, after: {}), ["00000000000000000000000b", "end"])
    // The call was made once, for all subscribers.
    try await expectEqual(future.told(2, id, after: {}), ["00000000000000000000000b", "end"])
    expectEqual(app.currentUser?.isLoggedIn, true)
    try await expectEqual(end(app.updateBaseUrl(to: "http://second")), ["done", "end"])
    expectEqual(app.baseURL, "http://second")
    let refused: Future<Void, any Error> = app.updateBaseUrl(to: "second")
    let texts = try await refused.told(1, { _ in "done" }, after: {})
    expectEqual(texts.first?.hasPrefix("error"), true)
  }

  @Test func callsAboutAccountsArePublished() async throws {
    let answers = Answers()
    let accounts = app(answers).emailPasswordAuth
    let done = ["done", "end"]
    try await expectEqual(end(accounts.registerUser(email: "a@b.c", password: "p")), done)
    try await expectEqual(end(accounts.confirmUser("t", tokenId: "i")), done)
    try await expectEqual(end(accounts.resendConfirmationEmail(email: "a@b.c")), done)
    try await expectEqual(end(accounts.retryCustomConfirmation(email: "a@b.c")), done)
    try await expectEqual(end(accounts.sendResetPasswordEmail(email: "a@b.c")), done)
    try await expectEqual(end(accounts.resetPassword(to: "q", token: "t", tokenId: "i")), done)
    try await expectEqual(
      end(
        accounts.callResetPasswordFunction(email: "a@b.c", password: "q", args: [1])), done)
    let paths = answers.sent.withLock { $0.map { $0.prefix { $0 != " " } } }
    expectEqual(
      paths,
      [
        "register", "confirm", "confirm/send", "confirm/call", "reset/send", "reset", "reset/call",
      ])
    expectEqual(answers.sent.withLock { $0[0] }, #"register {"email":"a@b.c","password":"p"}"#)
    answers.isRefusing.withLock { $0 = true }
    let refused: Future<Void, any Error> = accounts.confirmUser("t", tokenId: "i")
    let code = Locked<AppError.Code?>(nil)
    let subscription = refused.sink(
      receiveCompletion: { @Sendable end in
        if case .failure(let error as AppError) = end { code.withLock { $0 = error.code } }
      }, receiveValue: { @Sendable _ in })
    for _ in 0..<6_000 where code.withLock({ $0 }) == nil {
      try await Task.sleep(for: .milliseconds(5))
    }
    subscription.cancel()
    expectEqual(code.withLock { $0 }, .invalidPassword)
  }

  @Test func callsOfAUserArePublished() async throws {
    let app = app(Answers())
    let user = try await app.login(credentials: .jwt(token: "t"))
    let linked: Future<User, any Error> = user.linkUser(credentials: .jwt(token: "u"))
    try await expectEqual(linked.told(2, { $0.id }, after: {}), [user.id, "end"])
    let data: Future<[AnyHashable: Any], any Error> = user.refreshCustomData()
    let text: @Sendable ([AnyHashable: Any]) -> String = {
      "\($0["level"] as? Int ?? 0) \($0["none"] is NSNull)"
    }
    try await expectEqual(data.told(2, text, after: {}), ["4 true", "end"])
    try await expectEqual(end(user.logOut()), ["done", "end"])
    expectEqual(user.state, .loggedOut)
    let second = try await app.login(credentials: .jwt(token: "t"))
    try await expectEqual(end(second.remove()), ["done", "end"])
    expectEqual(second.state, .removed)
    let third = try await app.login(credentials: .jwt(token: "t"))
    try await expectEqual(end(third.delete()), ["done", "end"])
    expectEqual(third.state, .removed)
    expectTrue(app.allUsers.isEmpty)
  }

  @Test func subscriptionsAreChangedAtOnceAndPublishedWhenTheyAreComplete() async throws {
    let server = MemoryAppServer(
      app: "future-\(UUID().uuidString)", mode: .flexible, directory: directory.path + "/server")
    let configuration = AppConfiguration(baseURL: "http://memory")
    configuration.requests = server
    configuration.socketProvider = server
    configuration.directory = directory.path + "/client"
    let app = App(id: server.id, configuration: configuration)
    let user = try await app.login(credentials: .anonymous)
    var opened = user.flexibleSyncConfiguration()
    opened.objectTypes = [Visitor.self]
    let realm = try await Realm(configuration: opened, actor: MainActor.shared)
    let set = realm.subscriptions
    let future = set.updateSubscriptions { set.append(QuerySubscription<Visitor>(name: "all")) }
    expectEqual(set.count, 1)
    let here: @Sendable (()) -> String = { _ in "\(Place.isMain)" }
    try await expectEqual(future.told(2, here, after: {}), ["true", "end"])
    expectEqual(set.state, .complete)
  }
}
#endif
