// SPDX-License-Identifier: Apache-2.0

// Accounts, users and functions, with a transport that the test answers.

#if Sync
import Foundation
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

@testable import RealmSwift

struct AccountTests {
  /// Answers requests by the end of their address, and keeps them.
  private final class Answers: RLMNetworkTransport, @unchecked Sendable {
    // @unchecked: all is in locks; a class that can be inherited from is not `Sendable` by itself.
    let bodies = Locked<[String: String]>([:])
    private let texts: [String: String]

    init(_ texts: [String: String] = [:]) { self.texts = texts }

    override func sendRequest(
      toServer request: RLMRequest, completion: @escaping @Sendable (RLMResponse) -> Void
    ) {
      let name = Answers.name(request.url)
      bodies.withLock { $0[name] = request.body }
      let response = RLMResponse()
      response.httpStatusCode = 200
      response.headers = ["Content-Type": "application/json"]
      response.body = texts[name] ?? Answers.usual[name] ?? "{}"
      completion(response)
    }

    private static func name(_ url: String) -> String {
      for root in ["/providers/local-userpass/", "/auth/", "/app/a/"] {
        if let range = url.range(of: root) {
          let rest = String(url[range.upperBound...])
          if !rest.hasPrefix("providers") { return rest }
          return String(rest.dropFirst("providers/".count))
        }
      }
      return url
    }

    static func token(_ data: String) -> String {
      let payload = Base64.encode(Array(#"{"exp":4102444800,"iat":1,"user_data":\#(data)}"#.utf8))
      return "e30." + payload.filter { $0 != "=" } + ".c2ln"
    }

    private static var login: String {
      #"{"access_token":"\#(token(#"{"level":3}"#))","refresh_token":"\#(token("{}"))","#
        + #""user_id":"00000000000000000000000b","device_id":"000000000000000000000000"}"#
    }

    private static var usual: [String: String] {
      [
        "location":
          #"{"deployment_model":"L","location":"l","hostname":"http://h","ws_hostname":"ws://h"}"#,
        "login": login, "custom-function/login": login, "anon-user/login": login,
        "custom-token/login": login, "oauth2-apple/login": login, "oauth2-google/login": login,
        "oauth2-facebook/login": login, "api-key/login": login,
        "custom-token/login?link=true": login,
        "profile":
          #"{"identities":[{"id":"i","provider_type":"local-userpass"}],"data":{"name":"Ann","#
          + #""email":"a@b.c","picture_url":"http://p","first_name":"A","last_name":"B","#
          + #""gender":"f","birthday":"1","min_age":"2","max_age":"3"}}"#,
        "session": #"{"access_token":"\#(token(#"{"level":4}"#))"}"#,
        "functions/call": #"{"sum":{"$numberInt":"3"}}"#,
      ]
    }
  }

  private static func app(_ answers: Answers) throws -> (App, TemporaryDirectory) {
    let directory = try TemporaryDirectory()
    let configuration = AppConfiguration(
      baseURL: "http://\(UUID().uuidString.lowercased())", transport: answers,
      defaultRequestTimeoutMS: 5_000)
    configuration.directory = directory.path
    return (App(id: "a", configuration: configuration), directory)
  }

  private func error(
    _ call: (@escaping @Sendable ((any Error)?) -> Void) -> Void
  ) async -> (any Error)? {
    await withCheckedContinuation { continuation in
      call { continuation.resume(returning: $0) }
    }
  }

  private func value<R: Sendable>(
    _ call: (@escaping @Sendable (Result<R, any Error>) -> Void) -> Void
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      call { continuation.resume(with: $0) }
    }
  }

