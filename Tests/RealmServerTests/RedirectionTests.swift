// SPDX-License-Identifier: Apache-2.0

// Answers that send a request elsewhere.

#if Server
import RealmSync
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmNetworking

struct RedirectionTests {
  private static func next(
    _ method: HTTPRequest.Method, _ url: String, _ status: Int, _ place: String,
    body: String = ""
  ) throws(AppFailure) -> HTTPRequest? {
    try Redirection.next(
      after: HTTPRequest(
        method, url: url, headers: [HTTPHeader("Authorization", "Bearer t")],
        body: Array(body.utf8)),
      HTTPResponse(status: status, headers: [HTTPHeader("location", place)]))
  }

  /// `ClientTransport` 1
  @Test(arguments: ["http://a.org/y", "http://b.org/y", "HTTP://a.org/y", "ftp://a.org", "ws://a"])
  func encryptionIsNeverGivenUp(_ place: String) {
    #expect(throws: AppFailure.self) { try Self.next(.get, "https://a.org/x", 302, place) }
  }

  /// `ClientTransport` 2
  @Test func contentAndTokensStayAtTheirHost() throws {
    for place in ["https://b.org/y", "//b.org/y", "https://a.org:444/y"] {
      #expect(throws: AppFailure.self) {
        try Self.next(.post, "https://a.org/x", 307, place, body: "secret")
      }
      let other = try #require(try Self.next(.get, "https://a.org/x", 308, place))
      expectTrue(other.headers.isEmpty)
      // A request that becomes a GET has no content any more.
      let plain = try #require(try Self.next(.post, "https://a.org/x", 303, place, body: "secret"))
      expectEqual(plain.method, .get)
      expectTrue(plain.body.isEmpty)
      expectTrue(plain.headers.isEmpty)
    }
    let same = try #require(
      try Self.next(.post, "https://a.org/x", 307, "https://a.org:443/y", body: "text"))
    expectEqual(same.body, Array("text".utf8))
    expectEqual(same.headers.count, 1)
    let relative = try #require(try Self.next(.put, "http://a.org:80/x", 308, "/y?z", body: "t"))
    expectEqual(relative.url, "http://a.org:80/y?z")
    expectEqual(relative.method, .put)
  }

  /// The transport follows by itself, and HTTPClient does not: that sends content to any host.
  @Test func contentIsNotSentAgainByTheTransport() async throws {
    let server = try await PlainSocketServer(.status(307))
    let url = server.address.replacing("ws://", with: "http://")
    let failure = await #expect(throws: AppFailure.self) {
      try await ClientTransport.shared.send(
        HTTPRequest(.post, url: url, body: Array("secret".utf8)))
    }
    expectTrue("\(String(describing: failure))".contains("with its content to another host"))
    try await server.stop()
  }

  @Test func otherAnswersAreAnswers() throws {
    for status in [200, 204, 300, 304, 305, 400] {
      try expectEqual(Self.next(.get, "https://a.org/x", status, "http://b.org/"), nil)
    }
  }
}
#endif
