// SPDX-License-Identifier: Apache-2.0

// The time of day that servers take from their database.

#if Postgres
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerPostgres

struct DatabaseTimeTests {
  private static let noon: Int64 = 1_800_000_000_000

  private let hand = SteppedClock()

  private func learn(_ time: Int64, after milliseconds: Int, _ shared: DatabaseTime) {
    let asked = hand.clock.now()
    hand.clock.sleep(milliseconds)
    shared.learn([[.int(time)]], asked: asked)
  }

  @Test func theTimeGoesOnFromTheLastReading() {
    let shared = DatabaseTime(by: hand.clock)
    expectEqual(shared.now(), nil)
    learn(Self.noon, after: 10, shared)
    // The database looked at its clock in the middle of the call.
    expectEqual(shared.now(), Self.noon + 5)
    hand.clock.sleep(3_600_000)
    expectEqual(shared.now(), Self.noon + 3_600_005)
    learn(Self.noon - 60_000, after: 0, shared)
    expectEqual(shared.now(), Self.noon - 60_000)
  }

  @Test func slowAnswersAndEmptyOnesChangeNothing() {
    let shared = DatabaseTime(by: hand.clock)
    // A time that may be wrong by seconds is better than none.
    learn(Self.noon, after: 4_000, shared)
    expectEqual(shared.now(), Self.noon + 2_000)
    learn(Self.noon + 90_000, after: 1_001, shared)
    expectEqual(shared.now(), Self.noon + 3_001)
    shared.learn([], asked: hand.clock.now())
    shared.learn([[.null]], asked: hand.clock.now())
    expectEqual(shared.now(), Self.noon + 3_001)
    learn(Self.noon + 90_000, after: 1_000, shared)
    expectEqual(shared.now(), Self.noon + 90_500)
  }

  @Test func aStoreFollowsTheClockOfItsDatabase() throws {
    let database = SimulatedDatabase()
    var surroundings = PostgresSurroundings()
    surroundings.clock = hand.clock
    surroundings.followsHeads = false
    let directory = try TemporaryDirectory()
    var settings = PostgresSettings()
    settings.pollMilliseconds = 1
    let store = try PostgresStore(
      database, folder: directory.file("replicas"), settings: settings, surroundings: surroundings)
    let start = try #require(store.time.now())
    database.advance(by: 7_200_000)
    expectEqual(store.time.now(), start)
    var subscription = store.headSubscription()
    defer { subscription.close() }
    try subscription.step(for: store)
    expectEqual(store.time.now(), start + 7_200_000)
  }
}
#endif
