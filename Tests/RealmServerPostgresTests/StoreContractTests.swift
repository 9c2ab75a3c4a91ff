// SPDX-License-Identifier: Apache-2.0

// What every store must do. Each case runs against each kind of store.

import RealmDeclarations
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import TestExtensions
import Testing

@testable import RealmServerEngine

@Suite(.heavy)
struct StoreContractTests {
  private let now = ThingEntries.now

  @Test(arguments: StoreKind.all) func aNewRealmIsEmpty(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let head = try await bench.store().open(bench.name).own()
    expectEqual(head.version, 0)
    expectEqual(head.salt, 0)
    expectEqual(head.base, 0)
    expectEqual(head.epoch, 1)
  }

  @Test(arguments: StoreKind.all) func whatIsAppendedIsReadByAnotherProcess(
    _ kind: StoreKind
  ) async throws {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    var head = try await realm.own()
    let file = try await realm.allocateFile(for: "u", now: now)
    let touch = Touch(
      object: ObjectIdentity(className: "A", key: .value(.string("k"))), existence: .stayed,
      fields: [Touch.Field(name: "n", before: .list([.int(-5), .null]))])
    var changed = file
    changed.clientVersion = 9
    changed.filters = "[]"
    let batch = Batch(
      entries: [ThingEntries.entry(1), ThingEntries.entry(2, touches: [touch])], files: [changed],
      reciprocals: [ReciprocalChange(file: file.ident, version: 1, changeset: [7])],
      privates: [PrivateChange(file: file.ident, version: 2, timestamp: now, changeset: [8])])
    let result = try await realm.append(batch, after: 0, epoch: head.epoch)
    expectEqual(result?.version, 2)
    expectEqual(result?.salt, 1002)
    expectEqual(result?.totalByteCount, 6)
    let other = try await bench.restarted().open(bench.name)
    head = try await other.own()
    expectEqual(head.version, 2)
    expectEqual(head.epoch, 2)
    try await expectEqual(other.entries(in: 1..<9), batch.entries)
    try await expectEqual(other.entries(in: 2..<3), [batch.entries[1]])
    try await expectEqual(other.entries(in: 3..<9), [])
    try await expectEqual(other.file(file.ident), changed)
    try await expectEqual(other.files(), [changed])
    try await expectEqual(
      other.reciprocals(of: file.ident, after: 0), [1: [7]])
    try await expectEqual(other.reciprocals(of: file.ident, after: 1), [:])
    try await expectEqual(other.privates(of: file.ident, after: 0), batch.privates)
    let snapshot = try await other.snapshot(atLeast: 2)
    expectEqual(snapshot.head, head)
    try expectEqual(ThingEntries.keys(in: snapshot), [ThingEntries.key(1_002)])
  }

