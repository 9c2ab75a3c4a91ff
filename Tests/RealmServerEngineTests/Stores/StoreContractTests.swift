// SPDX-License-Identifier: Apache-2.0

// What every store must do. Each case makes a store of its kind on files that survive it.

import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmServerEngine

struct StoreContractTests {
  private let files = SimulatedFiles()
  private let name = RealmName(app: "app", partition: "P 1")
  private let now = OriginTimestamp(milliseconds: 77)

  private func makeStore() -> any ServerStore {
    EmbeddedStore(files, salts: SaltSource(SeededGenerator(seed: 5)))
  }

  private func entry(_ version: UInt64, file: UInt64 = 2, touches: [Touch] = []) -> StoredEntry {
    StoredEntry(
      version: version, salt: 1000 + version, file: FileIdentifier(file),
      clientVersion: 10 * version, timestamp: OriginTimestamp(milliseconds: 5), committed: now,
      originalByteCount: 3, totalByteCount: 3 * Int(version), changeset: [UInt8(version)],
      touches: touches)
  }

  /// Appends versions up to one.
  private func fill(
    _ realm: any RealmStore, _ head: RealmHead, to version: UInt64
  ) async throws -> RealmHead {
    let batch = Batch(entries: (head.version + 1...version).map { entry($0) })
    return try #require(
      try await realm.append(expecting: head.version, epoch: head.epoch) { _ in batch })
  }

  @Test func aNewRealmIsEmpty() async throws {
    let head = try await makeStore().open(name).own()
    #expect(head.version == 0 && head.salt == 0 && head.base == 0 && head.epoch == 1)
  }

  @Test func whatIsAppendedIsReadByAnotherProcess() async throws {
    let realm = try await makeStore().open(name)
    var head = try await realm.own()
    let file = try await realm.allocateFile(for: "u", now: now)
    let touch = Touch(
      object: ObjectIdentity(className: "A", key: .value(.string("k"))), existence: .stayed,
      fields: [Touch.Field(name: "n", before: .list([.int(-5), .null]))])
    var changed = file
    changed.clientVersion = 9
    changed.filters = "[]"
    let batch = Batch(
      entries: [entry(1), entry(2, touches: [touch])], files: [changed],
      reciprocals: [ReciprocalChange(file: file.ident, version: 1, changeset: [7])],
      privates: [PrivateChange(file: file.ident, version: 2, timestamp: now, changeset: [8])])
    let result = try await realm.append(expecting: 0, epoch: head.epoch) {
      (group) throws(StorageError) in
      _ = try group.createTable(named: "class_A")
      return batch
    }
    #expect(result?.version == 2 && result?.salt == 1002 && result?.totalByteCount == 6)
    let other = try await EmbeddedStore(files.restarted()).open(name)
    head = try await other.own()
    #expect(head.version == 2 && head.epoch == 2)
    #expect(try await other.entries(in: 1..<9) == batch.entries)
    #expect(try await other.entries(in: 2..<3) == [batch.entries[1]])
    #expect(try await other.entries(in: 3..<9) == [])
    #expect(try await other.file(file.ident) == changed)
    #expect(try await other.files() == [changed])
    #expect(
      try await other.reciprocals(of: file.ident, after: 0) == [1: [7]])
    #expect(try await other.reciprocals(of: file.ident, after: 1) == [:])
    #expect(try await other.privates(of: file.ident, after: 0) == batch.privates)
    let snapshot = try await other.snapshot(atLeast: 2)
    #expect(snapshot.head == head)
    #expect(try snapshot.objects.table(named: "class_A") != nil)
  }

  @Test func theOwnerBeforeIsFenced() async throws {
    let realm = try await makeStore().open(name)
    let first = try await realm.own()
    let second = try await realm.own()
    #expect(second.epoch == first.epoch + 1)
    await #expect(throws: StoreError.fenced) {
      _ = try await self.fill(realm, first, to: 1)
    }
    #expect(try await fill(realm, second, to: 1).version == 1)
  }

  @Test func anotherVersionThanExpectedIsAConflict() async throws {
    let realm = try await makeStore().open(name)
    let head = try await realm.own()
    let newer = try await fill(realm, head, to: 1)
    await #expect(throws: StoreError.conflict(newer)) {
      _ = try await self.fill(realm, head, to: 1)
    }
  }

  @Test func aBuildThatThrowsLeavesNothing() async throws {
    let realm = try await makeStore().open(name)
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
    #expect(nothing == nil)
    let objects = try await realm.snapshot(atLeast: 0).objects
    #expect(try objects.table(named: "class_A") == nil)
    #expect(try objects.table(named: "class_B") == nil)
  }

  /// `EmbeddedRealm` 2.
  @Test func versionsAndCursorsNeverGoBack() async throws {
    let realm = try await makeStore().open(name)
    let head = try await fill(realm, try await realm.own(), to: 2)
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
      let batch = Batch(entries: [entry(version)])
      await #expect(throws: StoreError.self) { _ = try await append(batch) }
    }
    var stranger = newer
    stranger.ident = FileIdentifier(99)
    await #expect(throws: StoreError.unknownFile(FileIdentifier(99))) {
      _ = try await append(Batch(files: [stranger]))
    }
    #expect(try await realm.file(file.ident) == newer)
    #expect(try await realm.snapshot(atLeast: 0).head == head)
  }

  @Test func filesGetNewIdentifiersAndSaltsThatSurvive() async throws {
    let first = try await makeStore().open(name).allocateFile(for: "a", now: now)
    let other = try await EmbeddedStore(files.restarted()).open(name)
    let second = try await other.allocateFile(for: "b", now: now)
    #expect(first.ident > .server && second.ident > .server && first.ident != second.ident)
    #expect(first.salt != 0 && second.salt != 0 && first.salt != second.salt)
    #expect(first.salt >> 63 == 0)
    #expect(try await other.file(first.ident) == first)
    #expect(try await other.file(FileIdentifier(1)) == nil)
  }

  @Test func acknowledgedReciprocalsAreTrimmed() async throws {
    let realm = try await makeStore().open(name)
    let head = try await fill(realm, try await realm.own(), to: 5)
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
    #expect(
      try await realm.reciprocals(of: file.ident, after: 0).keys.sorted()
        == [4, 5])
    #expect(
      try await realm.privates(of: file.ident, after: 0).map(\.version)
        == [4, 5])
    #expect(try await realm.reciprocals(of: other.ident, after: 0) == [:])
    let none = Batch(privates: [
      PrivateChange(file: file.ident, version: 4, timestamp: now, changeset: [])
    ])
    _ = try await realm.append(expecting: 5, epoch: head.epoch) { _ in none }
    #expect(
      try await realm.privates(of: file.ident, after: 0).map(\.version) == [5])
  }

  /// What a compensating write sends stays as it was, whatever merging makes of the change.
  @Test func aRefusalIsKeptUntilItIsAcknowledged() async throws {
    let realm = try await makeStore().open(name)
    let head = try await fill(realm, try await realm.own(), to: 5)
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
    #expect(try await realm.privates(of: file.ident, after: 3) == [change])
    var newer = file
    newer.reciprocalBase = 4
    _ = try await realm.append(expecting: 5, epoch: head.epoch) { _ in
      Batch(files: [newer])
    }
    #expect(try await realm.privates(of: file.ident, after: 0) == [])
  }

  @Test func trimmedEntriesAreMissedByName() async throws {
    let realm = try await makeStore().open(name)
    let head = try await fill(realm, try await realm.own(), to: 6)
    let result = try await realm.append(expecting: 6, epoch: head.epoch) { _ in
      Batch(trimsThrough: 4)
    }
    #expect(result?.base == 4 && result?.version == 6)
    await #expect(throws: StoreError.trimmed(through: 4)) {
      _ = try await realm.entries(in: 4..<7)
    }
    #expect(try await realm.entries(in: 5..<7).map(\.version) == [5, 6])
  }

  @Test func newHeadsWakeListeners() async throws {
    let store = makeStore()
    let realm = try await store.open(name)
    var heads = store.heads().makeAsyncIterator()
    let newer = try await fill(realm, try await realm.own(), to: 1)
    #expect(await heads.next() == newer)
  }

  @Test func aClosedRealmIsOpenedAgain() async throws {
    let store = makeStore()
    var realm = try await store.open(name)
    let head = try await fill(realm, try await realm.own(), to: 1)
    await realm.close()
    realm = try await store.open(name)
    #expect(try await realm.own().epoch == head.epoch + 1)
    #expect(try await realm.snapshot(atLeast: 1).head.version == 1)
  }

  /// A fault at each call of an append leaves the version before or after, and the store goes on
  /// or says that it cannot (rule SY10).
  @Test func aFaultAtAnyCallLeavesAllOrNothing() async throws {
    var call = 0
    while true {
      call += 1
      let files = SimulatedFiles()
      let store = EmbeddedStore(files, salts: SaltSource(SeededGenerator(seed: 5)))
      let realm = try await store.open(name)
      let head = try await fill(realm, try await realm.own(), to: 1)
      let file = try await realm.allocateFile(for: "u", now: now)
      var changed = file
      changed.clientVersion = 4
      let batch = Batch(
        entries: [entry(2)], files: [changed],
        reciprocals: [ReciprocalChange(file: file.ident, version: 1, changeset: [1])])
      let system = try files.system(head.realm)
      system.file.clearTrace()
      system.file.fail(call: call, .error(5))
      var isDone = false
      do {
        isDone =
          try await realm.append(expecting: 1, epoch: head.epoch) { _ in
            batch
          } != nil
      } catch {
        #expect(system.file.callCount >= call, "call \(call): \(error)")
      }
      let wasReached = system.file.callCount >= call
      system.file.fail(call: 0, nil)
      let other = try await EmbeddedStore(files.restarted()).open(name)
      let found = try await other.own()
      #expect(found.version == 1 || found.version == 2, "call \(call)")
      #expect(!isDone || found.version == 2, "call \(call)")
      let isAfter = found.version == 2
      #expect(
        try await other.file(file.ident) == (isAfter ? changed : file))
      #expect(
        try await other.reciprocals(of: file.ident, after: 0)
          == (isAfter ? [1: [1]] : [:]))
      if !wasReached { break }
    }
    #expect(call > 3)
  }

  /// `EmbeddedRealm` 1 (rule SY10).
  @Test func everyCrashLeavesAnAppendWholeOrUndone() throws {
    let id = RealmID("app/p_x")
    let name = RealmName(app: "app", partition: "x")
    let files = SimulatedFiles()
    let realm = try EmbeddedRealm(id, named: name, in: files)
    let head = try realm.own()
    let file = try realm.allocateFile(for: "u", now: now)
    let system = try files.system(id)
    let initial = try system.file.contents()
    system.file.clearTrace()
    for version in 1...3 as ClosedRange<UInt64> {
      _ = try realm.append(expecting: version - 1, epoch: head.epoch) {
        (group) throws(StorageError) in
        _ = try group.createTable(named: "class_T\(version)")
        var changed = file
        changed.clientVersion = version
        return Batch(
          entries: [entry(version)], files: [changed],
          reciprocals: [ReciprocalChange(file: file.ident, version: version, changeset: [9])])
      }
      system.file.acknowledge(version)
    }
    var random = SeededGenerator(seed: 1)
    var messages: [String] = []
    let states = CrashStates(of: system.file.trace, initial: initial, sampleCount: 16)
    let count = try states.forEach(using: &random) { state in
      let found = try EmbeddedRealm(
        id, named: name, in: SimulatedFiles(id, contents: state.contents))
      let snapshot = try found.snapshot()
      let version = snapshot.head.version
      let isWhole =
        try version >= state.acknowledged && version <= state.acknowledged + 1
        && found.file(file.ident)?.clientVersion == version
        && found.entries(in: 1..<9).count == Int(version)
        && found.reciprocals(of: file.ident, after: 0).count == Int(version)
        && snapshot.objects.table(named: "class_T\(version + 1)") == nil
        && (version == 0 || snapshot.objects.table(named: "class_T\(version)") != nil)
      if !isWhole { messages.append("\(state.name): version \(version)") }
    }
    #expect(messages.prefix(5) == [])
    #expect(count > 50)
  }
}