  @Test func accountsWithPasswords() async throws {
    let answers = Answers()
    let (app, _) = try Self.app(answers)
    let accounts = app.emailPasswordAuth
    try await accounts.registerUser(email: "a@b.c", password: "p")
    expectEqual(answers.bodies.withLock { $0["register"] }, #"{"email":"a@b.c","password":"p"}"#)
    try await accounts.confirmUser("t", tokenId: "i")
    try await accounts.resendConfirmationEmail("a@b.c")
    try await accounts.retryCustomConfirmation("a@b.c")
    try await accounts.sendResetPasswordEmail("a@b.c")
    try await accounts.resetPassword(to: "q", token: "t", tokenId: "i")
    try await accounts.callResetPasswordFunction(email: "a@b.c", password: "q", args: [1])
    expectEqual(
      answers.bodies.withLock { $0["reset/call"] },
      #"{"email":"a@b.c","password":"q","arguments":[{"$numberLong":"1"}]}"#)
    let errors = [
      await error { accounts.registerUser(email: "a@b.c", password: "p", completion: $0) },
      await error { accounts.confirmUser("t", tokenId: "i", completion: $0) },
      await error { accounts.resendConfirmationEmail("a@b.c", completion: $0) },
      await error { accounts.retryCustomConfirmation("a@b.c", completion: $0) },
      await error { accounts.sendResetPasswordEmail("a@b.c", completion: $0) },
      await error { accounts.resetPassword(to: "q", token: "t", tokenId: "i", completion: $0) },
      await error {
        accounts.callResetPasswordFunction(email: "a@b.c", password: "q", args: [], $0)
      },
    ]
    #expect(errors.allSatisfy { $0 == nil })
  }

  @Test func aUserHasAProfile() async throws {
    let (app, _) = try Self.app(Answers())
    let user = try await app.login(credentials: .emailPassword(email: "a@b.c", password: "p"))
    let profile = user.profile
    expectEqual(profile.name, "Ann")
    expectEqual(profile.email, "a@b.c")
    expectEqual(profile.pictureURL, URL(string: "http://p"))
    expectEqual(profile.firstName, "A")
    expectEqual(profile.lastName, "B")
    expectEqual(profile.gender, "f")
    expectEqual(profile.birthday, "1")
    expectEqual(profile.minAge, "2")
    expectEqual(profile.maxAge, "3")
    expectEqual(profile.metadata.count, 9)
    expectEqual(user.identities, [UserIdentity(providerType: "local-userpass", identifier: "i")])
    expectEqual(user.identities.first?.identifier, "i")
    expectEqual(user.id, "00000000000000000000000b")
    expectEqual(app.allUsers[user.id], user)
    expectTrue(user.accessToken != nil)
    expectTrue(user.refreshToken != nil)
    expectEqual(user.customData, ["level": 3])
    try await expectEqual(user.refreshCustomData(), ["level": 4])
    let data = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Int?, any Error>) in
      user.refreshCustomData { continuation.resume(with: $0.map { $0["level"] as? Int }) }
    }
    expectEqual(data, 4)
    expectTrue(user.allSessions.isEmpty)
    expectTrue(user.session(forPartitionValue: "p") == nil)
    expectEqual(app.appId, "a")
    expectEqual(app.configuration.defaultRequestTimeoutMS, 5_000)
    expectEqual(Set([user, user]).count, 1)
  }

  @Test(arguments: [
    Credentials.facebook(accessToken: "t"), .google(serverAuthCode: "c"), .googleId(token: "t"),
    .apple(idToken: "t"), .jwt(token: "t"), .function(payload: ["a": 1]), .userAPIKey("k"),
    .serverAPIKey("k"), .anonymous,
  ])
  func allCredentialsLogIn(_ credentials: Credentials) async throws {
    let (app, _) = try Self.app(Answers())
    let user: User = try await value { app.login(credentials: credentials, $0) }
    expectTrue(user.isLoggedIn)
    expectEqual(app.currentUser, user)
  }

