// SPDX-License-Identifier: Apache-2.0

// What a server hears of others whose notifications do not arrive.

#if Postgres
import RealmServerEngine
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerPostgres

@Suite(.timeLimit(.minutes(10)))
struct HeadSubscriptionTests {
  private static let poll = 1_000

  private let name = RealmName(app: "app", partition: "P")
  private let hand = SteppedClock()
  private let database = SimulatedDatabase(flaw: .refusesNotifications, contention: .refuses)
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A store that does nothing by itself.
  private func store(_ folder: String) throws -> PostgresStore {
    var surroundings = PostgresSurroundings()
    surroundings.clock = hand.clock
    surroundings.followsHeads = false
    var settings = PostgresSettings()
    settings.pollMilliseconds = Self.poll
    return try PostgresStore(
      database, folder: directory.file(folder), settings: settings, surroundings: surroundings)
  }

  /// `HeadSubscription` 1
  @Test func openRealmsAreReadOnEachConnectionAndBetweenPolls() async throws {
    let (writer, reader) = (try store("writer"), try store("reader"))
    let realm = try await writer.open(name)
    let other = try #require(try await reader.open(name) as? PostgresRealm)
    var subscription = reader.headSubscription()
    var head = try await realm.fill(try await realm.own(), to: 1)
    expectEqual(other.known.version, 0)
    try subscription.step(for: reader)
    expectEqual(other.known.version, 1)
    head = try await realm.fill(head, to: 2)
    try subscription.step(for: reader)
    expectEqual(other.known.version, 1, "nothing is due")
    hand.clock.sleep(Self.poll)
    try subscription.step(for: reader)
    expectEqual(other.known.version, 2)
    head = try await realm.fill(head, to: 3)
    subscription.close()
    try subscription.step(for: reader)
    expectEqual(other.known.version, 3)
    subscription.close()
  }

  /// `HeadSubscription` 2
  @Test func realmsOfFollowedAppsAreReadOnEachConnectionAndOnceInManyPolls() async throws {
    let (writer, reader) = (try store("writer"), try store("reader"))
    let realm = try await writer.open(name)
    var heads = reader.allHeads(ofApp: name.app).makeAsyncIterator()
    var subscription = reader.headSubscription()
    var head = try await realm.fill(try await realm.own(), to: 1)
    try subscription.step(for: reader)
    await expectEqual(heads.next()?.version, 1)
    head = try await realm.fill(head, to: 2)
    for _ in 1..<60 {
      hand.clock.sleep(Self.poll)
      try subscription.step(for: reader)
    }
    head = try await realm.fill(head, to: 3)
    hand.clock.sleep(Self.poll)
    try subscription.step(for: reader)
    await expectEqual(heads.next()?.version, 3, "of the 60 polls the last one alone reads them")
    head = try await realm.fill(head, to: 4)
    subscription.close()
    try subscription.step(for: reader)
    await expectEqual(heads.next()?.version, 4)
    subscription.close()
  }
}
#endif
