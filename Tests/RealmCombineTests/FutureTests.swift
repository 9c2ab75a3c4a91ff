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

@testable import RealmSwift

private class Visitor: Object {
  @Persisted(primaryKey: true) var id: Int

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@MainActor @Suite(.timeLimit(.minutes(10))) struct FutureTests {
  /// A server that answers each request by its path.
  private final class Answers: RLMNetworkTransport, @unchecked Sendable {
    // @unchecked: all is in locks; a class that can be inherited from is not `Sendable` by itself.
    /// The paths and bodies of what was sent to the provider of passwords.
    let sent = Locked<[String]>([])
    /// Whether calls about accounts are refused.
    let isRefusing = Locked(false)

    static func token(_ level: Int) -> String {
      let payload = Data(
        #"{"exp":4102444800,"iat":1,"user_data":{"level":\#(level),"none":null}}"#.utf8)
      return "e30.\(payload.base64EncodedString().filter { $0 != "=" }).c2ln"
    }

    private static let key =
      #"{"_id":"00000000000000000000000c","key":"secret","name":"robot","disabled":false}"#

    private func answer(_ url: String, isList: Bool) -> String {
      if url.hasSuffix("/location") {
        return #"{"deployment_model":"L","location":"l","hostname":"http://h","#
          + #""ws_hostname":"ws://h"}"#
      } else if url.contains("/login") {
        return #"{"access_token":"\#(Self.token(3))","refresh_token":"\#(Self.token(0))","#
          + #""user_id":"00000000000000000000000b","device_id":"000000000000000000000000"}"#
      } else if url.hasSuffix("/profile") {
        return #"{"identities":[{"id":"i","provider_type":"custom-token"}],"data":{}}"#
      } else if url.hasSuffix("/functions/call") {
        return #"{"sum":{"$numberInt":"3"}}"#
      } else if url.hasSuffix("/api_keys") {
        return isList ? "[\(Self.key)]" : Self.key
      } else if url.contains("/api_keys/") {
        return Self.key
      } else if url.hasSuffix("/session") {
        return #"{"access_token":"\#(Self.token(4))"}"#
      }
      return "{}"
    }

    override func sendRequest(
      toServer request: RLMRequest, completion: @escaping @Sendable (RLMResponse) -> Void
    ) {
      let response = RLMResponse()
      response.httpStatusCode = 200
      response.headers = ["Content-Type": "application/json"]
      response.body = answer(request.url, isList: request.method == .GET)
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

  @Test func callsOfFunctionsArePublished() async throws {
    let user = try await app(Answers()).login(credentials: .jwt(token: "t"))
    let text: @Sendable (AnyBSON) -> String = { "\($0.documentValue?["sum"]??.asInt() ?? 0)" }
    let several: Future<AnyBSON, any Error> = user.functions.sum(1, 2)
    try await expectEqual(several.told(2, text, after: {}), ["3", "end"])
    let array: Future<AnyBSON, any Error> = user.functions.sum([1, 2])
    try await expectEqual(array.told(2, text, after: {}), ["3", "end"])
  }

  @Test func callsAboutKeysAndDevicesArePublished() async throws {
    let app = app(Answers())
    let user = try await app.login(credentials: .jwt(token: "t"))
    let keys = user.apiKeysAuth
    let text: @Sendable (UserAPIKey) -> String = { "\($0.name) \($0.key ?? "-")" }
    let made: Future<UserAPIKey, any Error> = keys.createAPIKey(named: "robot")
    try await expectEqual(made.told(2, text, after: {}), ["robot secret", "end"])
    let id = try ObjectId(string: "00000000000000000000000c")
    let one: Future<UserAPIKey, any Error> = keys.fetchAPIKey(id)
    try await expectEqual(one.told(2, text, after: {}), ["robot secret", "end"])
    let all: Future<[UserAPIKey], any Error> = keys.fetchAPIKeys()
    try await expectEqual(all.told(2, { "\($0.count)" }, after: {}), ["1", "end"])
    let done = ["done", "end"]
    try await expectEqual(end(keys.enableAPIKey(id)), done)
    try await expectEqual(end(keys.disableAPIKey(id)), done)
    try await expectEqual(end(keys.deleteAPIKey(id)), done)
    let push = app.pushClient(serviceName: "s")
    try await expectEqual(end(push.registerDevice(token: "t", user: user)), done)
    try await expectEqual(end(push.deregisterDevice(user: user)), done)
  }

  @Test func anAppTellsOfItsUsers() async throws {
    let app = app(Answers())
    let main: @Sendable (App) -> String = { app in
      "\(Place.isMain) \(app.currentUser == nil ? "nobody" : "somebody")"
    }
    let recorder = Recorder()
    var subscription: AnyCancellable? = app.objectWillChange.recorded(in: recorder, main)
    let user = try await app.login(credentials: .jwt(token: "t"))
    await expectEqual(recorder.wait(for: 1), ["true somebody"])
    app.switch(to: user)
    await expectEqual(recorder.wait(for: 2).count, 2)
    try await user.logOut()
    await expectEqual(recorder.wait(for: 3).last, "true nobody")
    subscription?.cancel()
    subscription = nil
    let place = Place()
    #if canImport(Combine)
    let publisher: AppPublisher = app.objectWillChange.receive(on: place.queue)
    #else
    let publisher: AppPublisher = app.objectWillChange.receive(on: place.queue.ocombine)
    #endif
    let elsewhere = Recorder()
    subscription = publisher.recorded(in: elsewhere) { _ in Place.here }
    try await app.login(credentials: .jwt(token: "t"))
    await expectEqual(elsewhere.wait(for: 1), ["there"])
    await expectEqual(recorder.settled().count, 3)
    subscription?.cancel()
  }

  @Test func aUserTellsOfItsChanges() async throws {
    let user = try await app(Answers()).login(credentials: .jwt(token: "t"))
    let recorder = Recorder()
    let subscription = user.objectWillChange.recorded(in: recorder) { user in
      "\(Place.isMain) \(user.customData["level"]??.asInt() ?? 0) \(user.state)"
    }
    _ = try await user.refreshCustomData() as Document
    await expectEqual(recorder.wait(for: 1), ["true 4 loggedIn"])
    try await user.logOut()
    await expectEqual(recorder.wait(for: 2).last, "true 0 loggedOut")
    subscription.cancel()
  }

  /// Keeps what a publisher hands its subscriber.
  private final class Probe<Input, Failure: Error>: Subscriber {
    var subscription: (any Subscription)?
    var values = 0

    func receive(subscription: any Subscription) { self.subscription = subscription }
    func receive(_ input: Input) -> Subscribers.Demand {
      values += 1
      return .none
    }
    func receive(completion: Subscribers.Completion<Failure>) {}
  }

  @Test func subscriptionsHaveTheirTypes() async throws {
    let app = app(Answers())
    let user = try await app.login(credentials: .jwt(token: "t"))
    let ofApp = Probe<App, Never>()
    app.objectWillChange.subscribe(ofApp)
    let first = try #require(ofApp.subscription as? AppSubscription)
    first.request(.unlimited)
    let ofUser = Probe<User, Never>()
    UserPublisher(user).subscribe(ofUser)
    let second = try #require(ofUser.subscription as? UserSubscription)
    second.request(.unlimited)
    expectTrue(first.combineIdentifier == first.combineIdentifier)
    expectTrue(first.combineIdentifier != second.combineIdentifier)
    first.cancel()
    second.cancel()
    try await user.logOut()
    expectEqual(ofUser.values, 0)
    let directory = try TemporaryDirectory()
    let configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: directory.file("a.realm")), objectTypes: [Visitor.self])
    let opening = Probe<Realm, any Error>()
    Realm.asyncOpen(configuration: configuration).subscribe(opening)
    let third = try #require(opening.subscription as? AsyncOpenSubscription)
    third.request(.unlimited)
    expectTrue(third.combineIdentifier == third.combineIdentifier)
    third.cancel()
    let realm = try await Realm(configuration: configuration)
    let changes = Probe<Void, Never>()
    realm.objectWillChange.subscribe(changes)
    let fourth = try #require(changes.subscription as? ObservationSubscription)
    fourth.request(.unlimited)
    expectTrue(fourth.combineIdentifier != third.combineIdentifier)
    fourth.cancel()
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