  @Test func functionsAreCalledByTheirNames() async throws {
    let answers = Answers()
    let (app, _) = try Self.app(answers)
    let user = try await app.login(credentials: .anonymous)
    let result = try await user.functions.sum([1, 2])
    expectEqual(result, ["sum": .int32(3)])
    expectEqual(
      answers.bodies.withLock { $0["functions/call"] },
      #"{"arguments":[{"$numberLong":"1"},{"$numberLong":"2"}],"name":"sum"}"#)
    let other: AnyBSON = try await value { done in
      user.functions.sum([1], done)
    }
    expectEqual(other, result)
    func arguments() -> String? {
      answers.bodies.withLock { $0["functions/call"] }?.components(separatedBy: ",\"name\"").first
    }
    try await expectEqual(user.functions.sum(1, "b"), result)
    expectEqual(arguments(), #"{"arguments":[{"$numberLong":"1"},"b"]"#)
    try await expectEqual(user.functions.sum(), result)
    expectEqual(arguments(), #"{"arguments":[]"#)
    try await expectEqual(user.functions.sum(["a", "b"], 1), result)
    expectEqual(arguments(), #"{"arguments":[["a","b"],{"$numberLong":"1"}]"#)
    try await expectEqual(user.functions.sum(["a"], ["b"]), result)
    expectEqual(arguments(), #"{"arguments":[["a"],["b"]]"#)
    try await expectEqual(user.functions.sum(["a": 1]), result)
    expectEqual(arguments(), #"{"arguments":[{"a":{"$numberLong":"1"}}]"#)
    let third: AnyBSON = try await value { done in
      user.functions.sum([2]) { (value: AnyBSON?, error: (any Error)?) in
        done(value.map { .success($0) } ?? .failure(error ?? CancellationError()))
      }
    }
    expectEqual(third, result)
    expectEqual(arguments(), #"{"arguments":[{"$numberLong":"2"}]"#)
  }

  @Test func devicesAreRegisteredForPushMessages() async throws {
    let answers = Answers()
    let (app, _) = try Self.app(answers)
    let user = try await app.login(credentials: .anonymous)
    let push = app.pushClient(serviceName: "my apns")
    expectEqual(push.serviceName, "my apns")
    try await push.registerDevice(token: "t", user: user)
    let path = "push/providers/my%20apns/registration"
    expectEqual(answers.bodies.withLock { $0[path] }, #"{"registrationToken":"t"}"#)
    try await push.deregisterDevice(user: user)
    expectEqual(answers.bodies.withLock { $0[path] }, "")
    #expect(await error { push.registerDevice(token: "u", user: user, completion: $0) } == nil)
    expectEqual(answers.bodies.withLock { $0[path] }, #"{"registrationToken":"u"}"#)
    #expect(await error { push.deregisterDevice(user: user, completion: $0) } == nil)
    try await user.logOut()
    await #expect(throws: AppError.self) { try await push.registerDevice(token: "t", user: user) }
  }

  @Test func usersLeave() async throws {
    let (app, _) = try Self.app(Answers())
    let credentials = Credentials.emailPassword(email: "a@b.c", password: "p")
    let user = try await app.login(credentials: credentials)
    try await expectEqual(user.linkUser(credentials: .jwt(token: "t")), user)
    let linked: User = try await value {
      user.linkUser(credentials: .jwt(token: "t"), $0)
    }
    expectEqual(linked, user)
    expectEqual(app.switch(to: user), user)
    #expect(await error { user.logOut(completion: $0) } == nil)
    expectEqual(user.state, .loggedOut)
    expectFalse(user.isLoggedIn)
    _ = try await app.login(credentials: credentials)
    expectTrue(user.isLoggedIn)
    try await user.remove()
    expectEqual(user.state, .removed)
    let second = try await app.login(credentials: credentials)
    #expect(await error { second.remove(completion: $0) } == nil)
    let third = try await app.login(credentials: credentials)
    try await third.delete()
    expectEqual(third.state, .removed)
    let fourth = try await app.login(credentials: credentials)
    #expect(await error { fourth.delete(completion: $0) } == nil)
    expectTrue(app.allUsers.isEmpty)
  }

  @Test func settingsOfTheNetwork() throws {
    let directory = try TemporaryDirectory()
    var proxy = NetworkSettings.Proxy(host: "proxy.example.org", port: 3128)
    proxy.username = "ann"
    proxy.password = "secret"
    var network = NetworkSettings()
    expectEqual(network.route, NetworkRoute())
    network.proxy = proxy
    network.additionalTrustRoots = "pem"
    expectEqual(network, NetworkSettings(proxy: proxy, additionalTrustRoots: "pem"))
    let configuration = AppConfiguration(
      baseURL: "http://\(UUID().uuidString.lowercased())", transport: Answers())
    configuration.directory = directory.path
    configuration.network = network
    let settings = App(id: "a", configuration: configuration).configuration.network
    expectEqual(settings.proxy?.host, "proxy.example.org")
    expectEqual(settings.proxy?.port, 3128)
    expectEqual(settings.proxy?.username, "ann")
    expectEqual(settings.proxy?.password, "secret")
    expectEqual(settings.additionalTrustRoots, "pem")
    expectEqual(
      settings.route,
      NetworkRoute(
        proxy: .init(
          host: "proxy.example.org", port: 3128,
          credentials: .init(name: "ann", password: "secret")),
        additionalTrustRoots: Array("pem".utf8)))
  }

  @Test func settingsHaveTheirDefaults() throws {
    let id = "defaults-\(UUID().uuidString)"
    let configuration = App(id: id).configuration
    expectEqual(configuration.baseURL, "https://services.cloud.mongodb.com")
    expectEqual(configuration.defaultRequestTimeoutMS, 60_000)
    expectTrue(configuration.transport == nil)
    expectTrue(configuration.enableSessionMultiplexing)
    expectTrue(configuration.encryptionKey == nil)
    let times = configuration.syncTimeouts
    expectEqual(times.connectTimeout, 120_000)
    expectEqual(times.connectionLingerTime, 30_000)
    expectEqual(times.pingKeepalivePeriod, 60_000)
    expectEqual(times.pongKeepaliveTimeout, 120_000)
    expectEqual(times.fastReconnectLimit, 60_000)
    let manager = App(id: id).syncManager
    expectTrue(manager.errorHandler == nil)
    expectTrue(manager.userAgent == nil)
    expectTrue(manager.authorizationHeaderName == nil)
    expectTrue(manager.customRequestHeaders == nil)
    let other = AppConfiguration(enableSessionMultiplexing: false)
    expectTrue(!App(id: id + "2", configuration: other).configuration.enableSessionMultiplexing)
  }

  @Test func settingsOfSessions() throws {
    let (app, _) = try Self.app(Answers())
    let manager = app.syncManager
    manager.userAgent = "Todos/1"
    manager.customRequestHeaders = ["X-Key": "v"]
    manager.authorizationHeaderName = "X-Auth"
    expectEqual(manager.userAgent, "Todos/1")
    expectEqual(manager.customRequestHeaders, ["X-Key": "v"])
    expectEqual(manager.authorizationHeaderName, "X-Auth")
    expectEqual(manager.appID, "a")
    expectEqual(manager.headers.map(\.name), ["User-Agent", "X-Key"])
    expectTrue(manager.headers[0].value.hasSuffix(" Todos/1"))
    manager.customRequestHeaders = ["X-Key": "v", "host": "x", "Sec-WebSocket-Key": "y"]
    expectEqual(manager.customHeaders, [HTTPHeader("X-Key", "v")])
    let options = SyncTimeoutOptions()
    options.connectTimeout = 1
    options.connectionLingerTime = 2
    options.pingKeepalivePeriod = 3_000
    options.pongKeepaliveTimeout = 4
    options.fastReconnectLimit = 5
    manager.timeoutOptions = options
    let read = manager.timeoutOptions
    expectEqual(read.connectTimeout, 1)
    expectEqual(read.connectionLingerTime, 2)
    expectEqual(read.pingKeepalivePeriod, 3_000)
    expectEqual(read.pongKeepaliveTimeout, 4)
    expectEqual(read.fastReconnectLimit, 5)
    let errors = Locked(0)
    manager.errorHandler = { _, session in errors.withLock { $0 += session == nil ? 1 : 0 } }
    manager.errorHandler?(AppError(.unknown, ""), nil)
    expectEqual(errors.withLock { $0 }, 1)
    expectEqual(App(id: "b").appId, "b")
  }

  @Test func errorsNameTheirCauses() {
    expectEqual(AppError.Code.allCases.count, 29)
    let codes: [AppError.Code] = [
      AppError.unknown, AppError.httpRequestFailed, AppError.invalidSession, AppError.badRequest,
      AppError.userNotFound, AppError.userAppDomainMismatch, AppError.domainNotAllowed,
      AppError.readSizeLimitExceeded, AppError.invalidParameter, AppError.missingParameter,
      AppError.functionExecutionError, AppError.internalServerError,
      AppError.authProviderNotFound, AppError.valueNotFound, AppError.valueAlreadyExists,
      AppError.valueDuplicateName, AppError.functionNotFound, AppError.functionSyntaxError,
      AppError.functionInvalid, AppError.apiKeyAlreadyExists, AppError.executionTimeLimitExceeded,
      AppError.notCallable, AppError.userAlreadyConfirmed, AppError.userDisabled,
      AppError.authError, AppError.accountNameInUse, AppError.invalidPassword,
      AppError.maintenanceInProgress, AppError.mongoDBError,
    ]
    expectEqual(codes, AppError.Code.allCases)
    expectEqual(codes.map(\.rawValue), [-1] + Array(1...28))
    let failure = AppFailure.service(
      name: "InvalidPassword", message: "no", status: 401, logURL: "http://l")
    let error = AppError.of(failure) as? AppError
    expectEqual(error?.code, .invalidPassword)
    expectEqual(error?.message, "no")
    expectEqual(error?.httpStatusCode, 401)
    expectEqual(error?.logURL, URL(string: "http://l"))
    expectEqual(error?.errorDescription, "no")
    let sync: [SyncError.Code] = [
      SyncError.clientSessionError, SyncError.clientUserError, SyncError.clientInternalError,
      SyncError.clientResetError, SyncError.underlyingAuthError, SyncError.permissionDeniedError,
      SyncError.invalidFlexibleSyncSubscriptions, SyncError.writeRejected,
      SyncError.connectionFailed, SyncError.tlsHandshakeFailed, SyncError.serverWarning,
    ]
    expectEqual(sync.map(\.rawValue), Array(4...14))
    let move = FileAction(movingFrom: "/x", to: "/backup")
    let reset = SyncError(
      .clientResetError, "gone", protocolCode: 208, token: .init(action: move, app: nil))
    expectEqual(reset.clientResetInfo()?.0, "/backup")
    expectTrue(reset.deleteRealmUserInfo() == nil)
    expectEqual(reset.message, "gone")
    expectEqual(reset.errorDescription, "gone")
    expectTrue(reset.serverLogURL == nil)
    expectTrue(reset.compensatingWriteInfo == nil)
    let deletion = FileAction(deleting: "/y")
    let denied = SyncError(.permissionDeniedError, "", token: .init(action: deletion, app: nil))
    expectTrue(denied.deleteRealmUserInfo() != nil)
    expectTrue(denied.clientResetInfo() == nil)
    let info = CompensatingWriteInfo(
      RejectedUpdate(reason: "r", table: "Todo", key: .string("k")))
    expectEqual(info.objectType, "Todo")
    expectEqual(info.reason, "r")
    expectEqual(info.primaryKey, .string("k"))
  }
}
#endif
