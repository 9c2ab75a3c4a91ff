// SPDX-License-Identifier: Apache-2.0

// Pages of other origins: what they are allowed, by origins, apps and modes.

#if Server
import RealmFormats
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct WebOriginTests {
  @Test(arguments: [
    ("https://app.example.org", "https://app.example.org"),
    ("HTTPS://App.Example.org:443", "https://app.example.org"),
    ("http://localhost:8080", "http://localhost:8080"), ("http://[::1]:80", "http://[::1]"),
    ("capacitor://localhost", "capacitor://localhost"), ("http://127.0.0.1", "http://127.0.0.1"),
  ])
  func originsHaveOneText(_ text: String, _ expected: String) {
    expectEqual(WebOrigin(text)?.text, expected)
  }

  @Test(arguments: [
    "", "null", "*", "localhost", "http://", "://host", "http:/host", "http://a/b", "http://a/",
    "http://a:x", "http://a:70000", "http://a:", "http://a b", "http://user@host", "http://[::1",
    "http://[x]", "1http://a", "http://a?b", "http://ä", "http://a:+80",
  ])
  func othersAreNone(_ text: String) {
    expectEqual(WebOrigin(text), nil)
  }

  /// `WebOrigin` 1
  @Test func onlyNamedOriginsAndThoseOfDevelopmentAreAllowed() {
    let named = AllowedOrigins(["https://app.example.org", "https://x.org:444"])
    expectTrue(named.allow("https://app.example.org"))
    expectTrue(named.allow("https://x.org:444"))
    for other in [
      "http://app.example.org", "https://app.example.org:8443", "https://x.org",
      "https://evil.app.example.org", "https://app.example.org.evil.org", "http://localhost",
      "null", "*", "",
    ] {
      expectFalse(named.allow(other), "\(other)")
    }
    let development = AllowedOrigins(allowsLocal: true)
    for local in [
      "http://localhost", "https://localhost:3000", "http://127.0.0.1:5173", "http://[::1]:80",
      "http://web.localhost:8080",
    ] {
      expectTrue(development.allow(local), "\(local)")
    }
    for other in [
      "http://localhost.evil.org", "http://evil.org", "http://10.0.0.1", "http://notlocalhost",
      "capacitor://localhost", "null",
    ] {
      expectFalse(development.allow(other), "\(other)")
    }
    expectTrue(AllowedOrigins(["*"]).allow("null"))
    expectFalse(AllowedOrigins().allow("http://localhost"))
  }

  // MARK: Requests

  private static let page = "https://app.example.org"

  private static func request(
    _ method: String, _ path: String, origin: String? = page, token: String? = nil,
    asks: Bool = false
  ) -> APIRequest {
    var headers: [(name: String, value: String)] = []
    if let origin { headers.append((name: "origin", value: origin)) }
    if let token { headers.append((name: "authorization", value: "Bearer " + token)) }
    if asks { headers.append((name: "access-control-request-method", value: "POST")) }
    return APIRequest(method, "/api/client/v2.0" + path, headers: headers)
  }

  private static func allowed(_ api: ServerAPI, _ request: APIRequest) -> String? {
    api.originHeaders(request).first { $0.name == "Access-Control-Allow-Origin" }?.value
  }

  @Test func aBrowserIsToldWhichPagesMayCall() async throws {
    let bench = try APIBench()
    let login = try await bench.anonymous()
    bench.app.set(AllowedOrigins([Self.page]))
    for path in [
      "/app/todos/location", "/app/todos/functions/call", "/auth/session", "/auth/api_keys",
      "/app/todos/auth/providers/anon-user/login",
    ] {
      let question = Self.request("OPTIONS", path, asks: true)
      await expectEqual(bench.api.respond(to: question).status, 204, "\(path)")
      let headers = bench.api.originHeaders(question).map { "\($0.name): \($0.value)" }
      expectEqual(
        headers,
        [
          "Vary: Origin", "Access-Control-Allow-Origin: https://app.example.org",
          "Access-Control-Expose-Headers: X-Appservices-Request-Id",
          "Access-Control-Allow-Methods: GET, POST, PUT, DELETE",
          "Access-Control-Allow-Headers: Authorization, Content-Type, Accept",
          "Access-Control-Max-Age: 600",
        ], "\(path)")
      let call = Self.request("POST", path)
      expectEqual(Self.allowed(bench.api, call), Self.page, "\(path)")
      expectEqual(bench.api.originHeaders(call).count, 3)
      // Neither others nor programs that are no pages get a word.
      let other = Self.request("OPTIONS", path, origin: "https://evil.org", asks: true)
      await expectEqual(bench.api.respond(to: other).error, "403 DomainNotAllowed")
      expectEqual(bench.api.originHeaders(other).map(\.name), ["Vary"])
      expectEqual(bench.api.originHeaders(Self.request("GET", path, origin: nil)).count, 0)
    }
    // A page reads that its token is not valid.
    for token in [login.access, login.refresh, "a.b.c", nil] {
      let request = Self.request("GET", "/auth/profile", token: token)
      expectEqual(Self.allowed(bench.api, request), Self.page)
    }
    // Another app has its own pages.
    for path in ["/app/other/location", "/metrics", "/app"] {
      expectEqual(Self.allowed(bench.api, Self.request("GET", path)), nil, "\(path)")
    }
    bench.app.set(AllowedOrigins())
    expectEqual(Self.allowed(bench.api, Self.request("GET", "/app/todos/location")), nil)
  }

  // MARK: Files

  private static func file(_ origins: String, mode: String = "production") throws -> AppFile {
    try AppFile(
      Array(
        #"{"id":"todos","mode":"\#(mode)","sync":"flexible","allowed_origins":\#(origins)}"#.utf8))
  }

  @Test func theFileNamesOrigins() throws {
    let file = try Self.file(#"["https://App.example.org","http://localhost:8080"]"#)
    expectEqual(file.allowedOrigins, ["https://App.example.org", "http://localhost:8080"])
    try expectEqual(AppFile(Array(file.text().utf8)), file)
    let origins = AllowedOrigins(file, in: .production)
    expectTrue(origins.allow("https://app.example.org"))
    expectFalse(origins.allow("http://localhost:3000"))
    let development = AllowedOrigins(try Self.file("[]", mode: "development"), in: .development)
    expectTrue(development.allow("http://localhost:3000"))
    try expectEqual(Self.file(#"["*"]"#).allowedOrigins, ["*"])
  }

  @Test(arguments: [
    #""*""#, #"[1]"#, #"["app.example.org"]"#, #"["https://app.example.org/"]"#,
    #"["https://app.example.org:443"]"#, #"["null"]"#, #"["*.example.org"]"#,
  ])
  func mistakesInOriginsAreNamed(_ origins: String) {
    let error = #expect(throws: AppFileError.self) { try Self.file(origins) }
    #expect(error.map { "\($0)" }?.contains("allowed_origins") == true)
    expectTrue(error?.line != nil)
  }
}
#endif
