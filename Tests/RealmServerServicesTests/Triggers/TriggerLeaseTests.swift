// SPDX-License-Identifier: Apache-2.0

// Triggers of several servers: those of the one with the lease run.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct TriggerLeaseTests {
  /// A lease that a test gives and takes.
  private final class TestLease: TriggerLease {
    private struct State {
      var isFree: Bool
      var isHeld = false
    }

    private let state: Locked<State>

    init(isFree: Bool) { state = Locked(State(isFree: isFree)) }

    /// Another server has it from now on, or gives it up.
    func setFree(_ isFree: Bool) {
      state.withLock { state in
        state.isFree = isFree
        if !isFree { state.isHeld = false }
      }
    }

    var interval: Milliseconds { 5_000 }
    var isHeld: Bool { state.withLock { $0.isHeld } }

    func take() async throws(StoreError) -> Bool {
      state.withLock { state in
        state.isHeld = state.isFree
        return state.isFree
      }
    }

    func renew() async -> Bool { isHeld }
    func giveUp() async { state.withLock { $0.isHeld = false } }
  }

  /// A store with a lease.
  private struct LeasedStore: TriggerStore {
    let base: any TriggerStore
    let testLease: TestLease

    var lease: (any TriggerLease)? { testLease }

    func records() async throws(StoreError) -> [TriggerRecord] { try await base.records() }

    func put(
      _ record: TriggerRecord, positions: [RealmID: TriggerPosition]?
    ) async throws(StoreError) {
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

  /// A trigger that is not suspended, however many attempts fail before a test goes on.
  private static let trigger: TriggerSettings = {
    var trigger = TriggerSettings(
      "t", function: "f", .authentication(AuthenticationTrigger(.login)))
    trigger.attemptCountMax = .max
    return trigger
  }()

  private static func bench(
    _ kept: TriggerEventsKept, _ lease: TestLease
  ) async throws -> TriggerBench {
    let bench = try TriggerBench(
      kept.table, wrap: { LeasedStore(base: $0, testLease: lease) })
    var file = AppFile(id: "test", name: "test")
    file.triggers = [trigger]
    bench.accounts.apply(file.accounts)
    await bench.triggers.apply([trigger])
    return bench
  }

  private static func logIn(_ bench: TriggerBench) async throws -> String {
    try await bench.accounts.logInAnonymously(device: nil).account
  }

  /// The users of the events, in their order.
  private static func users(_ kept: TriggerEventsKept) -> [String] {
    kept.all.compactMap { $0["user"]?["id"]?.text }
  }

  /// `TriggerService` 4
  @Test func triggersRunWhileTheServerHasTheLease() async throws {
    let (kept, lease) = (TriggerEventsKept(), TestLease(isFree: true))
    let bench = try await Self.bench(kept, lease)
    let first = try await Self.logIn(bench)
    try await TriggerBench.wait { Self.users(kept) == [first] }
    await bench.triggers.settle()
    lease.setFree(false)
    try await TriggerBench.wait {
      bench.notices.withLock { $0 }.contains("Another server runs the triggers of the app")
    }
    let second = try await Self.logIn(bench)
    let third = try await Self.logIn(bench)
    await bench.triggers.settle()
    expectEqual(Self.users(kept), [first])
    // They are listed with the state in the records.
    await expectEqual(bench.status()?.state, .active)
    lease.setFree(true)
    try await TriggerBench.wait { Self.users(kept) == [first, second, third] }
    await bench.triggers.stop()
    expectFalse(lease.isHeld)
  }

  /// `TriggerRecords` 2
  @Test func aServerWithoutTheLeaseNotesTheWishesOfOperators() async throws {
    let (kept, lease) = (TriggerEventsKept(), TestLease(isFree: true))
    let bench = try await Self.bench(kept, lease)
    lease.setFree(false)
    try await TriggerBench.wait { !bench.notices.withLock { $0 }.isEmpty }
    await bench.triggers.settle()
    await bench.triggers.suspend("t")
    _ = try await Self.logIn(bench)
    lease.setFree(true)
    try await TriggerBench.wait { await bench.status()?.state == .suspended }
    expectTrue(Self.users(kept).isEmpty)
    await bench.triggers.stop()
  }

  /// `TriggerContext` 3
  @Test func noCallBeginsAfterTheLeaseIsLost() async throws {
    let (kept, lease) = (TriggerEventsKept(), TestLease(isFree: true))
    let bench = try await Self.bench(kept, lease)
    kept.failures.withLock { $0 = .max }
    _ = try await Self.logIn(bench)
    try await TriggerBench.wait { await bench.status()?.failed ?? 0 > 0 }
    lease.setFree(false)
    try await TriggerBench.wait {
      bench.notices.withLock { $0 }.contains("Another server runs the triggers of the app")
    }
    kept.failures.withLock { $0 = 0 }
    await bench.triggers.settle()
    expectTrue(Self.users(kept).isEmpty)
    lease.setFree(true)
    try await TriggerBench.wait { Self.users(kept).count == 1 }
    await bench.triggers.stop()
  }
}
#endif
