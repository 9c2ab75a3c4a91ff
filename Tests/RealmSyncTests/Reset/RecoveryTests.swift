// SPDX-License-Identifier: Apache-2.0

// Changes that are not uploaded are made again on the fresh copy, and stand in the history in place
// of what was recorded (P3 D.5, P5 6).

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct RecoveryTests {
  private static let server = [
    Items.changeset { items in
      items.addClass()
      for id in 1...2 as ClosedRange<Int64> {
        items.create(id)
        items.setText("server \(id)", of: id)
      }
      items.insert("x", at: 0, of: 1, priorSize: 0)
    }
  ]

  private static func upload(_ group: WriteGroup) throws {
    try Items.makeClass(group)
    try Items.put(1, "device 1", group)
    try Items.put(3, "device 3", group)
  }

  private func bench(_ waiting: [(WriteGroup) throws -> Void] = []) async throws -> ResetBench {
    try await ResetBench(Self.server, uploaded: [Self.upload], waiting: waiting)
  }

  /// What is uploaded makes of the copy what the device has.
  private func expectUploadsToMatch(
    _ bench: ResetBench, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let group = try WriteGroup(bench.copy.file.beginWrite())
    defer { group.rollback() }
    var applier = InstructionApplier(group, file: ResetBench.ident)
    for changeset in try bench.uploads() { try applier.apply(changeset) }
    let lines = try StateDifference.lines(
      from: group, ResetBench.ident, to: bench.device.read(), ResetBench.ident)
    #expect(lines.isEmpty, sourceLocation: location)
    #expect(try bench.device.findings().isEmpty, sourceLocation: location)
  }

  @Test func changesKeepTheirVersionsAndAreUploaded() async throws {
    let bench = try await bench([
      { try Items.put(4, "waits", $0) }, { _ in },
      { group in
        try Items.put(2, "changed", group)
        try Items.append("y", to: 1, group)
      },
    ])
    let device = bench.device
    let written = Array(device.written.suffix(2))
    let outcome = try #require(try await bench.reset(.recover))
    expectTrue(outcome.hasRecovered)
    expectTrue(outcome.droppedLists.isEmpty)
    try expectEqual(
      Items.texts(device.read()),
      [1: "server 1", 2: "changed", 4: "waits"])
    try expectUploadsToMatch(bench)
    let batch = try UploadScan().batch(in: device.file.snapshot(), after: 0)
    let entries = try batch.body.uploadEntries()
    expectEqual(entries.map(\.clientVersion), written)
    expectEqual(entries.map(\.serverVersion), [3, 3])
    let history = try device.history()
    expectEqual(history.base, written[0] - 1)
    for version in try #require(history.versions) {
      try expectEqual(history.reciprocal(at: version), nil)
      try expectEqual(history.head(at: version).remoteVersion, 3)
    }
    let state = try await device.agent.state()
    expectEqual(state.uploadableByteCount, entries.reduce(0) { $0 + $1.changeset.count })
    expectEqual(state.uploadedByteCount, 0)
    expectEqual(state.ident, ResetBench.ident)
    // The server acknowledges, and goes on.
    _ = try await device.agent.integrate(
      .of(
        [Items.changeset { $0.setText("later", of: 1) }], from: 4, base: 0,
        acknowledged: written[1]))
    try expectEqual(Items.texts(device.read())[1], "later")
    #expect(try !device.history().hasPendingUploads())
  }

  /// `UploadVersions` 1 and 3: what is made again and is larger than an upload is divided, and
  /// stays behind the changes before it and before those after it.
  @Test func whatIsTooLargeForOneUploadIsDivided() async throws {
    func subscribe(_ version: UInt64) -> (WriteGroup) throws -> Void {
      { try SubscriptionStore.make(in: $0).add(version, []) }
    }
    let bench = try await bench([
      { try Items.put(4, "waits", $0) }, subscribe(1),
      { group in
        for id in 5..<9 as Range<Int64> {
          try Items.put(id, String(repeating: "\(id)", count: 300), group)
        }
      }, subscribe(2),
      { try Items.put(2, "changed", $0) },
    ])
    let device = bench.device
    let limit = UploadLimit(byteCount: 700, instructionCount: 100)
    let outcome = try #require(
      try ClientReset(
        of: device.file, to: bench.copy.file, ResetBench.cause,
        now: Timestamp(seconds: 1, nanoseconds: 0), limit: limit
      ).run(.recover))
    expectTrue(outcome.hasRecovered)
    try expectUploadsToMatch(bench)
    let entries = try UploadScan().batch(in: device.file.snapshot(), after: 0).body.uploadEntries()
    expectEqual(entries.map(\.serverVersion), [3, 3, 3, 3])
    expectTrue(entries.allSatisfy { $0.changeset.count <= 700 })
    let first = outcome.before.version + 1
    expectEqual(entries.map(\.clientVersion), Array(first..<first + 4))
    let state = try await device.agent.state()
    expectEqual(state.uploadableByteCount, entries.reduce(0) { $0 + $1.changeset.count })
    // A subscription set waits for the changes that were made before it.
    let sets = try QuerySet.all(in: device.read())
    expectEqual(sets.suffix(2).map(\.snapshotVersion), [first, first + 2])
    // A single value above the limit is an error, and the file stays as it was.
    let small = try await self.bench([{ try Items.put(4, String(repeating: "x", count: 800), $0) }])
    let before = try small.device.digest()
    #expect(throws: ResetError.self) {
      try ClientReset(
        of: small.device.file, to: small.copy.file, ResetBench.cause,
        now: Timestamp(seconds: 1, nanoseconds: 0), limit: limit
      ).run(.recover)
    }
    try expectEqual(small.device.digest(), before)
  }

  /// What integrations have altered is made again as it is now.
  @Test func changesAreMadeAgainAsTheyWereAltered() async throws {
    let bench = try await ResetBench(
      [
        Items.changeset { items in
          items.addClass()
          items.create(1)
        }
      ],
      uploaded: [
        { group in
          try Items.makeClass(group)
          try Items.put(1, "", group)
        }
      ], waiting: [{ try Items.append("mine", to: 1, $0) }])
    let device = bench.device
    let base = try #require(device.written.first)
    var download = DownloadBatch.of(
      [Items.changeset { $0.insert("theirs", at: 0, of: 1, priorSize: 0) }], from: 21, base: base)
    download.cursors.upload.clientVersion = base
    _ = try await device.agent.integrate(download)
    #expect(try device.history().reciprocal(at: device.written[1]) != nil)
    _ = try await bench.reset(.recover)
    try expectEqual(Items.list(of: 1, device.read()), [.string("mine")])
    try expectUploadsToMatch(bench)
  }

  @Test func withoutChangesTheFileBecomesTheCopy() async throws {
    let bench = try await bench()
    let outcome = try #require(try await bench.reset(.recoverOrDiscard))
    expectTrue(outcome.hasRecovered)
    try bench.expectEqualToCopy()
    #expect(try bench.uploads().isEmpty && bench.device.history().count == 1)
  }

  /// Classes and properties that are to be uploaded count as known.
  @Test func newClassesAndPropertiesAreKept() async throws {
    let bench = try await bench([
      { group in
        let table = try group.createTable(named: "class_Note")
        let id = try table.addColumn(named: "_id", type: .int)
        try table.setPrimaryKey(id.key)
        try Items.table(group).addColumn(named: "more", type: .int)
      }
    ])
    _ = try await bench.reset(.recover)
    try expectUploadsToMatch(bench)
    let group = try bench.device.read()
    #expect(try group.table(named: "class_Note") != nil)
    let items = try #require(try group.table(named: "class_Item"))
    expectTrue(items.schema.column(named: "more") != nil)
  }

  @Test func anErasedClassFailsOrDiscards() async throws {
    let erase: (WriteGroup) throws -> Void = { group in
      let table = try Items.table(group)
      try group.removeTable(table.key)
    }
    let bench = try await bench([erase])
    let error = await #expect(throws: ResetError.self) { try await bench.reset(.recover) }
    expectEqual(
      error?.description, "Types cannot be erased during client reset recovery: 'Item'")
    #expect(try await !bench.device.agent.hasResetRecord())
    let outcome = try #require(try await bench.reset(.recoverOrDiscard))
    expectFalse(outcome.hasRecovered)
    try bench.expectEqualToCopy()

    let other = try await self.bench([
      { group in
        let table = try Items.table(group)
        try table.columns.remove(try #require(table.schema.column(named: "list")).key)
      }
    ])
    let second = await #expect(throws: ResetError.self) { try await other.reset(.recover) }
    expectEqual(second?.description, "Properties cannot be erased during client reset recovery")
  }

  @Test func classesThatTheServerHasLostFail() async throws {
    let bench = try await ResetBench(
      [Items.changeset { $0.addClass() }],
      uploaded: [
        { group in
          try Items.makeClass(group)
          _ = try group.createTable(named: "class_Lost")
        }
      ], waiting: [{ try Items.put(4, "waits", $0) }])
    let error = await #expect(throws: ResetError.self) { try await bench.reset(.recover) }
    expectEqual(error, .removedClasses(["Lost"]))
  }

  @Test func newerSubscriptionsStayAndAreSentAgain() async throws {
    let bench = try await bench([
      { group in
        let store = try SubscriptionStore.make(in: group)
        try store.add(4)
        try store.setState(.complete, of: 4)
        try store.add(5)
        try store.setState(.bootstrapping, of: 5)
        try store.add(6)
      }
    ])
    _ = try await bench.reset(.recover)
    try expectEqual(
      BootstrapIntegrationTests.states(bench.device),
      [4: .complete, 5: .pending, 6: .pending])
  }

  /// Objects without primary key that wait for their upload keep the name that they have.
  @Test func objectsWithoutKeyAreMadeAgain() async throws {
    let bench = try await ResetBench(
      [ResetBench.notes([(9, 0, "device"), (7, 1, "other")])],
      uploaded: [
        { group in
          let table = try group.createTable(named: "class_Note")
          let text = try table.addColumn(named: "text", type: .string)
          let (key, _) = try table.createObject()
          try table.set(.string("device"), text, key)
        }
      ],
      waiting: [
        { group in
          let table = try #require(try group.table(named: "class_Note"))
          let (key, _) = try table.createObject()
          try table.set(.string("waits"), try #require(table.schema.column(named: "text")), key)
        }
      ])
    _ = try await bench.reset(.recover)
    let table = try #require(try bench.device.read().table(named: "class_Note"))
    try expectEqual(table.objectCount(), 3)
    try expectUploadsToMatch(bench)
    // Objects that are made later have other names.
    try bench.device.write { group in
      let table = try #require(try group.table(named: "class_Note"))
      _ = try table.createObject()
    }
    let changesets = try bench.uploads().map(\.description)
    expectEqual(Set(changesets).count, 2)
  }
}
