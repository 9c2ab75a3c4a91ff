// SPDX-License-Identifier: Apache-2.0

// A session whose realm is another server's, and the way there.

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct ForwardableSessionTests {
  /// The other server, whose sessions note what reaches them.
  private final class Links: NodeLinks {
    let events = Locked<[String]>([])
    /// Is called while a session is on its way to its BIND.
    let onSession = Locked<(@Sendable () -> Void)?>(nil)

    func session(
      _ session: NodeSession, on node: String, events link: ServerSessionLink
    ) -> any ServerRequestHandler {
      events.withLock { $0.append("session of \(session.user) on \(node)") }
      onSession.withLock { $0 }?()
      return Handler(events: events)
    }
  }

  private struct Handler: ServerRequestHandler {
    let events: Locked<[String]>
    var heldByteCount: Int { 77 }
    var isForwarded: Bool { true }

    func perform(_ request: ServerStoreRequest) async -> ServerStoreReply {
      let name = "\(request)".prefix { $0 != "(" }
      events.withLock { $0.append(String(name)) }
      return .done
    }

    func end() { events.withLock { $0.append("end") } }
    func close() async { events.withLock { $0.append("close") } }
  }

  /// A session whose realm another server owns as long as `isElsewhere` is true.
  private static func session(
    _ links: Links, isElsewhere: Locked<Bool> = Locked(true)
  ) -> (session: ForwardableSession, bench: SessionBench) {
    var bench = SessionBench(.partition)
    let store = ObservedStore(EmbeddedStore(SimulatedFiles())) { (call) throws(StoreError) in
      if case .own = call, isElsewhere.withLock({ $0 }) { throw .owned(by: "other") }
    }
    bench.app = ServerApp(
      named: "test",
      realms: RealmDirectory(store, clock: ServerClock { OriginTimestamp(milliseconds: 1) }),
      authenticator: bench.app.authenticator)
    bench.app.links = links
    let version = ProtocolVersion(mode: .partition)
    return (
      ForwardableSession(
        NodeSession(app: "test", user: "u", version: version, connection: 1), bench.store(),
        links: links, events: ServerSessionLink { _ in }), bench
    )
  }

  /// `ForwardableSession` 1
  @Test func aSessionStaysWithTheServerThatTookItsBind() async {
    let (links, isElsewhere) = (Links(), Locked(true))
    let (session, bench) = Self.session(links, isElsewhere: isElsewhere)
    expectFalse(session.isForwarded)
    await expectEqual(session.perform(bench.bind(needsIdent: false)), .done)
    expectTrue(session.isForwarded)
    expectEqual(session.heldByteCount, 77)
    // Also if this server becomes the owner.
    isElsewhere.withLock { $0 = false }
    await expectEqual(session.perform(.currentHead), .done)
    session.end()
    await session.close()
    expectEqual(
      links.events.withLock { $0 },
      ["session of u on other", "bind", "currentHead", "end", "close"])
  }

  @Test func aSessionOfThisServersRealmStaysHere() async {
    let (links, isElsewhere) = (Links(), Locked(false))
    let (session, bench) = Self.session(links, isElsewhere: isElsewhere)
    guard case .bound = await session.perform(bench.bind(needsIdent: true)) else {
      Issue.record("not bound")
      return
    }
    isElsewhere.withLock { $0 = true }
    expectFalse(session.isForwarded)
    await session.close()
    expectEqual(links.events.withLock { $0 }, [])
  }

  /// `ForwardableSession` 2
  @Test func anEndReachesTheOwnerAlsoWhileTheBindIsOnItsWay() async {
    let links = Links()
    let (session, bench) = Self.session(links)
    links.onSession.withLock { $0 = { session.end() } }
    _ = await session.perform(bench.bind(needsIdent: false))
    expectEqual(links.events.withLock { $0 }, ["session of u on other", "end", "bind"])
  }
}
