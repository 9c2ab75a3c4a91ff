// SPDX-License-Identifier: Apache-2.0

// The connection of a shared store breaks at each statement, before it and after it.

#if Postgres
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmServerPostgres

struct StoreFaultTests {
  private let now = ThingEntries.now

  /// A realm at version 1 with a client file, and a batch for it.
  private struct Case {
    let bench: StoreBench
    let connector: FaultyConnector
    let realm: any RealmStore
    let head: RealmHead
    let file: ClientFile
    let batch: Batch

    var changed: ClientFile { batch.files[0] }

    init(_ kind: StoreKind, patience: Int) async throws {
      bench = try StoreBench(kind, patience: patience)
      connector = try #require(bench.connector)
      realm = try await bench.store().open(bench.name)
      head = try await realm.fill(try await realm.own(), to: 1)
      file = try await realm.allocateFile(for: "u", now: ThingEntries.now)
      var changed = file
      changed.clientVersion = 4
      batch = Batch(
        entries: [ThingEntries.entry(2)], files: [changed],
        reciprocals: [ReciprocalChange(file: file.ident, version: 1, changeset: [1])])
    }

    /// Appends the batch while the connection breaks at a statement.
    func append(
      failingAt number: Int, _ point: FaultyConnector.Point
    ) async throws -> (outcome: Result<RealmHead?, StoreError>, wasReached: Bool) {
      connector.fail(at: number, point)
      let outcome: Result<RealmHead?, StoreError>
      do throws(StoreError) {
        outcome = .success(try await realm.append(batch, after: 1, epoch: head.epoch))
      } catch {
        outcome = .failure(error)
      }
      defer { connector.fail(at: nil) }
      return (outcome, connector.count >= number)
    }

    /// Checks that the batch is there as a whole, or not at all, for this server and another one.
    func check(isThere: Bool, _ name: Comment) async throws {
      let others = [realm, try await bench.otherServer().open(bench.name)]
      for realm in others {
        let snapshot = try await realm.snapshot(atLeast: 0)
        expectEqual(snapshot.head.version, (isThere ? 2 : 1), name)
        try expectEqual(
          ThingEntries.keys(in: snapshot), (isThere ? [ThingEntries.key(1_002)] : []), name)
        try await expectEqual(realm.entries(in: 1..<9).count, (isThere ? 2 : 1), name)
        try await expectEqual(realm.file(file.ident), (isThere ? changed : file), name)
        try await expectEqual(
          realm.reciprocals(of: file.ident, after: 0), (isThere ? [1: [1]] : [:]),
          name)
      }
    }
  }

  /// Makes a test of each statement of a call, until one returns that the call has no
  /// such statement. Returns the number of tests.
  private func forEachStatement(_ test: (Int) async throws -> Bool) async throws -> Int {
    var number = 1
    while try await test(number) { number += 1 }
    return number
  }

  /// `PostgresRealm+Append` 1 and 2.
  @Test(.heavy, arguments: StoreKind.shared, FaultyConnector.Point.allCases)
  func aBrokenConnectionIsMendedWithoutTheCaller(
    _ kind: StoreKind, _ point: FaultyConnector.Point
  ) async throws {
    let count = try await forEachStatement { number in
      let test = try await Case(kind, patience: 60_000)
      let (outcome, wasReached) = try await test.append(failingAt: number, point)
      try expectEqual(outcome.get()?.version, 2, "statement \(number)")
      try await test.check(isThere: true, "statement \(number)")
      return wasReached
    }
    expectTrue(count > 7)
  }

  /// `PostgresRealm` 2: what is not known after the call is known after the next one.
  @Test(.heavy, arguments: StoreKind.shared, FaultyConnector.Point.allCases)
  func anAppendIsWholeOrUndoneWhereNothingIsTriedAgain(
    _ kind: StoreKind, _ point: FaultyConnector.Point
  ) async throws {
    var outcomes: Set<Bool> = []
    let count = try await forEachStatement { number in
      let test = try await Case(kind, patience: 0)
      let (outcome, wasReached) = try await test.append(failingAt: number, point)
      let found = try await test.realm.snapshot(atLeast: 0).head
      switch outcome {
      case .success(let head): #expect(head == found && found.version == 2)
      case .failure(.unavailable): outcomes.insert(found.version == 2)
      case .failure(let error): throw error
      }
      try await test.check(isThere: found.version == 2, "statement \(number)")
      let next = Batch(entries: [ThingEntries.entry(found.version + 1)])
      try await expectEqual(
        test.realm.append(next, after: found.version, epoch: found.epoch)?.version,
        found.version + 1)
      return wasReached
    }
    expectTrue(count > 7)
    // The notification after the COMMIT is a statement, too.
    expectEqual(outcomes, [true, false])
  }

  /// `PostgresRealm` 1
  @Test(arguments: StoreKind.shared) func theDatabaseCommitsFirst(_ kind: StoreKind) async throws {
    let test = try await Case(kind, patience: 60_000)
    let realm = try #require(test.realm as? PostgresRealm)
    let seen = Locked<UInt64?>(nil)
    // The database has committed, and the caller does not know it.
    test.connector.onAnswer(to: Statements.commit) {
      seen.withLock { $0 = try? realm.replica.read().state.version }
    }
    let head = try await realm.append(test.batch, after: 1, epoch: test.head.epoch)
    expectEqual(head?.version, 2)
    expectEqual(seen.withLock { $0 }, 1)
    try expectEqual(realm.replica.read().state.version, 2)
  }

