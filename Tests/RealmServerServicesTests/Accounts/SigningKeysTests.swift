// SPDX-License-Identifier: Apache-2.0

// Keys of tokens that are replaced while users are logged in.

#if Server
import RealmStorage
import TestExtensions
import Testing

@testable import RealmServerServices

struct SigningKeysTests {
  private static func seconds(_ bench: APIBench) -> Int64 { bench.accounts.unixSeconds }

  private static func status(_ bench: APIBench, _ path: String, _ token: String) async -> Int {
    let isSession = path == "/auth/session"
    return await bench.send(
      isSession ? "POST" : "GET", "/api/client/v2.0" + path, token: token
    ).status
  }

  /// `TokenIssuer` 1
  @Test func nobodyIsLoggedOutByANewKey() async throws {
    let bench = try APIBench()
    let login = try await bench.anonymous()
    bench.keys.replace(
      by: PlainSigner(key: 8),
      earlier: [SigningKeys.Earlier(PlainSigner(), end: Self.seconds(bench) + 3_600)])
    await expectEqual(Self.status(bench, "/auth/profile", login.access), 200)
    await expectEqual(Self.status(bench, "/auth/session", login.refresh), 200)
    // New tokens have the new key alone.
    let new = try await bench.anonymous()
    expectTrue(TokenIssuer(PlainSigner(key: 8)).claims(new.access, .access, now: 0) != nil)
    expectEqual(TokenIssuer(PlainSigner()).claims(new.access, .access, now: 0), nil)
  }

  /// `TokenIssuer` 1
  @Test func tokensOfAKeyAreRefusedAfterItsEnd() async throws {
    let bench = try APIBench()
    let login = try await bench.anonymous()
    bench.keys.replace(
      by: PlainSigner(key: 8),
      earlier: [SigningKeys.Earlier(PlainSigner(), end: Self.seconds(bench) + 60)])
    bench.advance(seconds: 59)
    await expectEqual(Self.status(bench, "/auth/session", login.refresh), 200)
    bench.advance(seconds: 1)
    await expectEqual(Self.status(bench, "/auth/session", login.refresh), 401)
    await expectEqual(Self.status(bench, "/auth/profile", login.access), 401)
    // Without earlier keys they are refused at once.
    let other = try await bench.anonymous()
    bench.keys.replace(by: PlainSigner(key: 9), earlier: [])
    await expectEqual(Self.status(bench, "/auth/session", other.refresh), 401)
  }

  @Test func aMailedTokenOutlivesItsKey() async throws {
    let bench = try APIBench(confirmation: .mail)
    await expectEqual(bench.register().status, 201)
    let mail = try #require(bench.mailer.mails.withLock { $0.last })
    let body = #"{"token":"\#(mail.token)","tokenId":"\#(mail.tokenID)"}"#
    bench.keys.replace(by: PlainSigner(key: 8), earlier: [])
    await expectEqual(bench.password("confirm", body).status, 400)
    bench.keys.replace(
      by: PlainSigner(key: 8),
      earlier: [SigningKeys.Earlier(PlainSigner(), end: Self.seconds(bench) + 60)])
    await expectEqual(bench.password("confirm", body).status, 200)
    await expectEqual(bench.logIn().status, 200)
  }
}
#endif
