// SPDX-License-Identifier: Apache-2.0

// Asynchronous calls in the order in which they were made.

import RealmStorage
import RealmSync
import Testing

@Suite struct OrderedCallsTests {
  /// `OrderedCalls` 1: calls run in their order, and never two at a time.
  @Test func callsRunInTheOrderInWhichTheyWereAdded() async {
    let calls = OrderedCalls()
    let seen = Locked<[Int]>([])
    let running = Locked(0)
    let overlaps = Locked(0)
    for number in 0..<2_000 {
      calls.add {
        let count = running.withLock { running in
          running += 1
          return running
        }
        if count > 1 { overlaps.withLock { $0 += 1 } }
        await Task.yield()
        seen.withLock { $0.append(number) }
        running.withLock { $0 -= 1 }
      }
    }
    await calls.finish()
    #expect(seen.withLock { $0 } == Array(0..<2_000))
    #expect(overlaps.withLock { $0 } == 0)
  }
}
