// SPDX-License-Identifier: Apache-2.0

// P1 A.1: pages of the web, whose browsers ask before a request, and hand answers over to pages of
// the app's origins alone.

#if Server
import RealmFormats
import RealmText
import TestExtensions
import Testing

extension DeployedClientTests {
  private static let page = "https://app.example.org"

  private static func allowed(_ answer: DeployedClient.Answer) -> [String] {
    answer.values("access-control-allow-origin")
  }

  private static func start(_ members: String) async throws -> (RunningServer, DeployedClient) {
    let server = try await RunningServer(
      file: #"{"id":"todos","sync":"flexible","providers":{"anon-user":{}},\#(members)}"#)
    return (server, try await DeployedClient(server))
  }

  @Test func pagesOfAnAppCallItAndOthersDoNot() async throws {
    let (server, client) = try await Self.start(
      #""mode":"development","allowed_origins":["\#(Self.page)"]"#)
    let login = try await client.logIn()
    // Development mode lets pages of this machine in, too.
    for origin in [Self.page, "http://localhost:8080"] {
      let question = try await client.request(
        "OPTIONS", "/app/todos/functions/call",
        headers: [
          "Origin: \(origin)", "Access-Control-Request-Method: POST",
          "Access-Control-Request-Headers: authorization,content-type",
        ])
      expectEqual(question.status, "HTTP/1.1 204 No Content")
      expectEqual(Self.allowed(question), [origin])
      expectEqual(question.values("content-type"), [])
      expectEqual(
        question.values("access-control-allow-headers"), ["Authorization, Content-Type, Accept"])
      let location = try await client.request(
        "GET", "/app/todos/location", headers: ["Origin: \(origin)"])
      expectEqual(Self.allowed(location), [origin])
      // A page sees that its session is over, and that it has to log in.
      let ended = try await client.request(
        "POST", "/auth/session", token: "junk", headers: ["Origin: \(origin)"])
      Self.expectJSON(ended, "401 Unauthorized")
      expectEqual(Self.allowed(ended), [origin])
    }
    let refused = try await client.request(
      "OPTIONS", "/app/todos/functions/call",
      headers: ["Origin: https://evil.org", "Access-Control-Request-Method: POST"])
    Self.expectJSON(refused, "403 Forbidden")
    expectEqual(Self.allowed(refused), [])
    let profile = try await client.request(
      "GET", "/auth/profile", token: login.accessToken, headers: ["Origin: https://evil.org"])
    expectEqual(Self.allowed(profile), [])
    await client.leave()
    try await server.stop()
  }

  @Test func streamsAndSocketsAreForPagesOfTheAppToo() async throws {
    let (server, client) = try await Self.start(
      #""mode":"production","allowed_origins":["\#(Self.page)"]"#)
    let login = try await client.logIn()
    let call =
      #"{"name":"watch","service":"mongodb-atlas","#
      + #""arguments":[{"database":"d","collection":"Todo"}]}"#
    let query = Base64.encode(Array(call.utf8)).replacing("=", with: "%3D")
      .replacing("+", with: "%2B").replacing("/", with: "%2F")
    for (origin, isAllowed) in [(Self.page, true), ("http://localhost:8080", false)] {
      let reader = try await DeployedClient(server)
      let stream = try await reader.request(
        "GET", "/app/todos/functions/call?baas_request=\(query)&baas_at=\(login.accessToken)",
        headers: ["Origin: \(origin)"])
      expectEqual(stream.status, "HTTP/1.1 200 OK")
      expectEqual(stream.values("content-type"), ["text/event-stream"])
      expectEqual(Self.allowed(stream), isAllowed ? [origin] : [])
      await reader.leave()
    }
    // The page of the server's own address, as some clients name it, and no page at all.
    for (headers, status) in [
      (["Origin: \(Self.page)"], "101 Switching Protocols"),
      (["Origin: http://\(client.address)"], "101 Switching Protocols"),
      ([], "101 Switching Protocols"),
      (["Origin: https://evil.org"], "403 Forbidden"), (["Origin: null"], "403 Forbidden"),
    ] {
      let (answer, _) = try await client.handshake(
        DeployedClient.flexible, token: login.accessToken, headers: headers)
      expectEqual(answer.status, "HTTP/1.1 \(status)", "\(headers)")
    }
    await client.leave()
    try await server.stop()
  }
}
#endif
