// SPDX-License-Identifier: Apache-2.0

// Who gets an answer of a page, and who does not.

#if Tools || Server
import RealmFormats
import TestExtensions
import Testing

@testable import RealmPages

struct PageGuardTests {
  private let page = TestPage()

  private static let targets = ["/", "/app.js", "/api/files", "/nowhere"]

  @Test func thePageItselfGetsAnswers() async {
    await expectEqual(page.status("GET", "/"), 200)
    await expectEqual(page.status("POST", "/api/edit"), 200)
    await expectEqual(page.status("GET", "/") { $0.headers["host"] = "localhost:4711" }, 200)
  }

  /// `PageGuard` 1
  @Test(arguments: targets, ["GET", "POST"])
  func withoutTheTokenNothingIsSent(_ target: String, _ method: String) async {
    let name = page.access.cookieName(TestPage.port)
    for cookie in [nil, "", "\(name)=", "\(name)=0", "other=\(page.access.token)"] {
      var request = page.request(method, target)
      request.headers["cookie"] = cookie
      let response = await page.respond(to: request)
      expectEqual(response.status, 401)
      #expect(!response.headers.contains { $0.name == "Set-Cookie" })
      guard case .bytes(let bytes) = response.body, let json = try? JSONParser.parse(bytes) else {
        Issue.record("the refusal is no JSON")
        continue
      }
      expectEqual(json["remedy"]?.string?.contains("'realm test' prints"), true)
    }
  }

  /// `PageGuard` 1
  @Test func theTokenOfTheAddressBecomesACookieThatScriptsCannotRead() async {
    var request = page.request("GET", "/?token=\(page.access.token)")
    request.headers["cookie"] = nil
    let response = await page.respond(to: request)
    expectEqual(response.status, 200)
    let cookie = response.headers.first { $0.name == "Set-Cookie" }?.value
    expectEqual(
      cookie, "realm-test-4711=\(page.access.token); Path=/; HttpOnly; SameSite=Strict")
    // Elsewhere an address is no place for the token: it would be written to histories and logs.
    request.path = ["api", "files"]
    await expectEqual(page.respond(to: request).status, 401)
  }

  @Test func aProgramGivesTheTokenInAHeader() async {
    await expectEqual(
      page.status("POST", "/api/edit") {
        ($0.headers["cookie"], $0.headers["origin"]) = (nil, nil)
        $0.headers["x-realm-test-token"] = page.access.token
      }, 200)
  }

  /// `PageGuard` 2 and 3
  @Test(arguments: [
    ("host", ["evil.example:4711", "127.0.0.1", "127.0.0.1:80", "", "localhost.evil:4711"]),
    ("origin", ["http://evil.example", "null", "http://127.0.0.1:80", "https://127.0.0.1:4711"]),
    ("sec-fetch-site", ["cross-site", "same-site"]),
  ])
  func otherHostsOriginsAndSitesAreRefused(_ name: String, _ values: [String]) async {
    for value in values {
      for (method, target) in [("GET", "/"), ("GET", "/app.js"), ("POST", "/api/edit")] {
        await expectEqual(page.status(method, target) { $0.headers[name] = value }, 403, "\(value)")
      }
    }
  }

  @Test(arguments: ["POST", "PUT", "DELETE"])
  func aFormOfAnotherPageChangesNothing(_ method: String) async {
    await expectEqual(page.status(method, "/a") { $0.headers["content-type"] = "text/plain" }, 403)
    await expectEqual(page.status(method, "/a") { $0.headers["content-type"] = nil }, 403)
    await expectEqual(page.status(method, "/a") { $0.headers["origin"] = nil }, 403)
  }

  @Test func tokensAreLongAndDiffer() {
    var random = SystemRandomNumberGenerator()
    let first = PageGuard(name: "a", command: "a", random: &random)
    let second = PageGuard(name: "a", command: "a", random: &random)
    expectEqual(first.token.utf8.count, 64)
    expectTrue(first.token != second.token)
    expectTrue(first.isToken(first.token))
    expectFalse(first.isToken(second.token))
    expectFalse(first.isToken(String(first.token.dropLast())))
  }

  @Test func everyAnswerForbidsWhatThePageDoesNotNeed() async throws {
    var responses: [PageResponse] = []
    for target in Self.targets {
      responses.append(await page.respond(to: page.request("GET", target)))
    }
    var request = page.request("GET", "/")
    request.headers["cookie"] = nil
    responses.append(await page.respond(to: request))
    for response in responses {
      let headers = Dictionary(response.headers.map { ($0.name, $0.value) }) { _, last in last }
      let policy = try #require(headers["Content-Security-Policy"])
      expectTrue(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
      expectFalse(policy.contains("unsafe"))
      expectEqual(headers["X-Content-Type-Options"], "nosniff")
      expectEqual(headers["Cache-Control"], "no-store")
    }
  }

  @Test func largeBodiesAreRefused() async {
    let body = [UInt8](repeating: 0, count: page.bodyByteCountMax + 1)
    await expectEqual(page.respond(to: page.request("POST", "/a", body)).status, 413)
    await expectEqual(
      page.respond(to: page.request("POST", "/a", body.dropLast())).status, 200)
    // Who may not ask learns nothing of limits.
    var request = page.request("POST", "/a", body)
    request.headers["cookie"] = nil
    await expectEqual(page.respond(to: request).status, 401)
  }

  @Test func aPageHasItsFilesAndNothingElse() {
    let files = PageFiles(["index.html": "i", "a.js": "a", "a.css": "c", "a.svg": "s", "x": "x"])
    func type(_ path: [String]) -> String? {
      files.response(path)?.headers.first { $0.name == "Content-Type" }?.value
    }
    expectEqual(type([]), "text/html; charset=utf-8")
    expectEqual(type(["a.js"]), "text/javascript; charset=utf-8")
    expectEqual(type(["a.css"]), "text/css; charset=utf-8")
    expectEqual(type(["a.svg"]), "image/svg+xml")
    for path in [["nothing.js"], ["index"], ["index.html", ""], [".."], ["x"], [""]] {
      expectEqual(type(path), nil, "\(path)")
    }
  }

  @Test func requestsAreDecodedOnce() {
    let request = PageRequest("GET", "/api/a%2Fb/%252e?q=1+2%2B3&q=4&n&=x#", port: 1)
    expectEqual(request.path, ["api", "a/b", "%2e"])
    expectEqual(request.parameters["q"], "4")
    expectEqual(request.parameters["n"], "")
    expectEqual(PageRequest("GET", "/?a=1+2%2B3", port: 1).parameters, ["a": "1 2+3"])
  }
}
#endif
