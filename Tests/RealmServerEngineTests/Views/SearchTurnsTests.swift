// SPDX-License-Identifier: Apache-2.0

// The searches of many users take turns on a thread.

import RealmStorage
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmServerEngine

@Suite(.timeLimit(.minutes(10))) struct SearchTurnsTests {
  /// Runs searches of three turns each, of users in the order of their arrival; returns whose turn
  /// it was.
  private func run(_ users: [String]) async -> [String] {
    let turns = SearchTurns()
    let order = Locked<[String]>([])
    await turns.begin("first")
    await withTaskGroup(of: Void.self) { group in
      for (number, user) in users.enumerated() {
        group.addTask {
          await turns.begin(user)
          for turn in 0..<3 {
            order.withLock { $0.append(user) }
            if turn < 2 { await turns.rest(user) }
          }
          turns.end(user)
        }
        while turns.waitingCount <= number { await Task.yield() }
      }
      turns.end("first")
    }
    // The thread is free.
    await turns.begin("last")
    turns.end("last")
    expectEqual(turns.waitingCount, 0)
    return order.withLock { $0 }
  }

  /// `SearchTurns` 1 and 2
  @Test func usersTakeTurns() async {
    // Every second turn is of a search that begins.
    await expectEqual(run(["a", "b", "c"]), ["a", "a", "b", "a", "c", "b", "c", "b", "c"])
  }

  /// `SearchTurns` 2 and 3: of a user with many searches the second begins after the first.
  @Test func aUserWithManySearchesWaitsForItsOwn() async {
    await expectEqual(
      run(["a", "a", "a", "b"]), ["a", "a", "b", "a", "a", "b", "a", "b", "a", "a", "a", "a"])
  }

  /// `ViewSearcher` 1
  @Test func aTurnHasSoManyComparisons() async {
    let turns = SearchTurns()
    let order = Locked<[String]>([])
    await turns.begin("a")
    let other = Task {
      await turns.begin("b")
      order.withLock { $0.append("b") }
      turns.end("b")
    }
    while turns.waitingCount == 0 { await Task.yield() }
    await SearchShare.$comparisonCountMax.withValue(10) {
      let share = SearchShare(of: "a", turns)
      for _ in 0..<2 {
        for _ in 0..<3 { await share.spend(3) }
        order.withLock { $0.append("a") }
        expectEqual(turns.waitingCount, 1)
        await share.spend(1)
      }
      order.withLock { $0.append("a again") }
    }
    turns.end("a")
    await other.value
    // Every second turn is of a search that begins.
    expectEqual(order.withLock { $0 }, ["a", "a", "b", "a again"])
  }

  /// Whether another session gets the only turn for downloads beside what a user does.
  private func isFree(
    _ downloads: DownloadTurns, beside work: (DownloadTurn) async -> Void
  ) async -> Bool {
    await downloads.begin()
    let turn = DownloadTurn(downloads, UnlimitedMemory(), room: 0)
    await work(turn)
    let isFree = Locked(false)
    let other = Task {
      await downloads.begin()
      isFree.withLock { $0 = true }
      downloads.end()
    }
    while !isFree.withLock({ $0 }), downloads.waitingCount == 0 { await Task.yield() }
    let result = isFree.withLock { $0 }
    turn.end()
    await other.value
    return result
  }

  /// `SearchTurns` 4
  @Test func aLongSearchKeepsNoTurnForDownloads() async {
    let (searches, downloads) = (SearchTurns(), DownloadTurns(countMax: 1))
    let short = await isFree(downloads) { turn in
      await SearchTurns.$whenLong.withValue(.init { turn.giveUp() }) { await searches.begin("a") }
    }
    expectFalse(short)
    searches.end("a")
    let long = await isFree(downloads) { turn in
      await SearchTurns.$whenLong.withValue(.init { turn.giveUp() }) {
        await searches.begin("a")
        await searches.rest("a")
      }
    }
    expectTrue(long)
    searches.end("a")
  }

  /// `SearchTurns` 4: those that wait for a long search of their user keep none either.
  @Test func whoWaitsForALongSearchKeepsNoTurnForDownloads() async {
    let (searches, downloads) = (SearchTurns(), DownloadTurns(countMax: 1))
    await searches.begin("a")
    let waiting = Locked<Task<Void, Never>?>(nil)
    let free = await isFree(downloads) { turn in
      let task = SearchTurns.$whenLong.withValue(.init { turn.giveUp() }) {
        Task { await searches.begin("a") }
      }
      waiting.withLock { $0 = task }
      while searches.waitingCount == 0 { await Task.yield() }
      await searches.rest("a")
    }
    expectTrue(free)
    searches.end("a")
    await waiting.withLock { $0 }?.value
    searches.end("a")
  }
}
