// SPDX-License-Identifier: Apache-2.0

// Random lives of a server with triggers: writes in several partitions, functions that fail and are
// slow, upkeep, and a kill at any call of the store.

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

struct TriggerRunTests {
  /// A store that dies at a call: before it does anything, or after.
  private final class MortalStore: TriggerStore {
    private let base: any TriggerStore
    private let left: Locked<Int>
    private let diesBefore: Bool
    /// Changes positions on their way to the store, as a faulty server would.
    private let fault: (@Sendable (RealmID, TriggerPosition) async -> TriggerPosition)?

    init(
      _ base: any TriggerStore, calls: Int, diesBefore: Bool,
      fault: (@Sendable (RealmID, TriggerPosition) async -> TriggerPosition)? = nil
    ) {
      self.base = base
      left = Locked(calls)
      self.diesBefore = diesBefore
      self.fault = fault
    }

    private static let death = StoreError.unavailable("the server was killed")

    private func use<R: Sendable>(
      _ call: () async throws(StoreError) -> R
    ) async throws(StoreError) -> R {
      let count = left.withLock { left in
        left -= 1
        return left
      }
      guard count >= 0, count > 0 || !diesBefore else { throw Self.death }
      let result = try await call()
      if count == 0 { throw Self.death }
      return result
    }

    func records() async throws(StoreError) -> [TriggerRecord] {
      try await use { () async throws(StoreError) in try await base.records() }
    }

    func put(
      _ record: TriggerRecord, positions: [RealmID: TriggerPosition]?
    ) async throws(StoreError) {
      try await use { () async throws(StoreError) in
        try await base.put(record, positions: positions)
      }
    }

    func remove(_ trigger: String) async throws(StoreError) {
      try await use { () async throws(StoreError) in try await base.remove(trigger) }
    }

    func position(
      of trigger: String, in realm: RealmID
    ) async throws(StoreError) -> TriggerPosition? {
      try await use { () async throws(StoreError) in
        try await base.position(of: trigger, in: realm)
      }
    }

    func set(
      _ positions: [RealmID: TriggerPosition], of trigger: String
    ) async throws(StoreError) {
      var changed = positions
      if let fault {
        for (realm, position) in positions { changed[realm] = await fault(realm, position) }
      }
      let all = changed
      try await use { () async throws(StoreError) in try await base.set(all, of: trigger) }
    }

    func ask(
      _ request: TriggerRecord.Request, of trigger: String
    ) async throws(StoreError) -> Bool {
      try await use { () async throws(StoreError) in try await base.ask(request, of: trigger) }
    }

    func set(number: Int64, of trigger: String) async throws(StoreError) {
      try await use { () async throws(StoreError) in
        try await base.set(number: number, of: trigger)
      }
    }
  }

  /// A random run of one server with several lives.
  private final class Run {
    private static let openMax = 3
    private let partitions = ["p", "q", "r", "s"]
    private let withFault: Bool
    private var generator: SeededGenerator
    private let checkers = Locked<[String: DeliveryChecker]>([:])
    private let life = Locked(0)
    /// Of a hundred calls, so many fail.
    private let failurePercent: Int
    private var bench: TriggerBench
    private var nextID = 0
    private var present: [String: [Int]] = [:]
    private var updated: Set<Int> = []
    private let settings: TriggerSettings

    init(seed: UInt64, withFault: Bool = false) throws {
      self.withFault = withFault
      generator = SeededGenerator(seed: seed)
      failurePercent = generator.pick([0, 10, 40])
      var settings = TriggerBench.trigger()
      settings.attemptCountMax = 1_000
      self.settings = settings
      let random = Locked(SeededGenerator(seed: seed &+ 1_000))
      let (checkers, life, percent) = (checkers, life, failurePercent)
      var table = FunctionTable()
      table["f"] = { call in
        let (fails, pauses) = random.withLock {
          ($0.percent(percent), $0.percent(20) ? $0.number(below: 20) : 0)
        }
        for _ in 0..<pauses { await Task.yield() }
        if fails { throw FunctionError.failed("not now") }
        let event = call.arguments[0]
        let partition = event["partition"]?.text ?? ""
        let text = Run.text(event)
        let number = life.withLock { $0 }
        checkers.withLock {
          $0[partition, default: DeliveryChecker()].delivered.append(
            DeliveryChecker.Delivery(life: number, event: text))
        }
        return .null
      }
      bench = try TriggerBench(table, mode: .partition, seed: seed, openMax: Self.openMax)
    }

    /// What a write and its event have in common. The values of an update may be newer ones.
    private static func text(_ event: BSONValue) -> String {
      let id = event["documentKey"]?["_id"].map(DocumentBench.text) ?? ""
      return "\(event["operationType"]?.text ?? "") \(id)"
    }

