// SPDX-License-Identifier: Apache-2.0

// Triggers on changes of a class.

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

struct TriggerTests {
  enum ModeCase: Sendable { case flexible, partition }

  @Test(arguments: [ModeCase.flexible, .partition])
  func changesOfAClassAreEvents(mode: ModeCase) async throws {
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table, mode: mode == .flexible ? .flexible : .partition)
    let field = mode == .flexible ? "" : #","_partition":"p""#
    let named = mode == .flexible ? "" : #","partition":"p""#
    try await bench.call("insertOne", #""document":{"_id":1,"n":1\#(field)}"#)
    await bench.triggers.apply([TriggerBench.trigger { $0.documentBefore = true }])
    // A new trigger is told nothing of the past.
    try await bench.call("insertOne", #""document":{"_id":2,"n":1,"s":"a"\#(field)}"#)
    await bench.triggers.settle()
    let inserted = kept.take()
    expectEqual(inserted.count, 1)
    #expect(
      inserted[0].hasPrefix(
        #"{"operationType":"insert","documentKey":{"_id":2},"fullDocument":{"_id":2,"n":1,"s":"a""#)
    )
    expectTrue(inserted[0].hasSuffix("\(field)}\(named)}"))
    try await bench.call(
      "updateOne", #""query":{"_id":2\#(field)},"update":{"$set":{"n":2},"$unset":{"s":""}}"#)
    await bench.triggers.settle()
    let updated = kept.take()
    expectEqual(updated.count, 1)
    #expect(
      updated[0].contains(
        #""updateDescription":{"updatedFields":{"n":2},"removedFields":["s"]}"#), "\(updated)")
    let before = try #require(updated[0].firstRange(of: #""fullDocumentBeforeChange":"#))
    let rest = updated[0][before.upperBound...]
    #expect(rest.hasPrefix(#"{"_id":2"#))
    #expect(rest.contains(#""n":1"#))
    #expect(rest.contains(#""s":"a""#))
    try await bench.call("deleteOne", #""query":{"_id":2\#(field)}"#)
    try await bench.call("updateOne", #""query":{"_id":1\#(field)},"update":{"$set":{"n":9}}"#)
    await bench.triggers.settle()
    let last = kept.take()
    expectEqual(last.count, 2)
    #expect(
      last[0].hasPrefix(
        #"{"operationType":"delete","documentKey":{"_id":2},"fullDocumentBeforeChange":{"_id":2"#))
    #expect(last[0].contains(#""n":2"#), "\(last[0])")
    #expect(!last[0].contains(#""s":"#), "\(last[0])")
    #expect(last[1].hasPrefix(#"{"operationType":"update","documentKey":{"_id":1}"#))
    await bench.triggers.stop()
  }

  /// Its triggers get news of them, where both share a store.
  @Test func theRealmsOfAnotherAppAreLeftAlone() async throws {
    let store = EmbeddedStore(SimulatedFiles(), salts: SaltSource(SeededGenerator(seed: 9)))
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table, store: store)
    let other = try TriggerBench(FunctionTable(), appName: "other", store: store)
    await bench.triggers.apply([TriggerBench.trigger()])
    try await bench.call("insertOne", #""document":{"_id":1,"n":1}"#)
    await bench.triggers.settle()
    try await other.call("insertOne", #""document":{"_id":2,"n":1}"#)
    try await bench.call("insertOne", #""document":{"_id":3,"n":1}"#)
    try await TriggerBench.wait { kept.all.count >= 2 }
    await bench.triggers.settle()
    expectEqual(kept.all.count, 2)
    // Its owner is the same as before.
    try await other.call("insertOne", #""document":{"_id":4,"n":1}"#)
    await bench.triggers.stop()
  }

  @Test func aTriggerSaysWhichEventsItWants() async throws {
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table)
    let match = try ExtendedJSONReader.parse(#"{"fullDocument.n":{"$gte":5}}"#)
    await bench.triggers.apply([
      TriggerBench.trigger {
        $0.operations = [.insert, .update]
        $0.match = match
      }
    ])
    try await bench.call(
      "insertMany", #""documents":[{"_id":1,"n":1},{"_id":2,"n":5},{"_id":3,"n":6}]"#)
    await bench.triggers.settle()
    let inserted = kept.take()
    expectEqual(inserted.map { $0.contains(#""_id":2"#) }, [true, false], "\(inserted)")
    #expect(inserted.allSatisfy { $0.contains(#""operationType":"insert""#) })
    try await bench.call("deleteOne", #""query":{"_id":3}"#)
    try await bench.call("updateOne", #""query":{"_id":2},"update":{"$set":{"n":4}}"#)
    try await bench.call("updateOne", #""query":{"_id":1},"update":{"$set":{"n":7}}"#)
    await bench.triggers.settle()
    let updated = kept.take()
    expectEqual(
      updated.map { $0.contains(#""updatedFields":{"n":7}"#) }, [true], "\(updated)")
    await bench.triggers.stop()
  }

  @Test func anObjectThatCameAgainInOneVersionIsReplaced() throws {
    let object = ObjectIdentity(className: "Thing", key: .value(.int(1)))
    var encoder = ChangesetEncoder()
    let reference = ObjectReference(table: encoder.intern("Thing"), key: .int(1))
    encoder.append(.eraseObject(reference))
    encoder.append(.createObject(reference))
    let time = OriginTimestamp(milliseconds: 1)
    var entry = StoredEntry(
      version: 1, salt: 1, file: .server, clientVersion: 0, timestamp: time, committed: time,
      originalByteCount: 0, totalByteCount: 0, changeset: encoder.bytes)
    entry.touches = [Touch(object: object, existence: .stayed)]
    try expectEqual(TriggerChange.all(in: entry, ofClass: "Thing").map(\.operation), [.replace])
    entry.touches = []
    try expectEqual(TriggerChange.all(in: entry, ofClass: "Thing").map(\.operation), [.replace])
    entry.touches = [Touch(object: object, existence: .absent)]
    #expect(try TriggerChange.all(in: entry, ofClass: "Thing").isEmpty)
    #expect(try TriggerChange.all(in: entry, ofClass: "Other").isEmpty)
  }

  // MARK: The document before

  /// A document as the events of a trigger and a model have it.
  private struct Thing: Equatable {
    var number: Int64?
    var text: String?
    var map: Int64?

    init(_ number: Int) {
      (self.number, text, map) = (Int64(number), "s\(number)", Int64(number))
    }

    init(_ document: BSONValue) {
      number = document["n"]?.wholeNumber
      text = document["s"]?.text
      map = document["map"]?["k"]?.wholeNumber
    }

    /// Whether each value that is there is that of another one.
    func isPart(of other: Thing) -> Bool {
      (number == nil || number == other.number) && (text == nil || text == other.text)
        && (map == nil || map == other.map)
    }
  }

  /// Events that are late have the document of their version, or less of it: dictionaries have
  /// no former values in the history.
  /// `TriggerEvents` 1
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func theDocumentBeforeAChangeIsExactOrNotThere(_ seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let kept = TriggerEventsKept()
    let isFlexible = generator.percent(50)
    let field = isFlexible ? "" : #","_partition":"p""#
    let bench = try TriggerBench(
      kept.table, mode: isFlexible ? .flexible : .partition, seed: seed)
    await bench.triggers.apply([TriggerBench.trigger { $0.documentBefore = true }])
    var model: [Int: Thing] = [:]
    var expected: [Thing?] = []
    for number in 1...30 {
      if generator.percent(10) { await bench.triggers.suspend("t") }
      if generator.percent(10) { await bench.triggers.resume("t") }
      let id = generator.number(below: 2)
      let query = #""query":{"_id":\#(id)\#(field)}"#
      guard let known = model[id] else {
        try await bench.call(
          "insertOne",
          #""document":{"_id":\#(id),"n":\#(number),"s":"s\#(number)","#
            + #""map":{"k":\#(number)}\#(field)}"#
        )
        model[id] = Thing(number)
        expected.append(nil)
        continue
      }
      expected.append(known)
      if generator.percent(20) {
        try await bench.call("deleteOne", query)
        model[id] = nil
        continue
      }
      var values: [String] = []
      let fields = generator.number(below: 7) + 1
      if fields & 1 != 0 {
        values.append(#""n":\#(number)"#)
        model[id]?.number = Int64(number)
      }
      if fields & 2 != 0 {
        values.append(#""s":"s\#(number)""#)
        model[id]?.text = "s\(number)"
      }
      if fields & 4 != 0 {
        values.append(#""map":{"k":\#(number)}"#)
        model[id]?.map = Int64(number)
      }
      try await bench.call(
        "updateOne", query + #","update":{"$set":{\#(values.joined(separator: ","))}}"#)
    }
    await bench.triggers.resume("t")
    await bench.triggers.settle()
    await bench.triggers.stop()
    let befores = kept.all.map { $0["fullDocumentBeforeChange"] }
    try #require(befores.count == expected.count)
    var exactCount = 0
    for (index, (before, thing)) in zip(befores, expected).enumerated() {
      guard let thing else {
        expectEqual(before, nil, "\(index)")
        continue
      }
      guard let before, before != .null else { continue }
      let found = Thing(before)
      expectTrue(found.isPart(of: thing), "\(index): \(found) is not \(thing)")
      if found.number != nil, found.text != nil { exactCount += 1 }
    }
    let count = expected.count { $0 != nil }
    expectTrue(exactCount * 2 > count, "\(exactCount) of \(count)")
  }

  // MARK: Failures

  /// `TriggerContext` 1
  @Test func aFailingEventIsRepeatedUntilItIsTaken() async throws {
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table)
    await bench.triggers.apply([TriggerBench.trigger()])
    kept.failures.withLock { $0 = 5 }
    try await bench.call("insertMany", #""documents":[{"_id":1},{"_id":2}]"#)
    await bench.triggers.settle()
    expectEqual(kept.all.count, 2)
    let status = try #require(await bench.status())
    expectEqual(status.failed, 5)
    expectEqual(status.delivered, 2)
    expectEqual(status.skipped, 0)
    expectEqual(status.state, .active)
    expectEqual(status.error, "not now")
    expectEqual(status.attempt, 0)
    await bench.triggers.stop()
  }

  @Test func anEventThatKeepsFailingSuspendsTheTrigger() async throws {
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table)
    var settings = TriggerBench.trigger()
    settings.attemptCountMax = 3
    await bench.triggers.apply([settings])
    kept.failures.withLock { $0 = 3 }
    try await bench.call("insertOne", #""document":{"_id":1}"#)
    try await TriggerBench.wait { await bench.status()?.state == .suspended }
    await expectEqual(bench.status()?.error?.contains("failed 3 times"), true)
    try await bench.call("insertOne", #""document":{"_id":2}"#)
    // Neither another start nor the same settings wake it.
    let again = try bench.restarted()
    await bench.triggers.stop()
    await again.triggers.apply([settings])
    await again.triggers.settle()
    #expect(await again.status()?.state == .suspended && kept.all.isEmpty)
    await again.triggers.resume("t")
    await again.triggers.settle()
    expectEqual(kept.take().count, 2)
    // The operator suspends it, too.
    await again.triggers.suspend("t")
    try await again.call("insertOne", #""document":{"_id":3}"#)
    await again.triggers.settle()
    expectTrue(kept.all.isEmpty)
    await expectEqual(again.status()?.state, .suspended)
    await again.triggers.resume("t", from: .now)
    try await again.call("insertOne", #""document":{"_id":4}"#)
    await again.triggers.settle()
    expectEqual(kept.take().map { $0.contains(#""_id":4"#) }, [true])
    await again.triggers.resume("t", from: .start)
    await again.triggers.settle()
    expectEqual(kept.take().count, 4)
    await again.triggers.stop()
  }

  @Test func anEventIsLeftOutWhereTheSettingsSaySo() async throws {
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table)
    var settings = TriggerBench.trigger()
    settings.attemptCountMax = 2
    settings.onFailure = .skip
    await bench.triggers.apply([settings])
    kept.failures.withLock { $0 = 2 }
    try await bench.call("insertOne", #""document":{"_id":1}"#)
    try await bench.call("insertOne", #""document":{"_id":2}"#)
    await bench.triggers.settle()
    expectEqual(kept.take().map { $0.contains(#""_id":2"#) }, [true])
    await expectEqual(bench.status()?.skipped, 1)
    await bench.triggers.stop()
  }

  @Test func aSlowTriggerHoldsUpNoOther() async throws {
    let kept = TriggerEventsKept()
    let (release, gate) = AsyncStream.makeStream(of: Void.self)
    var table = kept.table
    table["slow"] = { _ in
      for await _ in release {}
      return .null
    }
    let bench = try TriggerBench(table)
    await bench.triggers.apply([
      TriggerBench.trigger(), TriggerBench.trigger("slow", function: "slow"),
    ])
    for id in 0..<20 { try await bench.call("insertOne", #""document":{"_id":\#(id)}"#) }
    try await TriggerBench.wait { kept.all.count == 20 }
    await expectEqual(bench.status("slow")?.delivered, 0)
    gate.finish()
    await bench.triggers.settle()
    await expectEqual(bench.status("slow")?.delivered, 20)
    await bench.triggers.stop()
  }

  @Test func eventsOfAnUnorderedTriggerRunBesideEachOther() async throws {
    let running = Locked((now: 0, most: 0))
    let (release, gate) = AsyncStream.makeStream(of: Void.self)
    var table = FunctionTable()
    table["f"] = { _ in
      running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      for await _ in release {}
      running.withLock { $0.now -= 1 }
      return .null
    }
    let bench = try TriggerBench(table)
    await bench.triggers.apply([TriggerBench.trigger { $0.isUnordered = true }])
    try await bench.call("insertMany", #""documents":[{"_id":1},{"_id":2},{"_id":3}]"#)
    try await TriggerBench.wait { running.withLock { $0.most } == 3 }
    gate.finish()
    await bench.triggers.settle()
    await expectEqual(bench.status()?.delivered, 3)
    await bench.triggers.stop()
  }

  /// `TriggerContext` 2
  @Test func triggersThatSetEachOtherOffAreStopped() async throws {
    let calls = Locked(0)
    var table = FunctionTable()
    table["f"] = { call in
      let number = calls.withLock { count in
        count += 1
        return count
      }
      return try await call.callDocuments(
        "insertOne",
        .document([
          BSONElement("database", .string("db")), BSONElement("collection", .string("Thing")),
          BSONElement("document", .document([BSONElement("_id", .int64(Int64(1_000 + number)))])),
        ]))
    }
    let bench = try TriggerBench(table)
    await bench.triggers.apply([TriggerBench.trigger()])
    try await bench.call("insertOne", #""document":{"_id":1}"#)
    try await TriggerBench.wait { await bench.status()?.state == .suspended }
    expectEqual(calls.withLock { $0 }, TriggerContext.depthMax)
    await expectEqual(bench.status()?.error?.contains("set each other off"), true)
    await bench.triggers.stop()
  }

  // MARK: Positions

  @Test func aTriggerThatWasDisabledCatchesUpUnlessItIsNotTo() async throws {
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table)
    var settings = TriggerBench.trigger()
    await bench.triggers.apply([settings])
    for (id, skips) in [(1, false), (2, true)] {
      settings.isDisabled = true
      await bench.triggers.apply([settings])
      try await bench.call("insertOne", #""document":{"_id":\#(id)}"#)
      await bench.triggers.settle()
      expectTrue(kept.all.isEmpty)
      await expectEqual(bench.status()?.state, .disabled)
      settings.isDisabled = false
      settings.skipsCatchUp = skips
      await bench.triggers.apply([settings])
      await bench.triggers.settle()
      expectEqual(kept.take().count, (skips ? 0 : 1))
    }
    // A trigger that was taken out begins anew.
    await bench.triggers.apply([])
    try await bench.call("insertOne", #""document":{"_id":3}"#)
    await bench.triggers.apply([settings])
    await bench.triggers.settle()
    expectTrue(kept.all.isEmpty)
    await bench.triggers.stop()
  }

  /// `TriggerService` 3
  @Test func historyWaitsForTheTriggersThatNeedIt() async throws {
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table)
    await bench.triggers.apply([TriggerBench.trigger()])
    await bench.triggers.suspend("t")
    for id in 1...5 { try await bench.call("insertOne", #""document":{"_id":\#(id)}"#) }
    let upkeep = ServerUpkeep(
      bench.app, accounts: bench.accounts, clock: ServerClock(bench.clock.now),
      kept: { [triggers = bench.triggers] (realm) async throws(StoreError) in
        try await triggers.keptVersion(of: realm)
      })
    await expectEqual(upkeep.run().trimmedVersions, 0)
    // Before any trigger runs, too.
    let again = try bench.restarted()
    let early = ServerUpkeep(
      again.app, accounts: again.accounts, clock: ServerClock(again.clock.now),
      kept: { [triggers = again.triggers] (realm) async throws(StoreError) in
        try await triggers.keptVersion(of: realm)
      })
    await expectEqual(early.run().trimmedVersions, 0)
    await bench.triggers.resume("t")
    await bench.triggers.settle()
    expectEqual(kept.take().count, 5)
    // It is stored how far it has come, so the rest can go.
    await bench.triggers.suspend("t")
    #expect(await upkeep.run().trimmedVersions > 0)
    await bench.triggers.stop()
  }

  @Test(arguments: [false, true])
  func aTriggerThatWasAwayForTooLongSaysSo(tolerates: Bool) async throws {
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table)
    var settings = TriggerBench.trigger()
    settings.toleratesLostPosition = tolerates
    await bench.triggers.apply([settings])
    await bench.triggers.suspend("t")
    for id in 1...5 { try await bench.call("insertOne", #""document":{"_id":\#(id)}"#) }
    bench.clock.set(bench.clock.now().milliseconds + TriggerService.keptMilliseconds + 1)
    let upkeep = ServerUpkeep(
      bench.app, accounts: bench.accounts, clock: ServerClock(bench.clock.now),
      kept: { [triggers = bench.triggers] (realm) async throws(StoreError) in
        try await triggers.keptVersion(of: realm)
      })
    #expect(await upkeep.run().trimmedVersions > 0)
    await bench.triggers.resume("t")
    await bench.triggers.settle()
    if tolerates {
      await expectEqual(bench.status()?.state, .active)
      #expect(bench.notices.withLock { $0.contains { $0.contains("lost position") } })
    } else {
      await expectEqual(bench.status()?.state, .suspended)
      await expectEqual(bench.status()?.error?.hasPrefix("lost position"), true)
      await bench.triggers.resume("t")
      await bench.triggers.settle()
      #expect(await bench.status()?.state == .suspended && kept.all.isEmpty)
      await bench.triggers.resume("t", from: .now)
    }
    try await bench.call("insertOne", #""document":{"_id":6}"#)
    await bench.triggers.settle()
    expectEqual(kept.take().map { $0.contains(#""_id":6"#) }, [true])
    await bench.triggers.stop()
  }

  @Test func aBackupOfTheRealmsAloneIsALostPosition() async throws {
    let kept = TriggerEventsKept()
    let bench = try TriggerBench(kept.table)
    await bench.triggers.apply([TriggerBench.trigger()])
    try await bench.call("insertOne", #""document":{"_id":1}"#)
    let backup = try bench.files.restarted()
    try await bench.call("insertOne", #""document":{"_id":2}"#)
    await bench.triggers.settle()
    await bench.triggers.stop()
    expectEqual(kept.take().count, 2)
    let restored = try TriggerBench(
      kept.table, files: backup,
      triggerSystem: SimulatedFileSystem(contents: bench.triggerSystem.file.contents()), seed: 3)
    await restored.triggers.apply([TriggerBench.trigger()])
    try await TriggerBench.wait { await restored.status()?.state == .suspended }
    // Another history of the same length is none of the trigger's.
    try await restored.call("insertOne", #""document":{"_id":3}"#)
    await restored.triggers.resume("t")
    try await TriggerBench.wait { await restored.status()?.state == .suspended }
    expectTrue(kept.all.isEmpty)
    await restored.triggers.resume("t", from: .start)
    await restored.triggers.settle()
    expectEqual(kept.take().count, 2)
    await restored.triggers.stop()
  }

  @Test func commandsBesideTheServerAreCarriedOut() async throws {
    let kept = TriggerEventsKept()
    let stores = Locked<[any TriggerStore]>([])
    let bench = try TriggerBench(
      kept.table,
      wrap: { store in
        stores.withLock { $0.append(store) }
        return store
      })
    await bench.triggers.apply([TriggerBench.trigger()])
    let other = try #require(stores.withLock { $0.first })
    for (request, state) in [
      (TriggerRecord.Request.suspend, TriggerRecord.State.suspended), (.position, .active),
    ] {
      #expect(try await other.ask(request, of: "t"))
      #expect(try await !other.ask(request, of: "other"))
      await bench.triggers.carryOutRequests()
      let found = try #require(try await other.records().first)
      expectEqual(found.state, state)
      expectTrue(found.request == nil)
      await expectEqual(bench.status()?.state, state)
    }
    await bench.triggers.stop()
    let copy = try SimulatedFileSystem(contents: bench.triggerSystem.file.contents())
    #expect(throws: StoreError.self) { try TriggerRecords(copy.openDatabase(), app: "other") }
  }
}
#endif
