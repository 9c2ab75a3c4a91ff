// SPDX-License-Identifier: Apache-2.0

// News of other servers about the realms open here, and the sign of life of this one.
//
// Invariants:
// 1. A notification is a hint: the heads of all open realms are read on each new connection, and
//    once in the time between polls.
// 2. So are those of all realms of a followed app, which are read on each new connection, and once
//    in many polls.

#if Postgres
import RealmStorage
import Synchronization

/// Listens to the database on a thread of its own, and renews the leases of the node.
actor HeadFollower {
  /// The polls between two reads of all heads of followed apps.
  private static let pollsOfRound = 60

  private nonisolated let thread = ThreadExecutor(named: "realm-heads")
  private nonisolated let isStopped = Atomic(false)
  private let database: Database
  private let node: String
  private var nextRenewal = Deadline(milliseconds: 0)
  /// When the heads of all open realms are read.
  private var nextPoll = Deadline(milliseconds: 0)
  /// When the heads of the realms of followed apps are read.
  private var nextRound = Deadline(milliseconds: 0)
  /// The realms of the last notifications.
  private var named: Set<Int64> = []
  /// Whether a shared file has changed.
  private var hasNewFiles = false

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  init(_ database: Database, node: String) {
    self.database = database
    self.node = node
  }

  /// Begins to follow the heads of a store's realms, until it is stopped or the store is gone.
  nonisolated func start(for store: PostgresStore) {
    Task { [weak store] in await follow { [weak store] in store } }
  }

  nonisolated func stop() { isStopped.store(true, ordering: .relaxed) }

  private func follow(_ store: @Sendable () -> PostgresStore?) {
    var backOff = BackOff()
    while !isStopped.load(ordering: .relaxed) {
      do throws(DatabaseError) {
        let link = try database.connect()
        defer { link.close() }
        _ = try link.run([Statements.listen()])
        nextPoll = Deadline(milliseconds: 0)
        nextRound = Deadline(milliseconds: 0)
        while !isStopped.load(ordering: .relaxed), let store = store() {
          try step(on: link, for: store)
          backOff = BackOff()
        }
        return
      } catch {
        // A pause is followed by another connection, and by a read of all heads.
        backOff.pause(until: Deadline(milliseconds: database.settings.pollMilliseconds))
      }
    }
  }

  /// Takes the heads of the open realms with news, or of all, then waits for notifications.
  private func step(
    on link: any DatabaseLink, for store: PostgresStore
  ) throws(DatabaseError) {
    let (all, owned) = store.openNumbers
    let isPoll = nextPoll.isOver
    let apps = store.followed.apps
    let isRound = nextRound.isOver || store.followed.takeNew()
    var asked = named.intersection(apps.isEmpty ? Set(all) : named)
    if isPoll { asked.formUnion(all) }
    if !asked.isEmpty {
      store.learn(try link.run([Statements.newHeads(Self.list(asked.sorted()))])[0])
    }
    if isRound {
      for app in apps { store.learn(try link.run([Statements.realmsOfApp(.text(app))])[0]) }
      nextRound = Deadline(
        milliseconds: Self.pollsOfRound * database.settings.pollMilliseconds)
    }
    if isPoll { nextPoll = Deadline(milliseconds: database.settings.pollMilliseconds) }
    if isPoll || hasNewFiles {
      store.files.learn(try link.run([Statements.markOfSharedFiles()])[0])
    }
    let lease = database.settings.leaseMilliseconds
    if nextRenewal.isOver {
      var calls = [Statements.seeNode(.text(node))]
      if !owned.isEmpty {
        calls.append(Statements.renewLeases(Self.list(owned), .text(node), .int(Int64(lease))))
      }
      _ = try link.run(calls)
      nextRenewal = Deadline(milliseconds: lease / 3)
    }
    let pause = min(nextPoll.millisecondsLeft, nextRenewal.millisecondsLeft)
    let messages = try link.messages(within: max(pause, 1))
    named = Set(messages.compactMap { Int64($0) })
    hasNewFiles = messages.contains(PostgresFiles.notice)
  }

  private static func list(_ numbers: [Int64]) -> DatabaseValue {
    .text("{\(numbers.map { String($0) }.joined(separator: ","))}")
  }
}
#endif