  /// The notification is a transaction after the one that it is about.
  @Test func anAppendIsThereWhoseNotificationIsRefused() async throws {
    let bench = try StoreBench(.simulated, flaw: .refusesNotifications)
    let realm = try await bench.store().open(bench.name)
    var head = try await realm.own()
    for version in 1...3 as ClosedRange<UInt64> {
      head = try await realm.fill(head, to: version)
      expectEqual(head.version, version)
      try await expectEqual(realm.snapshot(atLeast: version).head, head)
    }
    let other = try await bench.otherServer().open(bench.name)
    try await expectEqual(other.entries(in: 1..<9).map(\.version), [1, 2, 3])
  }

  /// `PostgresRealm+Append` 4: a primary that was restarted shows what its standby does not have.
  @Test func nothingIsAcknowledgedThatTheStandbyDoesNotHave() async throws {
    let test = try await Case(.simulated, patience: 200)
    let simulation = try #require(test.bench.simulation)
    simulation.setStandby(isThere: false)
    let epoch = test.head.epoch
    await #expect {
      _ = try await test.realm.append(test.batch, after: 1, epoch: epoch)
    } throws: {
      if case .unavailable = $0 as? StoreError { true } else { false }
    }
    // Its outcome is still open.
    await #expect(throws: StoreError.self) { _ = try await test.realm.snapshot(atLeast: 0) }
    await #expect(throws: StoreError.self) {
      _ = try await test.realm.allocateFile(for: "v", now: now)
    }
    simulation.setStandby(isThere: true)
    try await expectEqual(test.realm.snapshot(atLeast: 0).head.version, 2)
  }

  /// Whatever became of the append: the realm has another owner.
  @Test func anAppendOfAnOpenOutcomeIsFencedByAnotherOwner() async throws {
    let bench = try StoreBench(.simulated)
    let connector = try #require(bench.connector)
    let simulation = try #require(bench.simulation)
    let store = try bench.store()
    let realm = try await store.open(bench.name)
    let head = try await realm.fill(try await realm.own(), to: 1)
    let otherStore = try bench.otherServer()
    let other = try #require(try await otherStore.open(bench.name) as? PostgresRealm)
    // The COMMIT arrives, its answer does not. The question after it needs a new connection.
    connector.fail(at: Statements.commit, .after)
    connector.onConnection {
      for _ in 0..<100 {
        simulation.advance(by: 100_000)
        if (try? other.own()) != nil { return }
      }
      Issue.record("no other server becomes the owner")
    }
    let next = Batch(entries: [ThingEntries.entry(2)])
    await #expect(throws: StoreError.fenced) {
      _ = try await realm.append(next, after: 1, epoch: head.epoch)
    }
    withExtendedLifetime((store, otherStore)) {}
  }

  @Test(.heavy, arguments: StoreKind.shared, FaultyConnector.Point.allCases)
  func aClientFileIsMadeOnce(
    _ kind: StoreKind, _ point: FaultyConnector.Point
  ) async throws {
    let count = try await forEachStatement { number in
      let test = try await Case(kind, patience: 60_000)
      test.connector.fail(at: number, point)
      let made = try await test.realm.allocateFile(for: "v", now: now)
      let wasReached = test.connector.count >= number
      test.connector.fail(at: nil)
      try await expectEqual(
        test.realm.files(), [test.file, made].sorted { $0.ident < $1.ident },
        "statement \(number)")
      return wasReached
    }
    expectTrue(count > 5)
  }

  /// The calls that may be repeated are, at any statement of them.
  @Test(.heavy, arguments: StoreKind.shared, FaultyConnector.Point.allCases)
  func readingGoesOnAfterABrokenConnection(
    _ kind: StoreKind, _ point: FaultyConnector.Point
  ) async throws {
    let test = try await Case(kind, patience: 60_000)
    _ = try await test.realm.append(test.batch, after: 1, epoch: test.head.epoch)
    let count = try await forEachStatement { number in
      let (connector, name) = (test.connector, test.bench.name)
      connector.fail(at: number, point)
      let store = try test.bench.otherServer()
      let realm = try await store.open(name)
      try await expectEqual(realm.entries(in: 1..<9).map(\.version), [1, 2])
      try await expectEqual(realm.files(), [test.changed])
      try await expectEqual(realm.snapshot(atLeast: 2).head.version, 2)
      try await expectEqual(store.realms(ofApp: name.app), [name.fileID])
      try await expectEqual(store.peek(name.fileID).files, [test.changed])
      #expect(try await store.exists(name))
      let wasReached = connector.count >= number
      connector.fail(at: nil)
      return wasReached
    }
    expectTrue(count > 8)
  }

  @Test(arguments: StoreKind.shared)
  func aDatabaseThatDoesNotAnswerIsSaidToBeUnavailable(_ kind: StoreKind) async throws {
    let test = try await Case(kind, patience: 50)
    test.connector.setReachable(false)
    func isUnavailable(_ call: () async throws(StoreError) -> Void) async -> Bool {
      do throws(StoreError) {
        try await call()
        return false
      } catch {
        if case .unavailable = error { return true } else { return false }
      }
    }
    let realm = test.realm
    #expect(await isUnavailable { () throws(StoreError) in _ = try await realm.files() })
    #expect(await isUnavailable { () throws(StoreError) in _ = try await realm.own() })
    #expect(
      await isUnavailable { () throws(StoreError) in
        _ = try await realm.append(test.batch, after: 1, epoch: test.head.epoch)
      })
    test.connector.setReachable(true)
    try await expectEqual(realm.append(test.batch, after: 1, epoch: test.head.epoch)?.version, 2)
  }
}
#endif
