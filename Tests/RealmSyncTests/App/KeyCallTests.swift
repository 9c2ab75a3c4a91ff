// SPDX-License-Identifier: Apache-2.0

// The calls about API keys, with a server that a test writes.

import RealmFormats
import RealmStorage
import RealmSync
import RealmSyncProtocol
import TestExtensions
import Testing

struct KeyCallTests {
  private static let path = "/api/client/v2.0/app/todos/auth/api_keys"

  private static func user(
    _ transport: ScriptedTransport
  ) async throws -> (client: AppClient, user: AppUser) {
    let client = AppClient(
      forgetting: AppSettings(id: "todos", baseURL: "http://server"), transport: transport)
    return (client, try await client.logIn(.anonymous))
  }

  @Test func callsHaveTheRefreshToken() async throws {
    let transport = ScriptedTransport.withAnonymousUser()
    let (client, user) = try await Self.user(transport)
    transport.set(
      "POST " + Self.path,
      [.json(#"{"_id":"0123456789abcdef01234567","key":"k","name":"n","disabled":false}"#)])
    transport.set("GET " + Self.path, [.json(#"[{"_id":"a","name":"n","disabled":true}]"#)])
    let made = try await client.makeKey(named: "n", of: user)
    expectEqual(made.id, "0123456789abcdef01234567")
    expectEqual(made.key, "k")
    expectFalse(made.isDisabled)
    let keys = try await client.keys(of: user)
    expectEqual(keys.map(\.isDisabled), [true])
    expectEqual(keys.map(\.key), [nil])
    let token = try #require(user.record.refreshToken?.text)
    let requests = transport.requests(Self.path)
    expectEqual(requests.map(\.method), [.post, .get])
    #expect(
      requests.allSatisfy { $0.headers.contains(HTTPHeader("Authorization", "Bearer " + token)) })
    expectEqual(requests.first.map { String(decoding: $0.body, as: UTF8.self) }, #"{"name":"n"}"#)
  }

  /// P1 A.2
  @Test func aRefusedRefreshTokenLogsTheUserOut() async throws {
    let transport = ScriptedTransport.withAnonymousUser()
    let (client, user) = try await Self.user(transport)
    transport.set("GET " + Self.path, [HTTPResponse(status: 404), HTTPResponse(status: 401)])
    await #expect(throws: AppFailure.status(404)) { try await client.keys(of: user) }
    expectTrue(user.isLoggedIn)
    await #expect(throws: AppFailure.status(401)) { try await client.keys(of: user) }
    expectFalse(user.isLoggedIn)
    // There was no second try.
    expectEqual(transport.requests(Self.path).count, 2)
  }

  @Test func answersThatAreNoKeysAreErrors() async throws {
    let transport = ScriptedTransport.withAnonymousUser()
    let (client, user) = try await Self.user(transport)
    for answer in ["{}", "[{}]", #"[{"_id":"a","name":"n"}]"#, "3"] {
      transport.set("GET " + Self.path, [.json(answer)])
      await #expect(throws: AppFailure.self, "\(answer)") { try await client.keys(of: user) }
    }
  }
}
