// SPDX-License-Identifier: Apache-2.0

// Heads that sessions are told of, and how often.

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct HeadNewsTests {
  private let realm = RealmID("r")

  private func head(_ version: UInt64, _ realm: String = "r") -> RealmHead {
    RealmHead(realm: RealmID(realm), version: version, salt: 7777)
  }

  /// A session of a partition that waits for news.
  private func makeSession(
    _ timer: TestTimer
  ) async throws -> (ServerDriver, TestHandler, ServerSessionLink) {
    let handler = TestHandler()
    let environment = SocketServerEnvironment(TestSocket(), timer: timer.clock) { link in
      handler.link.withLock { $0 = link }
      return handler
    }
    let connection = ServerDriver(
      version: ProtocolVersion(mode: .partition), served: .partition, environment: environment)
    await connection.start()
    handler.script.withLock { script in
      script = [
        .done,
        .file(
          ServerFileLookup(
            file: ServerFile(ident: FileIdentifier(2), salt: 1002),
            head: SaltedVersion(version: 0, salt: 0), latestSalt: nil)),
        .claimed(ServerFile(ident: FileIdentifier(2), salt: 1002), rejected: []), Self.download(0),
      ]
    }
    await connection.receive(Array("bind 1 5 0 0 0\n\"foo\"".utf8))
    await connection.receive(Array("ident 1 2 1002 0 0 0 0\n".utf8))
    await handler.waitForRequests(4)
    return (connection, handler, try #require(handler.link.withLock { $0 }))
  }

  private static func download(_ version: UInt64) -> ServerStoreReply {
    .download(
      ServerMessage.Download(
        cursors: SyncCursors(
          download: DownloadCursor(serverVersion: version),
          latest: SaltedVersion(version: version, salt: version == 0 ? 0 : 7777)),
        progress: .partition(byteCountLeft: 0), body: .empty))
  }

  /// `HeadNews` 1
  @Test func aSessionIsToldAtOnceAndThenAfterTheInterval() async throws {
    let timer = TestTimer()
    let (connection, handler, link) = try await makeSession(timer)
    let news = HeadNews(timer: timer.clock)
    let subscription = news.subscribe(link, to: realm)
    handler.script.withLock { $0 = [Self.download(1)] }
    news.add(head(1))
    news.add(head(9, "other"))
    await handler.waitForRequests(5)
    // Within the interval the newest waits.
    handler.script.withLock { $0 = [Self.download(3)] }
    news.add(head(2))
    news.add(head(3))
    for _ in 0..<50 { await Task.yield() }
    expectEqual(handler.requestCount, 5)
    await timer.waitForSleeper(at: 5)
    timer.advance(to: 5)
    await handler.waitForRequests(6)
    news.cancel(subscription)
    timer.advance(to: 50)
    news.add(head(4))
    for _ in 0..<50 { await Task.yield() }
    expectEqual(handler.requestCount, 6)
    _ = connection
  }

  /// `HeadNews` 2
  @Test func sessionsOfAnEarlierOwnerEnd() {
    let news = HeadNews(timer: TestTimer().clock)
    let events = Locked<[Int: [ServerSessionEvent]]>([:])
    for number in 1...2 {
      let link = ServerSessionLink { event in
        events.withLock { $0[number, default: []].append(event) }
      }
      _ = news.subscribe(link, to: realm, epoch: UInt64(number))
    }
    var newer = head(5)
    newer.epoch = 2
    news.add(newer)
    news.add(newer)
    let head = ServerSessionEvent.head(SaltedVersion(version: 5, salt: 7777))
    let found = events.withLock { $0 }
    expectEqual(found[2], [head])
    guard case .refused(let refusal)? = found[1]?.first, found[1]?.count == 1 else {
      Issue.record("a session of another owner goes on")
      return
    }
    expectEqual(refusal.code, .sessionClosed)
  }

  /// What is opened again has sessions that would hear nothing any more.
  @Test func sessionsOfARealmThatIsOpenedAgainEnd() {
    let news = HeadNews(timer: TestTimer().clock)
    let ended = Locked<Set<Int>>([])
    for number in 1...3 {
      let link = ServerSessionLink { event in
        if case .refused = event { ended.withLock { _ = $0.insert(number) } }
      }
      _ = news.subscribe(link, to: realm, epoch: UInt64(number))
    }
    news.endSessions(of: RealmID("other"), through: 9)
    expectEqual(ended.withLock { $0 }, [])
    news.endSessions(of: realm, through: 2)
    expectEqual(ended.withLock { $0 }, [1, 2])
  }

  @Test func theIntervalGrowsWithTheSessions() {
    expectEqual(HeadNews.interval(sessionCount: 1), 5)
    expectEqual(HeadNews.interval(sessionCount: 10_000), 205)
  }

  @Test func aStreamOfHeadsIsFollowedToItsEnd() async throws {
    let timer = TestTimer()
    let (connection, handler, link) = try await makeSession(timer)
    let news = HeadNews(timer: timer.clock)
    _ = news.subscribe(link, to: realm)
    handler.script.withLock { $0 = [Self.download(1)] }
    let (heads, continuation) = AsyncStream<RealmHead>.makeStream()
    continuation.yield(head(1))
    continuation.finish()
    await news.follow(heads)
    await handler.waitForRequests(5)
    _ = connection
  }
}
