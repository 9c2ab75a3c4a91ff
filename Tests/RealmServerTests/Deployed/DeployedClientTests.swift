// SPDX-License-Identifier: Apache-2.0

// What a deployed app needs of its server (P1 G, items 1 to 7), played to the byte over real
// sockets. Item 1: the requests of HTTP. The others are in extensions.

#if Server
import Foundation
import RealmFormats
import TestExtensions
import Testing

/// The side of an app that cannot be changed any more.
@Suite(.timeLimit(.minutes(10))) struct DeployedClientTests {
  /// The headers of a canonical answer: the exact content type, the size, and no encoding.
  static func expectJSON(
    _ answer: DeployedClient.Answer, _ status: String, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(answer.status == "HTTP/1.1 \(status)", sourceLocation: location)
    #expect(answer.values("content-type") == ["application/json"], sourceLocation: location)
    expectEqual(answer.values("content-length"), ["\(answer.body.utf8.count)"])
    #expect(answer.values("transfer-encoding").isEmpty, sourceLocation: location)
  }

  /// Compares a text with a pattern.
  static func expectMatch(
    _ text: String, _ pattern: String, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(Pattern.parts(of: text, pattern) != nil, "\(text)", sourceLocation: location)
  }

  /// The document in the middle of a token.
  static func payload(_ token: String) throws -> JSONValue {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    try #require(parts.count == 3)
    let text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
    let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
    return try JSONParser.parse(Array(try #require(Data(base64Encoded: String(padded)))))
  }

  @Test func locationNamesBothAddresses() async throws {
    let server = try await RunningServer()
    let client = try await DeployedClient(server)
    let answer = try await client.request("GET", "/app/todos/location")
    Self.expectJSON(answer, "200 OK")
    expectEqual(
      answer.body,
      #"{"deployment_model":"GLOBAL","location":"US-VA","#
        + #""hostname":"http://\#(client.address)","ws_hostname":"ws://\#(client.address)"}"#)
    let unknown = try await client.request("GET", "/app/other/location")
    Self.expectJSON(unknown, "404 Not Found")
    Self.expectMatch(
      unknown.body,
      #"{"error":"cannot find app using Client App ID 'other'","#
        + #""error_code":"BadRequest","link":"*"}"#)
    await client.leave()
    try await server.stop()
  }

  @Test func loginProfileRefreshAndLogoutFollowOnOneConnection() async throws {
    let server = try await RunningServer()
    let client = try await DeployedClient(server)
    let login = try await client.request(
      "POST", "/app/todos/auth/providers/anon-user/login", body: client.loginBody())
    Self.expectJSON(login, "200 OK")
    let parts = try #require(
      Pattern.parts(
        of: login.body,
        #"{"access_token":"*","refresh_token":"*","user_id":"*","device_id":"*"}"#))
    for id in parts[2...] {
      expectEqual(id.count, 24)
      #expect(id.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    }

    let profile = try await client.request("GET", "/auth/profile", token: parts[0])
    Self.expectJSON(profile, "200 OK")
    let identity = try #require(
      Pattern.parts(
        of: profile.body,
        #"{"user_id":"\#(parts[2])","domain_id":"todos","type":"normal","#
          + #""identities":[{"id":"*","provider_type":"anon-user"}],"data":{}}"#))
    expectFalse(identity[0].isEmpty)

    let refresh = try await client.request("POST", "/auth/session", token: parts[1])
    Self.expectJSON(refresh, "200 OK")
    let token = try #require(Pattern.parts(of: refresh.body, #"{"access_token":"*"}"#))[0]
    let payload = try Self.payload(token)
    let issued = try #require(payload["iat"]?.integer)
    expectEqual(payload["exp"]?.integer, issued + 30 * 60)

    let logout = try await client.request("DELETE", "/auth/session", token: parts[1])
    expectEqual(logout.status, "HTTP/1.1 204 No Content")
    expectTrue(logout.body.isEmpty)
    let refused = try await client.request("POST", "/auth/session", token: parts[1])
    Self.expectJSON(refused, "401 Unauthorized")
    Self.expectMatch(
      refused.body, #"{"error":"invalid session","error_code":"InvalidSession","link":"*"}"#)
    await client.leave()
    try await server.stop()
  }

  @Test func aDeviceKeepsItsIdentifier() async throws {
    let server = try await RunningServer()
    let client = try await DeployedClient(server)
    let first = try await client.logIn()
    let second = try await client.logIn(device: first.device)
    expectEqual(second.device, first.device)
    expectTrue(second.user != first.user)
    let zeros = String(repeating: "0", count: 24)
    expectTrue(first.device != zeros)
    await client.leave()
    try await server.stop()
  }
}
#endif
