// SPDX-License-Identifier: Apache-2.0

// A file of a former server becomes one of the present server, and loses nothing.

import RealmFormats
import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct FileAdoptionTests {
  private static func make(_ group: WriteGroup) throws {
    try Items.makeClass(group)
    try Items.put(1, "one", group)
    try Items.append("x", to: 1, group)
    try Items.put(2, "two", group)
  }

  /// `UploadVersions` 1, and 2: another version than the last is never seen.
  @Test(arguments: FormerKind.allCases)
  func anEmptyServerGetsEverything(_ kind: FormerKind) async throws {
    let bench = try await AdoptedDevice(
      kind: kind, former: [Self.make],
      waiting: [
        { try Items.put(3, "waits", $0) },
        { group in
          try Items.put(2, "changed", group)
          try Items.append("y", to: 1, group)
        },
      ])
    let device = bench.device
    #expect(try device.agent.waitsForAdoption())
    let before = try device.digest()
    let seen = Locked<[UInt64]>([])
    let listener = try device.file.onNewVersion { version in seen.withLock { $0.append(version) } }
    let outcome = try await bench.adopt()
    listener.cancel()
    expectEqual(seen.withLock { $0 }, [device.file.newestVersion])
    expectEqual(outcome.seededCount, 3)
    expectTrue(outcome.droppedLists.isEmpty)
    try expectEqual(StateDigest(of: device.read(), file: bench.ident), before)
    try expectEqual(
      Items.texts(device.read()), [1: "one", 2: "changed", 3: "waits"])
    try bench.expectUploadsToMatch()
    #expect(try !device.agent.waitsForAdoption())
    let state = try await device.agent.state()
    expectEqual(state.ident, bench.ident)
    expectEqual(state.salt, 40)
    expectEqual(state.cursors.download, DownloadCursor(serverVersion: 3, clientVersion: 0))
    let uploads = try bench.uploads()
    expectEqual(state.uploadableByteCount, uploads.reduce(0) { $0 + $1.changeset.count })
    // `FileAdoption` 2 and 3: each has a version, and seeds are as old as the former version.
    #expect(uploads.map(\.serverVersion).allSatisfy { $0 == 3 })
    let first = outcome.before.version + 1
    expectEqual(uploads.map(\.clientVersion), Array(first..<first + UInt64(uploads.count)))
    let times = uploads.map(\.timestamp.milliseconds)
    expectEqual(times, [20, 20, 1000, 1000])
    try expectEqual(DatabaseCheck.run(device.file.snapshot()), [])
    // The server acknowledges, and goes on.
    _ = try await device.agent.integrate(
      .of(
        [Items.changeset { $0.setText("later", of: 1) }], from: 4, base: 0,
        acknowledged: uploads.last?.clientVersion))
    try expectEqual(Items.texts(device.read())[1], "later")
    #expect(try !device.history().hasPendingUploads())
  }

  /// `UploadVersions` 3: objects, and own changes, that are larger than an upload are divided.
  @Test func whatIsTooLargeForOneUploadIsDivided() async throws {
    let long = String(repeating: "x", count: 400)
    let bench = try await AdoptedDevice(
      former: [
        Self.make,
        { group in for id in 10..<14 as Range<Int64> { try Items.put(id, long, group) } },
      ],
      waiting: [
        { group in
          for id in 20..<24 as Range<Int64> { try Items.put(id, long, group) }
          for _ in 0..<3 { try Items.append(long, to: 1, group) }
        }
      ])
    let before = try bench.device.digest()
    _ = try FileAdoption(
      of: bench.device.file, to: bench.copy.file,
      limit: UploadLimit(byteCount: 700, instructionCount: 100)
    ).run()
    try expectEqual(StateDigest(of: bench.device.read(), file: bench.ident), before)
    try bench.expectUploadsToMatch()
    let uploads = try bench.uploads()
    expectTrue(uploads.allSatisfy { $0.changeset.count <= 700 })
    expectTrue(uploads.count >= 11)
  }

  private static let server = [
    Items.changeset { items in
      items.addClass()
      for id in 1...2 as ClosedRange<Int64> {
        items.create(id)
        items.setText("server \(id)", of: id)
      }
      items.create(9)
      items.insert("s", at: 0, of: 1, priorSize: 0)
    }
  ]

  /// Objects that the server has keep its values, but for changes that the former server did not
  /// get; those that it lacks come.
  @Test(arguments: FormerKind.allCases)
  func whatTheServerHasStays(_ kind: FormerKind) async throws {
    let bench = try await AdoptedDevice(
      kind: kind, server: Self.server,
      former: [Self.make, { try Items.put(3, "three", $0) }],
      waiting: [
        { try Items.put(2, "changed", $0) }, { try Items.append("y", to: 1, $0) },
        { try Items.put(3, "last", $0) },
      ])
    let outcome = try await bench.adopt()
    expectEqual(outcome.seededCount, 1)
    try expectEqual(
      Items.texts(bench.device.read()),
      [1: "server 1", 2: "changed", 3: "last", 9: ""])
    try expectEqual(Items.list(of: 1, bench.device.read()), [.string("s"), .string("y")])
    try bench.expectUploadsToMatch()
    let entries = try bench.uploads()
    let texts = try entries.map { try ChangesetParser.parse($0.changeset).description }
    expectFalse(texts.joined().contains("\"one\""), "the server's value is kept")
  }

  @Test(arguments: FormerKind.allCases)
  func aFileWithoutChangesIsEnough(_ kind: FormerKind) async throws {
    let bench = try await AdoptedDevice(kind: kind, former: [])
    let outcome = try await bench.adopt()
    #expect(try outcome.seededCount == 0 && bench.uploads().isEmpty)
    #expect(try !bench.device.agent.waitsForAdoption())
    try await expectEqual(bench.device.agent.state().ident, bench.ident)
    try expectEqual(bench.device.findings(), [])
  }

  /// Two devices adopt before either has uploaded: lists are those of one of them, changes that
  /// waited win over everything that the former server had.
  /// `ContentAdoption` 2 and 3
  @Test(arguments: [true, false])
  func twoDevicesAtOnceEndEqual(_ isFirstNewer: Bool) async throws {
    let first = try await AdoptedDevice(
      FileIdentifier(12), former: [Self.make], waiting: [{ try Items.put(1, "waited", $0) }],
      version: isFirstNewer ? 30 : 10)
    let second = try await AdoptedDevice(
      FileIdentifier(13),
      former: [
        Self.make,
        { group in
          try Items.put(2, "newer", group)
          try Items.append("z", to: 1, group)
          try Items.put(4, "four", group)
        },
      ])
    _ = try await first.adopt()
    _ = try await second.adopt()
    let (ours, theirs) = (try first.uploads(), try second.uploads())
    try await first.take(theirs, of: second.ident)
    try await second.take(ours, of: first.ident)
    for bench in [first, second] {
      let group = try bench.device.read()
      try expectEqual(
        Items.texts(group),
        [1: "waited", 2: isFirstNewer ? "two" : "newer", 4: "four"])
      let list: [TableValue] = [.string("x")] + (isFirstNewer ? [] : [.string("z")])
      try expectEqual(Items.list(of: 1, group), list)
      try expectEqual(bench.device.findings(), [])
    }
    try expectEqual(first.device.digest(), second.device.digest())
  }

  /// Sets of subscriptions that the former server did not get are sent after what was written
  /// before them.
  @Test func subscriptionsKeepTheirPlace() async throws {
    let subscription = StoredSubscription(
      id: Bytes12(high: 1, low: 2), createdAt: .zero, updatedAt: .zero, objectClass: "Item",
      query: "TRUEPREDICATE")
    let bench = try await AdoptedDevice(
      former: [
        { group in
          try Self.make(group)
          let store = try SubscriptionStore.make(in: group)
          try store.add(1, [subscription])
          try store.completeBootstrap(of: 1)
          try store.setState(.complete, of: 1)
        }
      ],
      waiting: [
        { try Items.put(3, "before", $0) },
        { group in try SubscriptionStore.make(in: group).add(2, [subscription, subscription]) },
        { try Items.put(4, "after", $0) },
      ])
    _ = try await bench.adopt()
    let sets = try QuerySet.all(in: bench.device.read())
    expectEqual(sets.map(\.version), [1, 2])
    expectEqual(sets.map(\.state), [.complete, .pending])
    let uploads = try bench.uploads()
    // The seeds, and what was written before.
    expectEqual(uploads.filter { $0.clientVersion <= sets[1].snapshotVersion }.count, 3)
    expectEqual(uploads.count, 4)
    try bench.expectUploadsToMatch()
  }

  /// A large file becomes messages that a server takes.
  @Test func aLargeFileIsManyChangesets() async throws {
    let text = String(repeating: "long ", count: 200)
    let bench = try await AdoptedDevice(
      former: [
        { group in
          try Items.makeClass(group)
          for id in 0..<1_000 as Range<Int64> { try Items.put(id, text, group) }
        }
      ])
    _ = try await bench.adopt()
    let snapshot = try bench.device.file.snapshot()
    #expect(try !UploadScan().batch(in: snapshot, after: 0).isComplete)
    var scan = UploadScan()
    scan.byteCountGoal = .max
    let sizes = try scan.batch(in: snapshot, after: 0).body.uploadEntries().map(\.changeset.count)
    expectTrue(sizes.count >= 4)
    #expect(sizes.allSatisfy { $0 < 300 << 10 })
    try expectEqual(bench.device.findings(), [])
  }

  @Test func objectsWithoutPrimaryKeyAreRefused() async throws {
    let bench = try await AdoptedDevice(
      former: [
        { group in
          let table = try group.createTable(named: "class_Note")
          try table.addColumn(named: "text", type: .string)
          _ = try table.createObject()
        }
      ])
    let before = try await bench.device.agent.state()
    let error = await #expect(throws: ResetError.self) { try await bench.adopt() }
    expectEqual(error, .withoutPrimaryKey("Note"))
    expectEqual(error?.description.contains("'Note' cannot be adopted"), true)
    try await expectEqual(bench.device.agent.state(), before)
    #expect(try bench.device.agent.waitsForAdoption())
  }

  /// What the present server has otherwise than the file ends the adoption, and changes nothing.
  @Test func anotherTypeOfAPropertyIsRefused() async throws {
    let bench = try await AdoptedDevice(
      server: Self.server,
      former: [
        { group in
          let table = try group.createTable(named: "class_Item")
          let id = try table.addColumn(named: "_id", type: .int)
          try table.addColumn(named: "text", type: .int)
          try table.setPrimaryKey(id.key)
        }
      ])
    let before = try bench.device.digest()
    await #expect(throws: ResetError.self) { try await bench.adopt() }
    try expectEqual(bench.device.digest(), before)
    #expect(try bench.device.agent.waitsForAdoption())
  }

  /// A file without an identifier is uploaded as any new one.
  /// `AdoptionRecord` 1
  @Test func aFileThatNoServerKnowsNeedsNoAdoption() async throws {
    let device = try TestDevice()
    try device.write(Self.make)
    try AdoptionRecord.mark(device.file, origin: "/former.realm")
    #expect(try !device.agent.waitsForAdoption())
    let record = try #require(try AdoptionRecord.stored(in: device.read()))
    expectEqual(record, AdoptionRecord(origin: "/former.realm", state: .complete))
    // A second mark changes nothing.
    _ = try await device.agent.adoptIdent(FileIdentifier(9), salt: 4)
    try AdoptionRecord.mark(device.file, origin: "/other.realm")
    try expectEqual(AdoptionRecord.stored(in: device.read()), record)
    // A copy is adopted once more, and has that record alone.
    let copied = try AdoptionRecord.mark(device.file, origin: "/copy.realm", isCopy: true)
    expectEqual(copied, AdoptionRecord(origin: "/copy.realm", state: .waiting))
    try expectEqual(AdoptionRecord.stored(in: device.read()), copied)
    let table = try #require(try device.read().table(named: "openrealm_adoption"))
    try expectEqual(table.objectCount(), 1)
  }
}
