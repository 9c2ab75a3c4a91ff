// SPDX-License-Identifier: Apache-2.0

// Sessions without classes and realms, as an agent of the file uses them.

import Dispatch
import Foundation
import RealmQuery
import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession

struct SessionTests {
  private let directory: TemporaryDirectory
  private let shared: SharedFile
  private let table: TableKey
  private let number: Column

  init() throws {
    directory = try TemporaryDirectory()
    shared = SharedFile.of(try DatabaseFile.open(path: directory.file("session.realm")))
    let writing = try shared.tables(in: shared.file.beginWrite())
    let table = try writing.createTable(named: "class_Counter")
    number = try table.addColumn(named: "number", type: .int)
    self.table = table.key
    _ = try writing.commit()
  }

  private func session(
    _ confinement: Confinement = .current, limit: UInt64? = nil
  ) throws -> Session {
    var options = SessionOptions(shared, confinement, reading: try shared.newestTables())
    options.versionLimit = limit
    let session = Session(options)
    try session.startObserving()
    return session
  }

  private func createObjects(_ count: Int, in session: Session) throws -> [ObjectKey] {
    let table = try #require(try session.transaction?.table(table))
    var keys: [ObjectKey] = []
    for _ in 0..<count { keys.append(try table.createObject().key) }
    session.didMutate()
    return keys
  }

  private func set(_ value: Int64, of key: ObjectKey, in session: Session) throws {
    let table = try #require(try session.transaction?.table(table))
    try table.set(.int(value), number, key)
    session.didMutate()
  }

  private func add(_ value: Int64, in session: Session) throws {
    let table = try #require(try session.transaction?.table(table))
    let (key, _) = try table.createObject()
    try table.set(.int(value), number, key)
    session.didMutate()
  }

