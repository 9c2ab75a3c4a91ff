// SPDX-License-Identifier: Apache-2.0

// The list of the realms that a trigger has to look at.

#if Server
import RealmStorage
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct TriggerQueueTests {
  private let queue = TriggerQueue()
  private let first = RealmID("test/a")
  private let second = RealmID("test/b")

  /// `TriggerQueue` 1
  @Test func aRealmWaitsOnceAndAgainWhileItIsLookedAt() async {
    for realm in [first, second, first, first, second] { queue.add(realm) }
    expectEqual(queue.count, 2)
    var works = queue.makeWorks()
    await expectEqual(works.next(), .realm(first))
    for _ in 0..<2 { queue.add(first) }
    await expectEqual(works.next(), .realm(second))
    await expectEqual(works.next(), .realm(first))
    await expectEqual(works.next(), .nothing)
    expectEqual(queue.count, 0)
  }

  /// `TriggerQueue` 2
  @Test func whoWaitsGoesOnWhenNothingWaitsAndNothingIsLookedAt() async {
    await queue.waitUntilIdle()
    let isIdle = Locked(false)
    var works = queue.makeWorks()
    queue.add(first)
    // It is looked at, and nothing waits.
    await expectEqual(works.next(), .realm(first))
    let waiting = Task {
      await queue.waitUntilIdle()
      isIdle.withLock { $0 = true }
    }
    for _ in 0..<200 { await Task.yield() }
    expectFalse(isIdle.withLock { $0 })
    queue.add(second)
    await expectEqual(works.next(), .realm(second))
    for _ in 0..<200 { await Task.yield() }
    expectFalse(isIdle.withLock { $0 })
    await expectEqual(works.next(), .nothing)
    await waiting.value
    // With a closed queue nobody waits any more.
    queue.add(first)
    await expectEqual(works.next(), .realm(first))
    let last = Task { await queue.waitUntilIdle() }
    queue.close()
    await last.value
    while await works.next() != nil {}
  }
}
#endif
