// SPDX-License-Identifier: Apache-2.0

// News of other servers about the realms open here, and the sign of life of this one, as single
// steps.
//
// Invariants:
// 1. A notification is a hint: the heads of all open realms are read on each new connection, and
//    once in the time between polls.
// 2. So are those of all realms of a followed app, which are read on each new connection, and once
//    in many polls.

#if Postgres
/// A connection that listens to the database, and what is due on it.
struct HeadSubscription {
  /// The polls between two reads of all heads of followed apps.
  private static let pollsOfRound = 60

  private let database: Database
  private let node: String
  /// The connection; nil before the first step and after an error.
  private var link: (any DatabaseLink)?
  private var nextRenewal: Deadline
  /// When the heads of all open realms are read.
  private var nextPoll: Deadline
  /// When the heads of the realms of followed apps are read.
  private var nextRound: Deadline
  /// The realms of the last notifications.
  private var named: Set<Int64> = []
  /// Whether a shared file has changed.
  private var hasNewFiles = false

  init(to database: Database, node: String) {
    self.database = database
    self.node = node
    let now = Deadline(milliseconds: 0, by: database.clock)
    (nextRenewal, nextPoll, nextRound) = (now, now, now)
  }

  /// Takes the heads of the open realms with news, or of all, renews leases if it is time, then
  /// waits for notifications. Blocks the thread. Connects first if there is no connection.
  mutating func step(for store: PostgresStore) throws(DatabaseError) {
    let link: any DatabaseLink
    if let known = self.link { link = known } else { link = try connect() }
    do throws(DatabaseError) {
      try step(for: store, on: link)
    } catch {
      close()
      throw error
    }
  }

  /// Ends the connection.
  mutating func close() {
    link?.close()
    link = nil
  }

  private mutating func connect() throws(DatabaseError) -> any DatabaseLink {
    let link = try database.connect()
    do throws(DatabaseError) {
      _ = try link.run([Statements.listen()])
    } catch {
      link.close()
      throw error
    }
    self.link = link
    nextPoll = Deadline(milliseconds: 0, by: database.clock)
    nextRound = nextPoll
    return link
  }

  private mutating func step(
    for store: PostgresStore, on link: any DatabaseLink
  ) throws(DatabaseError) {
    let (all, owned) = store.openNumbers
    let isPoll = nextPoll.isOver
    // Asked first: an app that is added between the two is read now, and again.
    let isNew = store.followed.takeNew()
    let apps = store.followed.apps
    let isRound = isNew || nextRound.isOver
    let poll = database.settings.pollMilliseconds
    var asked = named.intersection(apps.isEmpty ? Set(all) : named)
    if isPoll { asked.formUnion(all) }
    if !asked.isEmpty {
      store.learn(try link.run([Statements.newHeads(Self.list(asked.sorted()))])[0])
    }
    if isRound {
      for app in apps { store.learn(try link.run([Statements.realmsOfApp(.text(app))])[0]) }
      nextRound = Deadline(milliseconds: Self.pollsOfRound * poll, by: database.clock)
    }
    if isPoll { nextPoll = Deadline(milliseconds: poll, by: database.clock) }
    if isPoll || hasNewFiles {
      store.files.learn(try link.run([Statements.markOfSharedFiles()])[0])
    }
    let lease = database.settings.leaseMilliseconds
    if nextRenewal.isOver {
      var calls = [Statements.time(), Statements.seeNode(.text(node))]
      if !owned.isEmpty {
        calls.append(Statements.renewLeases(Self.list(owned), .text(node), .int(Int64(lease))))
      }
      let asked = database.clock.now()
      store.time.learn(try link.run(calls)[0], asked: asked)
      nextRenewal = Deadline(milliseconds: lease / 3, by: database.clock)
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