    func run() async throws -> [String] {
      await begin(calls: .max)
      for _ in 0..<generator.number(below: 6) + 2 {
        for _ in 0..<generator.number(below: 25) { try await step() }
        try await restart(calls: generator.percent(70) ? generator.number(below: 60) + 1 : .max)
      }
      // The last life has time.
      try await restart(calls: .max)
      await bench.triggers.settle()
      await bench.triggers.stop()
      let status = checkers.withLock { $0 }
      return partitions.compactMap { partition in
        status[partition]?.problem.map { "\(partition): \($0)" }
      }
    }

    private func begin(calls: Int) async {
      let (diesBefore, fault) = (generator.percent(50), withFault)
      let app = Locked<ServerApp?>(nil)
      if let next = try? bench.restarted(
        seed: generator.next(), openMax: Self.openMax,
        wrap: { base in
          MortalStore(base, calls: calls, diesBefore: diesBefore) { (realm, position) in
            // As if all that is there were delivered.
            guard fault, let app = app.withLock({ $0 }),
              let outline = try? await app.realms.peek(realm)
            else { return position }
            return TriggerPosition(outline.head)
          }
        })
      {
        bench = next
      }
      app.withLock { $0 = bench.app }
      life.withLock { $0 += 1 }
      await bench.triggers.apply([settings])
    }

    /// Kills the server, perhaps at a call of its store, and starts another on its files.
    private func restart(calls: Int) async throws {
      let dead = try bench.restarted(seed: generator.next(), openMax: Self.openMax)
      await bench.triggers.stop()
      bench = dead
      await begin(calls: calls)
    }

    private func step() async throws {
      let partition = generator.pick(partitions)
      let known = present[partition] ?? []
      let text: String
      switch generator.number(below: 11) {
      case 0..<5:
        nextID += 1
        present[partition, default: []].append(nextID)
        try await bench.call(
          "insertOne", #""document":{"_id":\#(nextID),"_partition":"\#(partition)"}"#)
        text = "insert \(nextID)"
      case 5:
        // Once, as each write has another text.
        guard let id = known.last, updated.insert(id).inserted else { return }
        try await bench.call(
          "updateOne",
          #""query":{"_id":\#(id),"_partition":"\#(partition)"},"update":{"$set":{"n":7}}"#)
        text = "update \(id)"
      case 6:
        guard !known.isEmpty else { return }
        let id = known[generator.number(below: known.count)]
        present[partition] = known.filter { $0 != id }
        try await bench.call(
          "deleteOne", #""query":{"_id":\#(id),"_partition":"\#(partition)"}"#)
        text = "delete \(id)"
      case 7:
        // Of another class, of which the trigger does not hear.
        nextID += 1
        _ = try await bench.documents.call(
          "insertOne",
          [
            try ExtendedJSONReader.parse(
              #"{"database":"db","collection":"Owner","document":"#
                + #"{"_id":"\#(nextID)","_partition":"\#(partition)"}}"#)
          ], user: nil)
        return
      case 8:
        for _ in 0..<generator.number(below: 30) { await Task.yield() }
        return
      default:
        let (app, triggers) = (bench.app, bench.triggers)
        _ = await ServerUpkeep(
          app, accounts: bench.accounts, clock: ServerClock(bench.clock.now),
          kept: { (realm) async throws(StoreError) in try await triggers.keptVersion(of: realm) }
        ).run()
        return
      }
      checkers.withLock { $0[partition, default: DeliveryChecker()].written.append(text) }
    }
  }

  /// `DatabaseRun` 1
  @Test(.heavy) func eachChangeIsDeliveredAtLeastOnceInItsOrder() async throws {
    for seed in ConvergenceSeeds.seeds(12) {
      let problems = try await Run(seed: seed).run()
      expectTrue(problems.isEmpty, "seed \(seed): \(problems)")
    }
  }

  @Test(.heavy) func positionsThatRunAheadAreNoticed() async throws {
    var count = 0
    for seed in 1...25 as ClosedRange<UInt64> where count == 0 {
      count += try await Run(seed: seed, withFault: true).run().count
    }
    expectTrue(count > 0)
  }

  // MARK: The checker

  @Test(
    arguments: [
      (["a", "b", "c"], nil), (["a", "b", "|", "b", "c"], nil), (["a", "|", "a", "b", "c"], nil),
      (["a", "b"], "c was never delivered"), (["a", "c", "b"], "b is left out before c"),
      (["a", "a", "b", "c"], "a comes after a in one life"), (["d"], "d was never written"),
      (["a", "b", "|", "c", "b"], "b comes after c in one life"),
      (["a", "|", "c"], "b is left out before c"),
    ] as [([String], String?)])
  func faultyDeliveriesAreNoticed(_ events: [String], _ problem: String?) {
    var checker = DeliveryChecker(written: ["a", "b", "c"])
    var life = 0
    for event in events {
      if event == "|" {
        life += 1
      } else {
        checker.delivered.append(DeliveryChecker.Delivery(life: life, event: event))
      }
    }
    expectEqual(checker.problem, problem)
  }
}
#endif
