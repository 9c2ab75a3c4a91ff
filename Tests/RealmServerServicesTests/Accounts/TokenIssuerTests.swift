// SPDX-License-Identifier: Apache-2.0

// Tokens are made and checked.

#if Server
import RealmFormats
import RealmServerServices
import RealmSync
import RealmText
import TestExtensions
import Testing

struct TokenIssuerTests {
  private static let claims = TokenClaims(
    kind: .access, app: "todos", account: "u", session: "s", issued: 100, expires: 200,
    userData: .document([BSONElement("n", .int32(1))]))

  @Test func aTokenHasTheClaimsOfTheProtocol() throws {
    let token = TokenIssuer(PlainSigner()).token(Self.claims)
    let parts = token.split(separator: ".")
    expectEqual(parts.count, 3)
    expectEqual(Base64.decode(String(parts[0])), Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
    expectEqual(
      Base64.decode(String(parts[1])).map { String(decoding: $0, as: UTF8.self) },
      #"{"baas_domain_id":"todos","baas_id":"s","exp":200,"iat":100,"iss":"openrealm","#
        + #""sub":"u","typ":"access","user_data":{"n":{"$numberInt":"1"}}}"#)
    #expect(!token.contains { "+/=".contains($0) })
    let read = try #require(AppToken(token))
    expectEqual(read.expires, 200)
    expectEqual(read.userData, Self.claims.userData)
  }

  /// A server's token is for one other server, and no user's.
  @Test func aServersTokenIsForOneServerAndAMinute() {
    let issuer = TokenIssuer(PlainSigner())
    let token = issuer.nodeToken(of: "a", for: "b", now: 100)
    expectEqual(issuer.node(ofToken: token, for: "b", now: 159), "a")
    expectEqual(issuer.node(ofToken: token, for: "b", now: 160), nil)
    expectEqual(issuer.node(ofToken: token, for: "a", now: 100), nil)
    expectEqual(issuer.claims(token, .access, now: 100), nil)
    expectEqual(TokenIssuer(PlainSigner(key: 8)).node(ofToken: token, for: "b", now: 100), nil)
    var user = Self.claims
    (user.app, user.session, user.account) = ("", "b", "a")
    expectEqual(issuer.node(ofToken: issuer.token(user), for: "b", now: 100), nil)
    (user.kind, user.expires) = (.node, 1_000)
    expectEqual(issuer.node(ofToken: issuer.token(user), for: "b", now: 100), nil)
  }

  @Test func onlyValidTokensAreAccepted() {
    let issuer = TokenIssuer(PlainSigner())
    let token = issuer.token(Self.claims)
    expectEqual(issuer.claims(token, .access, now: 199), Self.claims)
    expectEqual(issuer.claims(token, .access, now: 200), nil)
    expectEqual(issuer.claims(token, .refresh, now: 100), nil)
    expectEqual(TokenIssuer(PlainSigner(key: 8)).claims(token, .access, now: 100), nil)
    // Of more than 64 KiB.
    var large = Self.claims
    large.userData = .document([.init("a", .string(String(repeating: "x", count: 60_000)))])
    expectEqual(issuer.claims(issuer.token(large), .access, now: 100), nil)
    for index in token.indices {
      var altered = token
      let other: Character = token[index] == "A" ? "B" : "A"
      altered.replaceSubrange(index...index, with: [other])
      // The last character has bits that stand for nothing.
      if token.index(after: index) == token.endIndex { continue }
      expectEqual(issuer.claims(altered, .access, now: 100), nil)
    }
  }

  @Test func noOtherAlgorithmIsAccepted() {
    let issuer = TokenIssuer(PlainSigner())
    let parts = issuer.token(Self.claims).split(separator: ".")
    let none = Base64.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
    expectEqual(issuer.claims("\(none).\(parts[1]).", .access, now: 100), nil)
    expectEqual(issuer.claims("\(none).\(parts[1]).\(parts[2])", .access, now: 100), nil)
    expectEqual(issuer.claims("", .access, now: 100), nil)
    expectEqual(issuer.claims("..", .access, now: 100), nil)
  }
}
#endif