  @Test(arguments: StoreKind.all) func theOwnerBeforeIsFenced(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let first = try await realm.own()
    let second = try await realm.own()
    expectEqual(second.epoch, first.epoch + 1)
    await #expect(throws: StoreError.fenced) {
      _ = try await realm.fill(first, to: 1)
    }
    try await expectEqual(realm.fill(second, to: 1).version, 1)
  }

  @Test(arguments: StoreKind.all) func anotherVersionThanExpectedIsAConflict(
    _ kind: StoreKind
  ) async throws {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let head = try await realm.own()
    let newer = try await realm.fill(head, to: 1)
    await #expect(throws: StoreError.conflict(newer)) {
      _ = try await realm.fill(head, to: 1)
    }
  }

  @Test(arguments: StoreKind.all) func aBuildThatThrowsLeavesNothing(_ kind: StoreKind) async throws
  {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let head = try await realm.own()
    await #expect(throws: StoreError.storage(.limitExceeded("no"))) {
      _ = try await realm.append(expecting: 0, epoch: head.epoch) {
        (group) throws(StorageError) -> Batch? in
        _ = try group.createTable(named: "class_A")
        throw .limitExceeded("no")
      }
    }
    let nothing = try await realm.append(expecting: 0, epoch: head.epoch) {
      (group) throws(StorageError) -> Batch? in
      _ = try group.createTable(named: "class_B")
      return nil
    }
    expectEqual(nothing, nil)
    let objects = try await realm.snapshot(atLeast: 0).objects
    #expect(try objects.table(named: "class_A") == nil)
    #expect(try objects.table(named: "class_B") == nil)
  }

  /// `EmbeddedRealm` 2.
  @Test(arguments: StoreKind.all) func versionsAndCursorsNeverGoBack(_ kind: StoreKind) async throws
  {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let head = try await realm.fill(try await realm.own(), to: 2)
    let file = try await realm.allocateFile(for: "u", now: now)
    var newer = file
    newer.clientVersion = 5
    newer.reciprocalBase = 1
    newer.lockedServerVersion = 1
    func append(_ batch: Batch) async throws -> RealmHead? {
      try await realm.append(expecting: 2, epoch: head.epoch) { _ in batch }
    }
    _ = try await append(Batch(files: [newer]))
    for path in [
      \ClientFile.clientVersion, \ClientFile.reciprocalBase, \ClientFile.lockedServerVersion,
    ] {
      var older = newer
      older[keyPath: path] -= 1
      await #expect(throws: StoreError.self) { _ = try await append(Batch(files: [older])) }
    }
    for version in [2, 4] as [UInt64] {
      let batch = Batch(entries: [ThingEntries.entry(version)])
      await #expect(throws: StoreError.self) { _ = try await append(batch) }
    }
    var stranger = newer
    stranger.ident = FileIdentifier(99)
    await #expect(throws: StoreError.unknownFile(FileIdentifier(99))) {
      _ = try await append(Batch(files: [stranger]))
    }
    try await expectEqual(realm.file(file.ident), newer)
    try await expectEqual(realm.snapshot(atLeast: 0).head, head)
  }

  @Test(arguments: StoreKind.all) func filesGetNewIdentifiersAndSaltsThatSurvive(
    _ kind: StoreKind
  ) async throws {
    let bench = try StoreBench(kind)
    let first = try await bench.store().open(bench.name).allocateFile(for: "a", now: now)
    let other = try await bench.restarted().open(bench.name)
    let second = try await other.allocateFile(for: "b", now: now)
    expectTrue(first.ident > .server)
    expectTrue(second.ident > .server)
    expectTrue(first.ident != second.ident)
    expectTrue(first.salt != 0)
    expectTrue(second.salt != 0)
    expectTrue(first.salt != second.salt)
    expectEqual(first.salt >> 63, 0)
    try await expectEqual(other.file(first.ident), first)
    try await expectEqual(other.file(FileIdentifier(1)), nil)
  }

  @Test(arguments: StoreKind.all) func acknowledgedReciprocalsAreTrimmed(
    _ kind: StoreKind
  ) async throws {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let head = try await realm.fill(try await realm.own(), to: 5)
    let file = try await realm.allocateFile(for: "u", now: now)
    let other = try await realm.allocateFile(for: "u", now: now)
    var batch = Batch()
    for ident in [file.ident, other.ident] {
      for version in 1...5 as ClosedRange<UInt64> {
        batch.reciprocals.append(ReciprocalChange(file: ident, version: version, changeset: [1]))
        batch.privates.append(
          PrivateChange(file: ident, version: version, timestamp: now, changeset: [2]))
      }
    }
    var newer = file
    newer.reciprocalBase = 3
    var expired = other
    expired.lastSeen = OriginTimestamp(milliseconds: 0)
    let changes = [batch, Batch(files: [newer, expired])]
    for batch in changes {
      _ = try await realm.append(expecting: 5, epoch: head.epoch) { _ in batch }
    }
    try await expectEqual(
      realm.reciprocals(of: file.ident, after: 0).keys.sorted(),
      [4, 5])
    try await expectEqual(
      realm.privates(of: file.ident, after: 0).map(\.version),
      [4, 5])
    try await expectEqual(realm.reciprocals(of: other.ident, after: 0), [:])
    let none = Batch(privates: [
      PrivateChange(file: file.ident, version: 4, timestamp: now, changeset: [])
    ])
    _ = try await realm.append(expecting: 5, epoch: head.epoch) { _ in none }
    try await expectEqual(
      realm.privates(of: file.ident, after: 0).map(\.version), [5])
  }

  /// What a compensating write sends stays as it was, whatever merging makes of the change.
  @Test(arguments: StoreKind.all) func aRefusalIsKeptUntilItIsAcknowledged(
    _ kind: StoreKind
  ) async throws {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let head = try await realm.fill(try await realm.own(), to: 5)
    let file = try await realm.allocateFile(for: "u", now: now)
    let object = ObjectIdentity(className: "A", key: .value(.int(1)))
    var change = PrivateChange(
      file: file.ident, version: 4, timestamp: now, objects: [object], changeset: [2],
      refusal: PrivateChange.Refusal(clientVersion: 7, sent: [2, 3]))
    var merged = change
    (merged.changeset, merged.refusal) = ([], nil)
    for batch in [Batch(privates: [change]), Batch(privates: [merged])] {
      _ = try await realm.append(expecting: 5, epoch: head.epoch) { _ in batch }
    }
    change.changeset = []
    try await expectEqual(realm.privates(of: file.ident, after: 3), [change])
    var newer = file
    newer.reciprocalBase = 4
    _ = try await realm.append(expecting: 5, epoch: head.epoch) { _ in
      Batch(files: [newer])
    }
    try await expectEqual(realm.privates(of: file.ident, after: 0), [])
  }

  @Test(arguments: StoreKind.all) func trimmedEntriesAreMissedByName(_ kind: StoreKind) async throws
  {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let head = try await realm.fill(try await realm.own(), to: 6)
    let result = try await realm.append(expecting: 6, epoch: head.epoch) { _ in
      Batch(trimsThrough: 4)
    }
    expectEqual(result?.base, 4)
    expectEqual(result?.version, 6)
    await #expect(throws: StoreError.trimmed(through: 4)) {
      _ = try await realm.entries(in: 4..<7)
    }
    try await expectEqual(realm.entries(in: 5..<7).map(\.version), [5, 6])
  }

  @Test(arguments: StoreKind.all) func newHeadsWakeListeners(_ kind: StoreKind) async throws {
    // A poll may report the new owner.
    let bench = try StoreBench(kind, poll: 600_000)
    let store = try bench.store()
    let realm = try await store.open(bench.name)
    var heads = store.heads().makeAsyncIterator()
    let newer = try await realm.fill(try await realm.own(), to: 1)
    await expectEqual(heads.next(), newer)
  }

  /// What is for one client alone would wake all others.
  @Test(arguments: StoreKind.all) func versionsWithoutChangesWakeNobody(
    _ kind: StoreKind
  ) async throws {
    // A poll may report the new owner.
    let bench = try StoreBench(kind, poll: 600_000)
    let store = try bench.store()
    let realm = try await store.open(bench.name)
    let first = try await realm.own()
    var heads = store.heads().makeAsyncIterator()
    var empty = ThingEntries.entry(1)
    empty.changeset = []
    let silent = try await realm.append(
      Batch(entries: [empty]), after: first.version, epoch: first.epoch)
    var change = ThingEntries.entry(2)
    change.changeset = ChangesetText.schema()
    let newer = try await realm.append(
      Batch(entries: [change]), after: 1, epoch: try #require(silent).epoch)
    await expectEqual(heads.next(), newer)
  }

  @Test(arguments: StoreKind.all) func headsOfOneAppAreNotThoseOfAnother(
    _ kind: StoreKind
  ) async throws {
    let bench = try StoreBench(kind)
    let store = try bench.store()
    let realm = try await store.open(bench.name)
    let other = try await store.open(RealmName(app: bench.name.app + "-b"))
    var heads = store.heads(ofApp: bench.name.app).makeAsyncIterator()
    _ = try await other.fill(try await other.own(), to: 1)
    let newer = try await realm.fill(try await realm.own(), to: 1)
    await expectEqual(heads.next(), newer)
  }

  @Test(arguments: StoreKind.all) func aClosedRealmIsOpenedAgain(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let store = try bench.store()
    var realm = try await store.open(bench.name)
    let head = try await realm.fill(try await realm.own(), to: 1)
    await realm.close()
    realm = try await store.open(bench.name)
    try await expectEqual(realm.own().epoch, head.epoch + 1)
    try await expectEqual(realm.snapshot(atLeast: 1).head.version, 1)
  }

  @Test(arguments: StoreKind.all)
  func realmsAreListedAndDescribedWithoutAnOwner(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let store = try bench.store()
    #expect(try await !store.exists(bench.name))
    try await expectEqual(store.realms(ofApp: bench.name.app), [])
    let realm = try await store.open(bench.name)
    let other = try await store.open(RealmName(app: bench.name.app))
    let head = try await realm.fill(try await realm.own(), to: 2)
    let file = try await realm.allocateFile(for: "u", now: now)
    await other.close()
    #expect(try await store.exists(bench.name))
    let ids = [bench.name.fileID, RealmName(app: bench.name.app).fileID]
    try await expectEqual(
      store.realms(ofApp: bench.name.app), ids.sorted { $0.rawValue < $1.rawValue })
    let outline = try await store.peek(bench.name.fileID)
    expectEqual(outline, RealmOutline(name: bench.name, head: head, files: [file]))
    await #expect(throws: StoreError.self) { _ = try await store.peek(RealmID("no/such")) }
    try await expectEqual(realm.own().epoch, head.epoch + 1)
  }

  @Test(arguments: StoreKind.all)
  func whatIsNotThereYetIsAConflict(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let head = try await realm.fill(try await realm.own(), to: 2)
    await #expect(throws: StoreError.conflict(head)) { _ = try await realm.snapshot(atLeast: 3) }
    try await expectEqual(realm.entries(in: 3..<9), [])
    try await expectEqual(realm.entries(in: 2..<2), [])
  }

  @Test(arguments: StoreKind.all)
  func whatIsOutOfOrderIsRefusedAndLeavesNothing(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let head = try await realm.fill(try await realm.own(), to: 2)
    var unsalted = ThingEntries.entry(3)
    unsalted.salt = 0
    let file = try await realm.allocateFile(for: "u", now: now)
    var changed = file
    changed.clientVersion = 1
    let batches = [
      Batch(entries: [unsalted], files: [changed]),
      Batch(entries: [ThingEntries.entry(3), ThingEntries.entry(5)], files: [changed]),
      Batch(files: [changed], trimsThrough: 3),
      Batch(
        files: [changed],
        reciprocals: [ReciprocalChange(file: file.ident, version: 3, changeset: [1])]),
    ]
    for batch in batches {
      do {
        _ = try await realm.append(expecting: 2, epoch: head.epoch) { _ in batch }
        Issue.record("a batch out of order is stored")
      } catch {
        guard case .outOfOrder = error else { throw error }
      }
    }
    try await expectEqual(realm.files(), [file])
    try await expectEqual(realm.snapshot(atLeast: 0).head, head)
  }

  @Test(arguments: StoreKind.all)
  func expiredFilesAreForgottenAndOthersStay(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let head = try await realm.own()
    let file = try await realm.allocateFile(for: "u", now: now)
    var expired = try await realm.allocateFile(for: "v", now: now)
    expired.lastSeen = OriginTimestamp(milliseconds: 0)
    expired.expired = now
    let batches = [Batch(files: [expired]), Batch(forgotten: [file.ident, expired.ident])]
    for batch in batches {
      _ = try await realm.append(expecting: 0, epoch: head.epoch) { _ in batch }
    }
    try await expectEqual(realm.files(), [file])
    try await expectEqual(realm.file(expired.ident), nil)
  }

  @Test(arguments: StoreKind.all)
  func skippedEntriesAreMissedByName(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let realm = try await bench.store().open(bench.name)
    let head = try await realm.fill(try await realm.own(), to: 4)
    let result = try await realm.append(expecting: 4, epoch: head.epoch) { _ in
      Batch(skipsThrough: 3)
    }
    expectEqual(result?.base, 3)
    await #expect(throws: StoreError.trimmed(through: 3)) {
      _ = try await realm.entries(in: 3..<5)
    }
    try await expectEqual(realm.entries(in: 4..<5).map(\.version), [4])
  }

  /// By two servers, one after the other.
  @Test(arguments: StoreKind.all)
  func theClassesOfAnAppAreDeclaredOnce(_ kind: StoreKind) async throws {
    let bench = try StoreBench(kind)
    let text = """
      {"classes":[{"name":"Dog","kind":"topLevel","primaryKey":"_id","properties":[
        {"name":"_id","type":"objectId"},{"name":"friend","type":"object","target":"Dog"}]}]}
      """
    var settings = ServerRealm.Settings()
    settings.schema = SchemaKeeper(try AppSchema(Array(text.utf8)), isFixed: true) { _ in
      .success(nil)
    }
    for store in [try bench.store(), try bench.restarted()] {
      let realm = try await ServerRealm.open(
        bench.name, of: store, settings: settings, clock: ServerClock { ThingEntries.now })
      try await realm.declareClasses()
      await expectEqual(realm.head.version, 1)
      let classes = try await realm.store.newest().classes().classes
      expectEqual(classes.map(\.name), ["Dog"])
      expectEqual(classes.flatMap(\.properties).map(\.name), ["_id", "friend"])
    }
  }
}
