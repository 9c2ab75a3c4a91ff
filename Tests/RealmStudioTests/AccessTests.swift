// SPDX-License-Identifier: Apache-2.0

// Who gets an answer, and who does not.

#if Tools
import RealmFormats
import TestExtensions
import Testing

@testable import RealmStudio

struct AccessTests {
  private func status(
    _ target: String = "/api/files", _ method: String = "GET",
    _ change: (inout StudioRequest) -> Void
  ) async throws -> Int {
    let studio = try await TestStudio()
    var request = studio.request(method, target)
    change(&request)
    return await studio.service.respond(to: request).status
  }

  @Test func thePageOfStudioGetsAnswers() async throws {
    try await expectEqual(status { _ in }, 200)
  }

  /// `AccessGuard` 1.
  @Test(arguments: ["/", "/app.js", "/api/files", "/api/events", "/api/files/0/schema"])
  func withoutTheTokenNothingIsSent(_ target: String) async throws {
    let studio = try await TestStudio()
    for cookie in [nil, "", "realm-studio-4711=", "realm-studio-4711=0", "other=1"] {
      var request = studio.request("GET", target)
      request.headers["cookie"] = cookie
      let response = await studio.service.respond(to: request)
      expectEqual(response.status, 401)
      #expect(!response.headers.contains { $0.name == "Set-Cookie" })
    }
  }

  /// `AccessGuard` 1.
  @Test func theTokenOfTheAddressBecomesACookieThatScriptsCannotRead() async throws {
    let studio = try await TestStudio()
    var request = studio.request("GET", "/?token=\(studio.service.access.token)")
    request.headers["cookie"] = nil
    let response = await studio.service.respond(to: request)
    expectEqual(response.status, 200)
    let cookie = response.headers.first { $0.name == "Set-Cookie" }?.value
    expectEqual(cookie?.contains("HttpOnly; SameSite=Strict"), true)
    expectEqual(cookie?.contains(studio.service.access.token), true)
    // Elsewhere an address is no place for the token: it would be written to histories and logs.
    request.path = "/api/files"
    await expectEqual(studio.service.respond(to: request).status, 401)
  }

  @Test func aProgramGivesTheTokenInAHeader() async throws {
    let studio = try await TestStudio()
    var request = studio.request("POST", "/api/files/0/begin")
    request.headers["cookie"] = nil
    request.headers["origin"] = nil
    request.headers[AccessGuard.tokenHeader] = studio.service.access.token
    await expectEqual(studio.service.respond(to: request).status, 200)
  }

  /// `AccessGuard` 2.
  @Test(arguments: ["evil.example:4711", "127.0.0.1", "127.0.0.1:80", "", "localhost.evil:4711"])
  func anotherHostIsRefused(_ host: String) async throws {
    try await expectEqual(status { $0.headers["host"] = host }, 403)
  }

  /// `AccessGuard` 3.
  @Test(arguments: ["http://evil.example", "null", "http://127.0.0.1:80", "https://127.0.0.1:4711"])
  func anotherOriginIsRefused(_ origin: String) async throws {
    try await expectEqual(status { $0.headers["origin"] = origin }, 403)
    try await expectEqual(
      status("/api/files/0/begin", "POST") { $0.headers["origin"] = origin }, 403)
  }

  /// `AccessGuard` 3.
  @Test(arguments: ["cross-site", "same-site"])
  func anotherSiteIsRefused(_ site: String) async throws {
    try await expectEqual(status { $0.headers["sec-fetch-site"] = site }, 403)
  }

  @Test func aFormOfAnotherPageCannotWrite() async throws {
    try await expectEqual(
      status("/api/files/0/begin", "POST") {
        $0.headers["content-type"] = "text/plain"
      }, 403)
    try await expectEqual(status("/api/files/0/begin", "POST") { $0.headers["origin"] = nil }, 403)
  }

  @Test func tokensAreLongAndDiffer() {
    var random = SystemRandomNumberGenerator()
    let first = AccessGuard(random: &random)
    let second = AccessGuard(random: &random)
    expectEqual(first.token.utf8.count, 64)
    expectTrue(first.token != second.token)
    expectTrue(first.isToken(first.token))
    expectFalse(first.isToken(second.token))
    expectFalse(first.isToken(String(first.token.dropLast())))
  }

  @Test func everyAnswerForbidsWhatThePageDoesNotNeed() async throws {
    let studio = try await TestStudio()
    for target in ["/", "/studio.css", "/api/files", "/nowhere"] {
      let response = await studio.service.respond(to: studio.request("GET", target))
      let headers = Dictionary(response.headers.map { ($0.name, $0.value) }) { _, last in last }
      let policy = try #require(headers["Content-Security-Policy"])
      expectTrue(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
      expectFalse(policy.contains("unsafe"))
      expectEqual(headers["X-Content-Type-Options"], "nosniff")
      expectEqual(headers["Cache-Control"], "no-store")
    }
  }

  @Test func readOnlyStudioWritesNothing() async throws {
    let studio = try await TestStudio(isWritable: false)
    for name in ["begin", "edit", "commit", "cancel", "undo", "redo"] {
      let (status, json) = try await studio.send(
        studio.request("POST", "/api/files/0/\(name)", .object([])))
      expectEqual(status, 403)
      expectEqual(json["remedy"]?.string?.contains("--write"), true)
    }
  }
}
#endif
