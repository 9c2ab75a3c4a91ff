// SPDX-License-Identifier: Apache-2.0

// Triggers on users, and on times.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct UserTriggerTests {
  private static func trigger(
    _ operation: AccountEvent.Kind, _ name: String = "t", providers: Set<String>? = nil
  ) -> TriggerSettings {
    TriggerSettings(
      name, function: "f",
      .authentication(AuthenticationTrigger(operation, providers: providers)))
  }

  /// Runs triggers, and lets the accounts record what they ask for.
  private static func apply(_ bench: TriggerBench, _ triggers: [TriggerSettings]) async {
    var file = AppFile(id: "test", name: "test")
    file.triggers = triggers
    bench.accounts.apply(file.accounts)
    await bench.triggers.apply(triggers)
  }

  private static func kinds(_ kept: TriggerEventsKept) -> [String] {
    kept.take().compactMap { text in
      (try? JSONParser.parse(text))?["operationType"]?.string
    }
  }

  /// A webhook of a trigger that logs in sets off the triggers on logins, with its depth.
  @Test func triggersThatSetEachOtherOffByLoginsAreStopped() async throws {
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table)
    await Self.apply(bench, [Self.trigger(.login)])
    for depth in [0, TriggerContext.depthMax - 1] {
      _ = try await CallChain.$depth.withValue(depth) {
        try await bench.accounts.logInAnonymously(device: nil)
      }
      await bench.triggers.settle()
      let events = kept.take()
      expectEqual(events.count, 1)
      expectEqual(events.first?.contains("depth"), false)
    }
    _ = try await CallChain.$depth.withValue(TriggerContext.depthMax) {
      try await bench.accounts.logInAnonymously(device: nil)
    }
    try await TriggerBench.wait { await bench.status("t")?.state == .suspended }
    expectTrue(kept.take().isEmpty)
    await expectEqual(bench.status("t")?.error?.contains("set each other off"), true)
    await bench.triggers.stop()
  }

  @Test func usersWhoComeAndGoAreEvents() async throws {
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table)
    _ = try await bench.accounts.logInAnonymously(device: nil)
    await Self.apply(
      bench,
      [
        Self.trigger(.create, "c"), Self.trigger(.login, "l"), Self.trigger(.delete, "d"),
        Self.trigger(.login, "none", providers: ["api-key"]),
      ])
    let login = try await bench.accounts.logInAnonymously(device: nil)
    await bench.triggers.settle()
    expectEqual(Set(Self.kinds(kept)), ["CREATE", "LOGIN"])
    let account = try #require(try await bench.accounts.store.account(login.account))
    try await bench.accounts.delete(account)
    await bench.triggers.settle()
    let events = kept.take()
    expectEqual(events.count, 1)
    #expect(
      events[0].hasPrefix(
        #"{"operationType":"DELETE","providers":["anon-user"],"user":{"id":"\#(login.account)","#))
    #expect(events[0].contains(#""type":"normal","data":{}"#))
    await expectEqual(bench.status("none")?.delivered, 0)
    await bench.triggers.stop()
  }

  /// `AccountEvent` 1 and 2, `AuthenticationRun` 1
  @Test func nothingOfUsersIsLostWhenTheServerIsKilled() async throws {
    let kept = TriggerEventsKept()
    var bench = try TriggerBench(kept.table)
    await Self.apply(bench, [Self.trigger(.create)])
    var users: Set<String> = []
    for number in 0..<12 {
      users.insert(try await bench.accounts.logInAnonymously(device: nil).account)
      if number % 3 == 2 {
        let next = try bench.restarted(seed: UInt64(number) + 10)
        await bench.triggers.stop()
        bench = next
        await Self.apply(bench, [Self.trigger(.create)])
      }
    }
    await bench.triggers.settle()
    let ids = kept.all.compactMap { $0["user"]?["id"]?.text }
    expectEqual(Set(ids), users)
    // What all triggers have is forgotten.
    try await TriggerBench.wait {
      try await bench.accounts.store.events(after: 0, count: 100).events.isEmpty
    }
    try await expectEqual(bench.accounts.store.lastEvent(), 12)
    await bench.triggers.stop()
  }

  /// The server was killed after it had stored how far it has come, and before it removed what no
  /// trigger needs any more.
  @Test func eventsThatAllTriggersHaveGoWithTheNextServer() async throws {
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table)
    await Self.apply(bench, [Self.trigger(.create)])
    _ = try await bench.accounts.logInAnonymously(device: nil)
    await bench.triggers.settle()
    await bench.triggers.stop()
    // As if the event were there still.
    let account = Account(id: "a", created: bench.clock.now())
    try await bench.accounts.store.skipEvents(to: 0)
    try await bench.accounts.store.write { (accounts) throws(AccountError) in
      try accounts.record(.create, of: account, at: bench.clock.now(), if: [.create])
    }
    let next = try bench.restarted()
    try await expectEqual(next.accounts.store.events(after: 0, count: 9).events.count, 1)
    await Self.apply(next, [Self.trigger(.create)])
    try await TriggerBench.wait {
      try await next.accounts.store.events(after: 0, count: 9).events.isEmpty
    }
    await next.triggers.settle()
    expectEqual(kept.all.count, 1)
    await next.triggers.stop()
  }

  @Test func usersThatTheUpkeepRemovesAreEvents() async throws {
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table)
    await Self.apply(bench, [Self.trigger(.delete)])
    let login = try await bench.accounts.logInAnonymously(device: nil)
    try await bench.accounts.revoke(login.refreshToken)
    bench.clock.set(bench.clock.now().milliseconds + UpkeepRules.milliseconds(days: 91))
    let upkeep = ServerUpkeep(
      bench.app, accounts: bench.accounts, clock: ServerClock(bench.clock.now))
    await expectEqual(upkeep.run().accounts.anonymousUsers, 1)
    await bench.triggers.settle()
    expectEqual(kept.all.compactMap { $0["user"]?["id"]?.text }, [login.account])
    await bench.triggers.stop()
  }

  @Test(arguments: [false, true])
  func aBackupOfTheUsersAloneIsALostPosition(tolerates: Bool) async throws {
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table)
    var settings = Self.trigger(.create)
    settings.toleratesLostPosition = tolerates
    await Self.apply(bench, [settings])
    let backup = try SimulatedFileSystem(contents: bench.userSystem.file.contents())
    _ = try await bench.accounts.logInAnonymously(device: nil)
    await bench.triggers.settle()
    await bench.triggers.stop()
    expectEqual(kept.take().count, 1)
    let restored = try TriggerBench(
      kept.table,
      triggerSystem: SimulatedFileSystem(contents: bench.triggerSystem.file.contents()),
      userSystem: backup, seed: 3)
    await Self.apply(restored, [settings])
    await restored.triggers.settle()
    await expectEqual(restored.status()?.state, (tolerates ? .active : .suspended))
    if !tolerates { await restored.triggers.resume("t", from: .now) }
    _ = try await restored.accounts.logInAnonymously(device: nil)
    await restored.triggers.settle()
    expectEqual(kept.take().count, 1)
    await restored.triggers.stop()
  }

  /// `AccountEvent` 3
  @Test func eventsAboutUsersAreLimited() async throws {
    let bench = try TriggerBench(FunctionTable())
    let account = Account(id: "a", created: bench.clock.now())
    let time = bench.clock.now()
    // As if so many had happened before.
    try await bench.accounts.store.write { (accounts) throws(AccountError) in
      try accounts.record(.login, of: account, at: time, if: [.login])
    }
    try await bench.accounts.store.skipEvents(to: AccountEvent.countMax)
    try await bench.accounts.store.write { (accounts) throws(AccountError) in
      try accounts.record(.login, of: account, at: time, if: [.login])
    }
    let batch = try await bench.accounts.store.events(after: 0, count: 10)
    expectEqual(batch.goneThrough, AccountEvent.countMax)
    expectEqual(batch.events.count, 1)
  }

  // MARK: Times

  private static func schedule(_ text: String, skips: Bool = false) throws -> TriggerSettings {
    var settings = TriggerSettings("t", function: "f", .scheduled(try CronSchedule(text)))
    settings.skipsCatchUp = skips
    return settings
  }

  @Test func aFunctionIsCalledAtItsTimes() async throws {
    let kept = TriggerEventsKept()
    let timer = TestTimer()
    let bench = try TriggerBench(kept.table, timer: timer.clock)
    // Half a minute past a full one.
    let start = bench.clock.now().milliseconds / 60_000 * 60_000 + 30_000
    bench.clock.set(start)
    await bench.triggers.apply([try Self.schedule("* * * * *")])
    await timer.waitForSleeper(at: 15_000)
    expectTrue(kept.all.isEmpty)
    bench.clock.set(start + 31_000)
    timer.advance(to: 15_000)
    try await TriggerBench.wait { kept.all.count == 1 }
    let time = OriginTimestamp(milliseconds: start + 30_000).unixMilliseconds
    expectEqual(kept.all[0]["scheduledTime"], .date(unixMilliseconds: time))
    await timer.waitForSleeper(at: 30_000)
    await expectEqual(
      bench.status()?.nextRun, OriginTimestamp(milliseconds: start + 90_000))
    await Self.stop(bench, timer)
  }

  @Test(arguments: [false, true])
  func missedRunsAreMadeUpForOnce(skips: Bool) async throws {
    let kept = TriggerEventsKept()
    let timers = [TestTimer(), TestTimer()]
    let bench = try TriggerBench(kept.table, timer: timers[0].clock)
    let start = bench.clock.now().milliseconds / 60_000 * 60_000 + 30_000
    bench.clock.set(start)
    let settings = try Self.schedule("*/5 * * * *", skips: skips)
    await bench.triggers.apply([settings])
    await timers[0].waitForSleeper(at: 15_000)
    await Self.stop(bench, timers[0])
    // Between two of its times, many later.
    bench.clock.set(start / 300_000 * 300_000 + 3_600_000 + 150_000)
    let later = try TriggerBench(
      kept.table,
      triggerSystem: SimulatedFileSystem(contents: bench.triggerSystem.file.contents()),
      clock: bench.clock, timer: timers[1].clock)
    await later.triggers.apply([settings])
    await timers[1].waitForSleeper(at: 15_000)
    expectEqual(kept.all.count, (skips ? 0 : 1))
    await Self.stop(later, timers[1])
  }

  /// `ScheduleRun` 1
  @Test func aRunThatDidNotReturnIsMadeUpForByTheNextServer() async throws {
    let kept = TriggerEventsKept()
    let timers = (0..<3).map { _ in TestTimer() }
    let bench = try TriggerBench(kept.table, timer: timers[0].clock)
    let due = bench.clock.now().milliseconds / 300_000 * 300_000 + 300_000
    bench.clock.set(due - 10_000)
    let settings = try Self.schedule("*/5 * * * *")
    await bench.triggers.apply([settings])
    await timers[0].waitForSleeper(at: 10_000)
    kept.failures.withLock { $0 = .max }
    bench.clock.set(due + 1_000)
    timers[0].advance(to: 10_000)
    try await TriggerBench.wait { await bench.status()?.failed == 1 }
    // The server is killed before the call has returned; the last one has nothing to make up for.
    var contents = try bench.triggerSystem.file.contents()
    await Self.stop(bench, timers[0])
    kept.failures.withLock { $0 = 0 }
    for timer in timers[1...] {
      let next = try TriggerBench(
        kept.table, triggerSystem: SimulatedFileSystem(contents: contents), clock: bench.clock,
        timer: timer.clock)
      await next.triggers.apply([settings])
      await timer.waitForSleeper(at: 15_000)
      expectEqual(
        kept.all.map { $0["scheduledTime"] },
        [.date(unixMilliseconds: OriginTimestamp(milliseconds: due).unixMilliseconds)])
      contents = try next.triggerSystem.file.contents()
      await Self.stop(next, timer)
    }
  }

  /// Stops the triggers, whose sleepers hear of it when their time has come.
  private static func stop(_ bench: TriggerBench, _ timer: TestTimer) async {
    let isDone = Locked(false)
    let stop = Task {
      await bench.triggers.stop()
      isDone.withLock { $0 = true }
    }
    var time: Milliseconds = 10_000_000
    while !isDone.withLock({ $0 }) {
      timer.advance(to: time)
      time += 100_000
      try? await Task.sleep(for: .milliseconds(1))
    }
    await stop.value
  }
}

extension AccountStore {
  /// Lets the next event have the number after another one.
  fileprivate func skipEvents(to number: UInt64) throws {
    try change { (group) throws(StorageError) in
      try AccountTables.meta(in: group)?.set(Int64(number), "last_event")
      return true
    }
  }
}
#endif
