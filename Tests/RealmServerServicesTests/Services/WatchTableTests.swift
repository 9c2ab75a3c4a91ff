// SPDX-License-Identifier: Apache-2.0

// The seats of streams.

#if Server
import RealmStorage
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct WatchTableTests {
  /// `WatchTable` 1
  @Test func aStreamIsWokenByTheVersionsOfItsRealmAndEndsWithItsSeat() async throws {
    // Nothing but versions wakes a stream.
    let timer = SyncClock(
      now: { 0 },
      sleep: { (_) async throws(CancellationError) in
        do { try await Task.sleep(for: .seconds(36_000)) } catch { throw CancellationError() }
      })
    let (heads, news) = AsyncStream.makeStream(of: RealmHead.self)
    let table = WatchTable(DocumentLimits(), heads: heads, timer: timer)
    func head(_ realm: String, _ version: UInt64) -> RealmHead {
      RealmHead(realm: RealmID(realm), version: version, salt: 1)
    }
    var first = table.add(nil, realm: RealmID("a"))
    let other = try #require(table.add(nil, realm: RealmID("b")))
    var wakes = try #require(first?.wakes.makeAsyncIterator())
    var otherWakes = other.wakes.makeAsyncIterator()
    // It was not waiting when the versions came, and is woken all the same.
    for version in 1...3 as ClosedRange<UInt64> { news.yield(head("a", version)) }
    #expect(await wakes.next() != nil)
    news.yield(head("b", 4))
    #expect(await otherWakes.next() != nil)
    news.yield(head("a", 5))
    #expect(await wakes.next() != nil)
    other.wake()
    #expect(await otherWakes.next() != nil)
    first = nil
    // What was not taken yet may come before the end.
    while await wakes.next() != nil {}
    expectEqual(table.count, 1)
    table.close()
    while await otherWakes.next() != nil {}
    expectTrue(table.add(nil, realm: RealmID("a")) == nil)
  }
}
#endif