  private func numbers(in session: Session) throws -> [Int64] {
    var numbers: [Int64] = []
    let table = try #require(try session.readableTables().table(table))
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        numbers.append(try cluster.row(at: index).int(number.leafIndex))
      }
    }
    return numbers
  }

  @Test func aCommitIsShownByItsSessionAtOnceAndByOthersWhenTheyRefresh() throws {
    let writer = try session()
    let reader = try session()
    try writer.beginWrite()
    try add(1, in: writer)
    try writer.commitWrite()
    try expectEqual(numbers(in: writer), [1])
    try expectEqual(numbers(in: reader), [])
    #expect(try reader.refresh())
    try expectEqual(numbers(in: reader), [1])
    #expect(try !reader.refresh())
  }

  @Test func aCancelledTransactionLeavesNothing() throws {
    let session = try session()
    try session.beginWrite()
    try add(1, in: session)
    session.cancelWrite()
    expectFalse(session.isInWrite)
    try expectEqual(numbers(in: session), [])
    expectEqual(shared.file.newestVersion, (try session.snapshot().version))
  }

  /// `SessionState` 2 and `Session` 3.
  @Test func everyMoveChangesTheGeneration() throws {
    let session = try session()
    var seen = [session.state.pointee.generation]
    try session.beginWrite()
    seen.append(session.state.pointee.generation)
    try add(1, in: session)
    try session.commitWrite()
    seen.append(session.state.pointee.generation)
    let other = try self.session()
    try other.beginWrite()
    try add(2, in: other)
    try other.commitWrite()
    try session.refresh()
    seen.append(session.state.pointee.generation)
    session.invalidate()
    seen.append(session.state.pointee.generation)
    expectEqual(seen, seen.sorted())
    expectEqual(Set(seen).count, seen.count)
    expectTrue(session.firstValidGeneration > seen[3])
  }

  @Test func observersAreNotifiedBeforeTheNextTransactionBegins() throws {
    let session = try session(.queue(DispatchQueue(label: "observer")))
    let other = try self.session()
    var told: [ResultChanges] = []
    try session.confinement.run {
      let query = TableQuery(table)
      let observation = try session.observe(
        .results(query),
        Observation.Handler { change, _ in
          if case .collection(let changes) = change { told.append(changes) }
        })
      try session.refresh()
      try other.beginWrite()
      try add(1, in: other)
      try other.commitWrite()
      expectTrue(told.isEmpty)
      try session.beginWrite()
      expectEqual(told.map(\.insertions), [[0]])
      session.cancelWrite()
      observation.cancel()
    }
  }

  /// `Session+Advance` 1.
  @Test func callsThatAreDueAreMadeBeforeAnObserverWrites() throws {
    let session = try session(.queue(DispatchQueue(label: "observer")))
    let other = try self.session()
    var events: [String] = []
    try session.confinement.run {
      let writing = try session.observe(
        .results(TableQuery(table)),
        Observation.Handler { change, _ in
          guard case .collection = change else { return }
          events.append("first")
          try? session.beginWrite()
          events.append("write")
          session.cancelWrite()
        })
      let waiting = try session.observe(
        .results(TableQuery(table)),
        Observation.Handler { change, _ in
          if case .collection = change { events.append("second") }
        })
      try session.refresh()
      try other.beginWrite()
      try add(1, in: other)
      try other.commitWrite()
      #expect(try session.refresh())
      expectEqual(events, ["first", "second", "write"])
      writing.cancel()
      waiting.cancel()
    }
  }

  /// `SessionObservers` 3, `ObserverHub` 2 and 4, `ChangeBatch` 1 and 2: each transaction concerns
  /// some of many observers.
  @Test(arguments: 0..<4 as Range<UInt64>)
  func eachObserverIsNotifiedOfItsObjectInOrder(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let session = try session(.queue(DispatchQueue(label: "observers")))
    let other = try self.session()
    try other.beginWrite()
    let keys = try createObjects(30, in: other)
    try other.commitWrite()
    try session.confinement.run {
      try session.refresh()
      var told: [Int] = []
      var observations: [Observation] = []
      for (index, key) in keys.enumerated() {
        observations.append(
          try session.observe(
            .object(ObjectLocator(table: table, object: key)),
            Observation.Handler { _, _ in told.append(index) }))
      }
      for round in 1...20 {
        let changed = keys.indices.filter { _ in random.chance(0.3) }
        let writer = random.chance(0.5) ? session : other
        try writer.beginWrite()
        for index in changed.shuffled(using: &random) {
          try set(Int64(round), of: keys[index], in: writer)
        }
        try writer.commitWrite()
        try session.refresh()
        expectEqual(told, changed, "seed \(seed), round \(round)")
        told = []
      }
      for observation in observations { observation.cancel() }
    }
  }

  /// `ObserverHub` 1 and 3.
  @Test func whileABatchWaitsNothingIsComputed() throws {
    let queue = DispatchQueue(label: "busy")
    let deliveryCount = Locked(0)
    let hub = ObserverHub(ConfinementScheduler(for: .queue(queue))) {
      deliveryCount.withLock { $0 += 1 }
    }
    defer { hub.end() }
    hub.show(try shared.newestTables())
    var computed: [UInt64] = []
    func commitAndPrepare() throws {
      _ = try shared.tables(in: shared.file.beginWrite()).commit()
      hub.prepare(version: shared.file.newestVersion) { () throws(StorageError) in
        // It takes the lock.
        _ = hub.entries
        let tables = try shared.newestTables()
        computed.append(tables.version)
        return tables
      }
    }
    let first = shared.file.newestVersion + 1
    queue.suspend()
    for _ in 0..<3 { try commitAndPrepare() }
    expectEqual(computed, [first])
    expectEqual(hub.takeBatch()?.version, first)
    try commitAndPrepare()
    expectEqual(computed, [first, first + 3])
    expectEqual(hub.takeBatch()?.version, first + 3)
    queue.resume()
    queue.sync {}
    expectEqual(deliveryCount.withLock { $0 }, 1)
  }

  /// `DamageRecord` 1.
  @Test func damageIsNotedUntilTheBodyEnds() async throws {
    // Unchecked: the task asks for its record alone, and reads nothing of it.
    nonisolated(unsafe) let session = try session(.queue(DispatchQueue(label: "read")))
    let other = try self.session(.queue(DispatchQueue(label: "other")))
    let damage = StorageError.corrupted("a leaf")
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let (result, found) = DamageRecord.collect(in: session) { () -> Task<Bool, Never> in
      expectTrue(DamageRecord.of(other) == nil)
      DamageRecord.of(session)?.note(damage)
      return Task { () -> Bool in
        let record = DamageRecord.of(session)
        for await _ in gate {}
        record?.note(.corrupted("another one"))
        return DamageRecord.of(session) == nil
      }
    }
    expectEqual(found, damage)
    expectTrue(DamageRecord.of(session) == nil)
    opening.finish()
    try await expectTrue(result.get().value)
  }

  /// `Observation` 2.
  @Test func aHandlerIsDestroyedOutsideOfLocks() throws {
    let session = try session(.queue(DispatchQueue(label: "observer")))
    try session.confinement.run {
      let hub = try #require(session.observers).hub
      var observation: Observation?
      var endCount = 0
      do {
        let captured = AtEnd {
          endCount += 1
          // Both take the locks.
          let wasActive = observation?.cancel()
          expectEqual(wasActive, false)
          _ = hub.entries
        }
        observation = try session.observe(
          .results(TableQuery(table)),
          Observation.Handler { _, _ in withExtendedLifetime(captured) {} })
      }
      let wasActive = observation?.cancel()
      expectEqual(wasActive, true)
      expectEqual(endCount, 1)
    }
  }

  @Test func aSkippedObserverIsNotNotified() throws {
    let session = try session(.queue(DispatchQueue(label: "observer")))
    var calls = 0
    try session.confinement.run {
      let observation = SessionObservation(of: session) { _ in calls += 1 }
      session.observers?.add(observation)
      try session.beginWrite()
      try add(1, in: session)
      try session.commitWrite(skipping: SkippedObservers([observation]))
      expectEqual(calls, 0)
      try session.beginWrite()
      try session.commitWrite()
      expectEqual(calls, 1)
      observation.cancel()
    }
  }

  @Test func anAsynchronousWriteIsDurableWhenItsCompletionIsCalled() async throws {
    let queue = DispatchQueue(label: "writer")
    let session = UnsafeTransfer(try session(.queue(queue)))
    let failure = await withCheckedContinuation { continuation in
      queue.async {
        let session = session.value
        _ = session.asyncWrites.add(
          .write { try? add(7, in: session) },
          completion: .callback { continuation.resume(returning: $0) })
      }
    }
    expectEqual(failure, nil)
    let reader = try self.session()
    try expectEqual(numbers(in: reader), [7])
  }

  @Test func moreVersionsInUseThanAllowedAreRefused() throws {
    let session = try session(limit: 2)
    let pins = try (0..<3).map { _ -> Snapshot in
      _ = try shared.tables(in: shared.file.beginWrite()).commit()
      return try shared.file.snapshot()
    }
    #expect(throws: StorageError.self) { try session.beginWrite() }
    expectFalse(session.isInWrite)
    withExtendedLifetime(pins) {}
    // No transaction holds the right to write.
    try shared.file.beginWrite().rollback()
  }

  /// `SessionState` 3: its isolation is 1.
  @Test func aFrozenSessionIsReadOnAnyThread() async throws {
    let tables = try shared.newestTables()
    let options = SessionOptions(shared, .frozen(version: tables.version), reading: tables)
    let frozen = UnsafeTransfer(Session(options))
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        frozen.value.checkIsolation()
        continuation.resume()
      }
    }
    #expect(try !frozen.value.refresh())
  }

  /// `SessionState` 4.
  @Test func theStateOfAFrozenSessionIsNeverWritten() throws {
    let tables = try shared.newestTables()
    let options = SessionOptions(shared, .frozen(version: tables.version), reading: tables)
    let frozen = Session(options)
    let generation = frozen.state.pointee.generation
    try expectEqual(numbers(in: frozen), [])
    try frozen.refresh()
    frozen.invalidateFrozen()
    expectTrue(frozen.isFrozenAndInvalid)
    expectEqual(frozen.state.pointee.generation, generation)
    expectEqual(frozen.state.pointee.isolation, Confinement.anyThread)
  }

  /// `SessionReference` 1 and 2: mostly the other thread releases the session.
  @Test func aReferenceEndsWithItsSession() throws {
    for _ in 0..<50 {
      var session: Session? = try self.session()
      let reference = try #require(session?.reference)
      expectTrue(reference.session === session)
      let isLooking = DispatchSemaphore(value: 0)
      let isDone = DispatchSemaphore(value: 0)
      // The threads of the system's queues may all be busy with other tests.
      Thread.detachNewThread {
        isLooking.signal()
        while reference.session != nil {}
        isDone.signal()
      }
      isLooking.wait()
      session = nil
      isDone.wait()
      expectTrue(reference.session == nil)
    }
  }

  @Test func aSessionThatIsDestroyedInATransactionUndoesIt() throws {
    do {
      let session = try session(.queue(DispatchQueue(label: "gone")))
      try session.confinement.run {
        try session.beginWrite()
        try add(1, in: session)
      }
    }
    let reader = try session()
    try expectEqual(numbers(in: reader), [])
    try shared.file.beginWrite().rollback()
  }
}

/// Runs code when the last reference to it is released.
private final class AtEnd {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  deinit { body() }
}

extension Confinement {
  /// Runs `body` in the confinement, which is that of a queue.
  fileprivate func run(_ body: () throws -> Void) throws {
    guard case .queue(let identity) = self else { return }
    try identity.queue.sync(execute: body)
  }
}
