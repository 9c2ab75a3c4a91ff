// SPDX-License-Identifier: Apache-2.0

// Few downloads are made at a time.

import RealmStorage
import TestExtensions
import Testing

@testable import RealmServerEngine

struct DownloadTurnsTests {
  private struct Count {
    var running = 0
    var most = 0
    var done = 0
  }

  /// `DownloadTurns` 1
  @Test func noMoreThanTheLimitHaveATurn() async {
    let turns = DownloadTurns(countMax: 3)
    let count = Locked(Count())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          await turns.begin()
          count.withLock { count in
            count.running += 1
            count.most = max(count.most, count.running)
          }
          await Task.yield()
          count.withLock { count in
            count.running -= 1
            count.done += 1
          }
          turns.end()
        }
      }
    }
    let end = count.withLock { $0 }
    expectEqual(end.done, 100)
    expectEqual(end.running, 0)
    expectTrue(end.most <= 3)
    // All turns were given back.
    for _ in 0..<3 { await turns.begin() }
  }

  /// `DownloadTurns` 2
  @Test func thoseThatHadTheirTurnAreForgottenWhileOthersWait() async {
    let turns = DownloadTurns(countMax: 1)
    await turns.begin()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { await turns.begin() } }
      while turns.waitingCount < 100 { try? await Task.sleep(for: .milliseconds(1)) }
      // Always some wait.
      for _ in 0..<1000 {
        group.addTask { await turns.begin() }
        while turns.waitingCount < 101 { try? await Task.sleep(for: .milliseconds(1)) }
        turns.end()
        await group.next()
        expectTrue(turns.keptCount <= 2 * (turns.waitingCount + 64))
      }
      for _ in 0..<101 { turns.end() }
    }
  }

  /// `DownloadTurns` 1
  @Test func theFirstThatWaitsIsTheNext() async {
    let turns = DownloadTurns(countMax: 1)
    let order = Locked<[Int]>([])
    await turns.begin()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<5 {
        group.addTask {
          await turns.begin()
          order.withLock { $0.append(number) }
          turns.end()
        }
        // Until it waits.
        while turns.waitingCount <= number { try? await Task.sleep(for: .milliseconds(1)) }
      }
      turns.end()
    }
    expectEqual(order.withLock { $0 }, [0, 1, 2, 3, 4])
  }
}
