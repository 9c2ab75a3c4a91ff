// SPDX-License-Identifier: Apache-2.0

// Where triggers begin, and when it is stored how far they have come.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct TriggerPositionTests {
  /// A call of a store.
  private enum Call: Hashable, Sendable {
    case records
    case put(positionCount: Int?)
    case set
  }

  /// A store whose calls a test hears of before they are carried out.
  private struct WatchedStore: TriggerStore {
    let base: any TriggerStore
    let hears: @Sendable (Call) async -> Void

    func records() async throws(StoreError) -> [TriggerRecord] {
      await hears(.records)
      return try await base.records()
    }

    func put(
      _ record: TriggerRecord, positions: [RealmID: TriggerPosition]?
    ) async throws(StoreError) {
      await hears(.put(positionCount: positions?.count))
      try await base.put(record, positions: positions)
    }

    func remove(_ trigger: String) async throws(StoreError) { try await base.remove(trigger) }

    func position(
      of trigger: String, in realm: RealmID
    ) async throws(StoreError) -> TriggerPosition? {
      try await base.position(of: trigger, in: realm)
    }

    func set(
      _ positions: [RealmID: TriggerPosition], of trigger: String
    ) async throws(StoreError) {
      await hears(.set)
      try await base.set(positions, of: trigger)
    }

    func ask(
      _ request: TriggerRecord.Request, of trigger: String
    ) async throws(StoreError) -> Bool {
      try await base.ask(request, of: trigger)
    }

    func set(number: Int64, of trigger: String) async throws(StoreError) {
      try await base.set(number: number, of: trigger)
    }
  }

  // MARK: The beginning

  /// What is written while the record of a new trigger is being stored is an event.
  /// `TriggerService` 1
  @Test func nothingIsLostWhileATriggerBegins() async throws {
    let (kept, calls) = (TriggerEventsKept(), Locked<[Call]>([]))
    let write = Locked<(@Sendable () async -> Void)?>(nil)
    let bench = try TriggerBench(
      kept.table,
      wrap: {
        WatchedStore(base: $0) { call in
          calls.withLock { $0.append(call) }
          guard case .put = call, let write = write.withLock({ $0.take() }) else { return }
          await write()
        }
      })
    try await bench.call("insertOne", #""document":{"_id":1}"#)
    write.withLock {
      $0 = { _ = try? await bench.call("insertOne", #""document":{"_id":2}"#) }
    }
    await bench.triggers.apply([TriggerBench.trigger()])
    await bench.triggers.settle()
    expectEqual(kept.take().map { $0.contains(#""_id":2"#) }, [true])
    // The record and the position in the only realm came together.
    expectEqual(calls.withLock { $0.prefix(2) }, [.records, .put(positionCount: 1)])
    await bench.triggers.stop()
  }

  /// `TriggerService` 2
  @Test func changesOfTriggersAreMadeOneAfterTheOther() async throws {
    let (signal, calls) = (TestSignal(), Locked(0))
    let bench = try TriggerBench(
      FunctionTable(),
      wrap: {
        WatchedStore(base: $0) { call in
          guard call == .records else { return }
          let isFirst = calls.withLock { count in
            count += 1
            return count == 1
          }
          if isFirst { await signal.wait() }
        }
      })
    let first = Task { await bench.triggers.apply([TriggerBench.trigger()]) }
    while calls.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(1)) }
    let second = Task { await bench.triggers.apply([]) }
    // It would read the records meanwhile.
    try await Task.sleep(for: .milliseconds(50))
    expectEqual(calls.withLock { $0 }, 1)
    signal.give()
    await first.value
    await second.value
    await expectTrue(bench.triggers.statuses().isEmpty)
    let records = try bench.triggerSystem.openDatabase()
    await #expect(try TriggerRecords(records, app: "test").records().isEmpty)
    await bench.triggers.stop()
  }

  // MARK: Runs

  /// `DatabaseRun` 2
  @Test func noVersionIsHeldWhileAFunctionRuns() async throws {
    let (begun, signal) = (TestSignal(), TestSignal())
    var table = FunctionTable()
    table["f"] = { _ in
      begun.give()
      await signal.wait()
      return .null
    }
    let bench = try TriggerBench(table)
    await bench.triggers.apply([TriggerBench.trigger { $0.documentBefore = true }])
    try await bench.call("insertOne", #""document":{"_id":1}"#)
    await begun.wait()
    let realm = try #require(bench.files.realms(ofApp: "test").first)
    let file = try bench.files.open(realm)
    let version = file.newestVersion
    for id in 2...4 { try await bench.call("insertOne", #""document":{"_id":\#(id)}"#) }
    // The server itself has the newest version.
    try await TriggerBench.wait { file.oldestPinnedVersion > version }
    signal.give()
    await bench.triggers.settle()
    await bench.triggers.stop()
  }

  /// `DatabaseRun` 3
  @Test func positionsAreStoredAfterDeliveriesAndNowAndThen() async throws {
    let (count, time) = (Locked(0), Locked<Milliseconds>(0))
    let timer = SyncClock(
      now: { time.withLock { $0 } },
      sleep: { (_) async throws(CancellationError) in
        do { try await Task.sleep(for: .seconds(3_600)) } catch { throw CancellationError() }
      })
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(
      kept.table, timer: timer,
      wrap: { WatchedStore(base: $0) { call in if call == .set { count.withLock { $0 += 1 } } } })
    let settings = TriggerBench.trigger { $0.operations = [.delete] }
    await bench.triggers.apply([settings])
    // Nothing of this is delivered.
    for id in 1...3 { try await bench.call("insertOne", #""document":{"_id":\#(id)}"#) }
    await bench.triggers.settle()
    expectEqual(count.withLock { $0 }, 0)
    time.withLock { $0 += 30_000 }
    await bench.triggers.settle()
    expectEqual(count.withLock { $0 }, 1)
    for id in 1...2 { try await bench.call("deleteOne", #""query":{"_id":\#(id)}"#) }
    await bench.triggers.settle()
    expectEqual(kept.take().count, 2)
    // A server that is killed now has nothing to repeat.
    let next = try bench.restarted()
    await bench.triggers.stop()
    await next.triggers.apply([settings])
    await next.triggers.settle()
    expectTrue(kept.all.isEmpty)
    await next.triggers.stop()
  }

  // MARK: Records

  /// What the disk has after a crash is what each call has changed.
  /// `TriggerRecords` 1
  @Test func whatACallHasChangedIsDurable() async throws {
    let system = try SimulatedFileSystem()
    let records = try TriggerRecords(system.openDatabase(), app: "test")
    let realm = RealmID("test/a")
    func found() async throws -> ([TriggerRecord], TriggerPosition?) {
      let contents = CrashStates.durable(after: system.file.trace, initial: [])
      let copy = try SimulatedFileSystem(contents: contents)
      let stored = try TriggerRecords(copy.openDatabase(), app: "test")
      return (try await stored.records(), try await stored.position(of: "t", in: realm))
    }
    var record = TriggerRecord("t", subject: "s")
    let places = (2...3).map { TriggerPosition(version: $0, salt: 7) }
    try await records.put(record, positions: [realm: places[0]])
    #expect(try await found() == ([record], places[0]))
    try await records.set([realm: places[1]], of: "t")
    #expect(try await found() == ([record], places[1]))
    try await records.set(number: 9, of: "t")
    #expect(try await records.ask(.suspend, of: "t"))
    (record.number, record.request) = (9, .suspend)
    #expect(try await found() == ([record], places[1]))
    // One that finds no room changes nothing.
    system.file.limitDisk(to: try system.file.byteCount())
    record.error = String(repeating: "x", count: 1 << 20)
    await #expect(throws: StoreError.self) { try await records.put(record, positions: [:]) }
    record.error = nil
    #expect(try await found() == ([record], places[1]))
    try await expectEqual(records.records(), [record])
    system.file.limitDisk(to: .max)
    try await records.remove("t")
    #expect(try await found() == ([], nil))
  }
}
#endif
