// SPDX-License-Identifier: Apache-2.0

// Transports of programs' own, and builds without networking.

#if Sync
import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct CustomTransportTests {
  /// Answers logins, or fails, and keeps what it was sent.
  private final class Transport: RLMNetworkTransport {
    struct Sent {
      var method: RLMHTTPMethod
      var url: String
      var headers: [String: String]
      var body: String
      var timeout: Double
    }

    let sent = Locked<[Sent]>([])
    private let answer: @Sendable (String) -> (status: Int, custom: Int, body: String)

    init(_ answer: @escaping @Sendable (String) -> (status: Int, custom: Int, body: String)) {
      self.answer = answer
    }

    override func sendRequest(
      toServer request: RLMRequest, completion: @escaping RLMNetworkTransportCompletionBlock
    ) {
      sent.withLock {
        $0.append(
          Sent(
            method: request.method, url: request.url, headers: request.headers, body: request.body,
            timeout: request.timeout))
      }
      let response = RLMResponse()
      (response.httpStatusCode, response.customStatusCode, response.body) = answer(request.url)
      response.headers = ["Content-Type": "application/json"]
      completion(response)
      // A second call changes nothing.
      completion(response)
    }
  }

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func app(_ transport: Transport?) -> App {
    let configuration = AppConfiguration(
      baseURL: "http://custom", transport: transport, defaultRequestTimeoutMS: 5_000)
    configuration.directory = directory.path
    return App(id: "app-\(UUID().uuidString)", configuration: configuration)
  }

  @Test func requestsGoThroughTheTransport() async throws {
    let token = "e30." + Data(#"{"exp":4102444800,"iat":1}"#.utf8).base64EncodedString() + ".c2ln"
    let transport = Transport { url in
      if url.hasSuffix("/location") {
        return (
          200, 0,
          #"{"deployment_model":"LOCAL","location":"x","hostname":"http://other","#
            + #""ws_hostname":"ws://other"}"#
        )
      } else if url.hasSuffix("/login") {
        return (
          200, 0,
          #"{"access_token":"\#(token)","refresh_token":"\#(token)","#
            + #""user_id":"000000000000000000000001","device_id":"000000000000000000000000"}"#
        )
      }
      return (
        200, 0,
        #"{"user_id":"000000000000000000000001","domain_id":"x","type":"normal","#
          + #""identities":[{"id":"1","provider_type":"local-userpass"}],"#
          + #""data":{"email":"a@b.c"}}"#
      )
    }
    let user = try await app(transport).login(
      credentials: .emailPassword(email: "a@b.c", password: "secret"))
    expectEqual(user.id, "000000000000000000000001")
    expectEqual(user.profile.email, "a@b.c")
    let sent = transport.sent.withLock { $0 }
    expectEqual(sent.first?.method, .GET)
    expectEqual(sent.first?.url.hasPrefix("http://custom/"), true)
    let login = try #require(sent.first { $0.url.hasSuffix("/providers/local-userpass/login") })
    expectEqual(login.method, .POST)
    expectTrue(login.url.hasPrefix("http://other/"))
    expectEqual(login.timeout, 5)
    expectTrue(login.body.contains("secret"))
    expectTrue(login.body.contains("a@b.c"))
    let profile = try #require(sent.first { $0.url.hasSuffix("/auth/profile") })
    expectEqual(profile.headers["Authorization"], "Bearer \(token)")
  }

  /// The class itself does what the library does without a transport.
  @Test func aTransportWithoutOverridesSendsRequests() async throws {
    let request = RLMRequest()
    // Nobody listens there.
    (request.method, request.url, request.timeout) = (.GET, "http://127.0.0.1:9/location", 30)
    let answer = await withCheckedContinuation {
      (continuation: CheckedContinuation<(Int, Int, String), Never>) in
      RLMNetworkTransport().sendRequest(toServer: request) { response in
        continuation.resume(
          returning: (response.httpStatusCode, response.customStatusCode, response.body))
      }
    }
    expectEqual(answer.0, 0)
    expectTrue(answer.1 != 0)
    expectFalse(answer.2.isEmpty)
  }

  @Test func refusalsAndFailuresAreErrors() async throws {
    let refusing = Transport { _ in
      (401, 0, #"{"error":"invalid username/password","error_code":"InvalidPassword"}"#)
    }
    await #expect(throws: AppError.self) { try await app(refusing).login(credentials: .anonymous) }
    do {
      try await app(refusing).login(credentials: .emailPassword(email: "a", password: "b"))
    } catch AppError.invalidPassword {
      // As it must be.
    }
    do {
      try await app(Transport { _ in (0, 1004, "no route") }).login(credentials: .anonymous)
      Issue.record("nobody answered")
    } catch let error as AppError {
      expectEqual(error.code, .httpRequestFailed)
      expectTrue(error.message.contains("no route"))
    }
  }
}
#endif
