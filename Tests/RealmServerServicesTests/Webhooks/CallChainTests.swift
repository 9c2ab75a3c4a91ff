// SPDX-License-Identifier: Apache-2.0

// The header by which webhooks hand the depth of a chain of triggers back.

#if Server
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmServerServices

struct CallChainTests {
  private static func chain(_ key: UInt8) -> CallChain {
    CallChain(key: [key]) { PlainCryptography().signature(of: $0, key: $1) }
  }

  @Test func aDepthComesBack() {
    let chain = Self.chain(1)
    for depth in [1, 3, 12] {
      let text = chain.text(depth: depth, now: 1_000)
      expectEqual(chain.depth(of: text, now: 1_000), depth)
      expectEqual(chain.depth(of: text, now: 4_600), depth)
      expectEqual(chain.depth(of: text, now: 4_601), nil, "it is too old")
    }
  }

  @Test func whatWasNotMadeHereIsNoDepth() {
    let chain = Self.chain(1)
    let text = chain.text(depth: 3, now: 1_000)
    let digits = text.split(separator: ".")[2]
    for other in [
      "", ".", "..", "3.1000", "3.1000.", "4.1000.\(digits)", "3.1001.\(digits)",
      "3.1000.\(digits)0",
      "+3.1000.\(digits)", "03.1000.\(digits)", "3.9223372036854775807.\(digits)",
      Self.chain(2).text(depth: 3, now: 1_000),
    ] {
      expectEqual(chain.depth(of: other, now: 1_000), nil, "\(other)")
    }
  }

  /// They name the app in their token alone.
  @Test func requestsOfUsersAboutThemselvesCount() async throws {
    let bench = try APIBench { $0.recordedEvents = [.delete] }
    let login = try TestLogin(
      await bench.send("POST", APIBench.app + "/auth/providers/anon-user/login", "{}"))
    let chain = bench.accounts.services.chain
    let text = chain.text(depth: 3, now: bench.accounts.unixSeconds)
    let request = APIRequest(
      "DELETE", "/api/client/v2.0/auth/delete",
      headers: [("Authorization", "Bearer " + login.access), (CallChain.header, text)])
    await expectEqual(bench.api.respond(to: request).status, 204)
    try await expectEqual(bench.store.events(after: 0, count: 9).events.map(\.depth), [3])
  }
}
#endif
