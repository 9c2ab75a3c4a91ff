// SPDX-License-Identifier: Apache-2.0

// A file becomes equal to its fresh copy in one transaction (P3 D, P5 7).

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct ClientResetTests {
  private static let server = [
    Items.changeset { items in
      items.addClass()
      for id in 1...2 as ClosedRange<Int64> {
        items.create(id)
        items.setText("server \(id)", of: id)
      }
    },
    Items.changeset { $0.insert("x", at: 0, of: 1, priorSize: 0) },
  ]

  /// A device that has items 1 and 3, and an item 4 that waits for its upload.
  private func bench() async throws -> ResetBench {
    try await ResetBench(
      Self.server,
      uploaded: [
        { group in
          try Items.makeClass(group)
          try Items.put(1, "device 1", group)
          try Items.put(3, "device 3", group)
        }
      ], waiting: [{ try Items.put(4, "waits", $0) }])
  }

  /// `ClientReset` 1.
  @Test func theFileBecomesTheCopyAndForgetsItsHistory() async throws {
    let bench = try await bench()
    let device = bench.device
    let before = try device.read()
    let outcome = try #require(try await bench.reset(.discard))
    try bench.expectEqualToCopy()
    expectEqual(outcome.before.version, before.snapshot.version + 1)
    expectFalse(outcome.hasRecovered)
    try expectEqual(Items.texts(TableGroup(outcome.before)), Items.texts(before))
    let state = try await device.agent.state()
    expectEqual(state.ident, ResetBench.ident)
    expectEqual(state.salt, ResetBench.salt)
    expectEqual(
      state.cursors,
      SyncCursors(
        download: DownloadCursor(serverVersion: 4, clientVersion: 0),
        upload: UploadCursor(clientVersion: 0, serverVersion: 4),
        latest: SaltedVersion(version: 4, salt: 5)))
    expectEqual(state.uploadableByteCount, 0)
    expectEqual(state.downloadedByteCount, 0)
    // The versions go on, and nothing is uploaded.
    expectEqual(state.version, outcome.before.version + 1)
    #expect(try device.history().count == 1 && bench.uploads().isEmpty)
    try await expectEqual(device.agent.activate(), state)
    // What is written afterwards is.
    let version = try device.write { try Items.put(5, "later", $0) }
    try expectEqual(bench.uploads().count, 1)
    expectEqual(version, state.version + 1)
    _ = try await device.agent.integrate(
      .of([Items.changeset { $0.setText("server again", of: 2) }], from: 5))
    try expectEqual(
      Items.texts(device.read()), [1: "server 1", 2: "server again", 5: "later"])
  }

  /// An equal object is not changed.
  @Test func onlyDifferencesAreWritten() async throws {
    let bench = try await ResetBench(
      Self.server,
      uploaded: [
        { group in
          try Items.makeClass(group)
          try Items.put(1, "server 1", group)
          try Items.append("x", to: 1, group)
          try Items.put(2, "server 2", group)
        }
      ])
    _ = try await bench.reset(.discard)
    try bench.expectEqualToCopy()
    let group = try WriteGroup(bench.device.file.beginWrite())
    defer { group.rollback() }
    var transfer = StateTransfer(
      from: try bench.copy.read(), ResetBench.ident, to: group, ResetBench.ident)
    try transfer.run()
    expectTrue(group.log.isEmpty)
  }

  /// Objects without primary key are named by the file that made them, which has another identifier
  /// now.
  @Test func objectsWithoutKeyAreThoseOfTheCopy() async throws {
    let notes = ResetBench.notes
    let bench = try await ResetBench(
      [notes([(9, 0, "device"), (7, 1, "other")])],
      uploaded: [
        { group in
          let table = try group.createTable(named: "class_Note")
          let text = try table.addColumn(named: "text", type: .string)
          let (key, _) = try table.createObject()
          try table.set(.string("device"), text, key)
        }
      ])
    _ = try await bench.reset(.discard)
    try bench.expectEqualToCopy()
    let table = try #require(try bench.device.read().table(named: "class_Note"))
    try expectEqual(table.objectCount(), 2)
  }

  @Test func classesAndPropertiesOfTheFileAloneAreRefused() async throws {
    let bench = try await ResetBench(
      Self.server,
      uploaded: [
        { group in
          try Items.makeClass(group)
          for name in ["class_Zebra", "class_Ape"] { _ = try group.createTable(named: name) }
        }
      ])
    let before = try bench.device.digest()
    let error = await #expect(throws: ResetError.self) { try await bench.reset(.discard) }
    expectEqual(
      error?.description,
      "Client reset cannot recover when classes have been removed: {Ape, Zebra}")
    try expectEqual(bench.device.digest(), before)
    // `ClientReset` 3.
    #expect(try await !bench.device.agent.hasResetRecord())
    try await expectEqual(bench.device.agent.state().ident, FileIdentifier(9))

    let other = try await ResetBench(
      Self.server,
      uploaded: [
        { group in
          try Items.makeClass(group)
          try Items.table(group).addColumn(named: "more", type: .int)
        }
      ])
    let second = await #expect(throws: ResetError.self) { try await other.reset(.discard) }
    expectEqual(
      second?.description,
      "Client reset cannot recover when properties have been removed: {Item.more}")
  }

  @Test func aPropertyOfAnotherTypeIsRefused() async throws {
    let bench = try await ResetBench(
      Self.server,
      uploaded: [
        { group in
          let table = try group.createTable(named: "class_Item")
          let id = try table.addColumn(named: "_id", type: .int)
          try table.addColumn(named: "text", type: .int)
          try table.addColumn(named: "list", type: .string, collection: .list)
          try table.setPrimaryKey(id.key)
        }
      ])
    let error = await #expect(throws: ResetError.self) { try await bench.reset(.discard) }
    expectEqual(error?.description.contains("Item.text"), true)
  }

  @Test func whatOnlyTheCopyHasIsAdded() async throws {
    let bench = try await ResetBench(
      Self.server,
      uploaded: [
        { group in
          let table = try group.createTable(named: "class_Item")
          let id = try table.addColumn(named: "_id", type: .int)
          try table.setPrimaryKey(id.key)
        }
      ])
    _ = try await bench.reset(.discard)
    try bench.expectEqualToCopy()
  }

  /// In its one commit after the record, so that no crash lets the program miss a reset.
  @Test func aResetIsKnownToTheFileUntilTheProgramHasHeardOfIt() async throws {
    for isToBeAnnounced in [true, false] {
      let bench = try await bench()
      let device = bench.device
      let version = device.file.newestVersion
      _ = try await device.agent.reset(
        to: bench.copy.file, .discard, ResetBench.cause, isToBeAnnounced: isToBeAnnounced)
      expectEqual(device.file.newestVersion, version + 2)
      try expectEqual(device.agent.hasUnannouncedReset(), isToBeAnnounced)
      try await device.restart()
      try expectEqual(device.agent.hasUnannouncedReset(), isToBeAnnounced)
      try await device.agent.resetIsAnnounced()
      #expect(try !device.agent.hasUnannouncedReset())
      #expect(try await device.agent.keptReports().due.isEmpty)
      #expect(try device.findings().isEmpty)
    }
  }

  @Test func aFileThatWasNeverWrittenIsNotReset() async throws {
    let (device, copy) = (try TestDevice(), try TestDevice())
    let outcome = try await device.agent.reset(to: copy.file, .discard, ResetBench.cause)
    expectTrue(outcome == nil)
    expectEqual(device.file.newestVersion, 1)
  }

  @Test func aCopyWithoutIdentifierIsRefused() async throws {
    let bench = try await bench()
    let empty = try TestDevice()
    try empty.write { try Items.makeClass($0) }
    await #expect(throws: ResetError.self) {
      try await bench.device.agent.reset(to: empty.file, .discard, ResetBench.cause)
    }
    #expect(try await !bench.device.agent.hasResetRecord())
  }

  // MARK: Subscriptions

  @Test func theActiveSetIsCompleteAndNewerOnesGo() async throws {
    let bench = try await bench()
    let device = bench.device
    try device.write { group in
      let store = try SubscriptionStore.make(in: group)
      try store.add(4)
      try store.setState(.awaitingMark, of: 4)
      try store.add(5)
    }
    let bootstrap = BootstrapIntegrationTests.entries(0..<1)
    var cursors = BootstrapIntegrationTests.cursors
    cursors.download.serverVersion = 30
    cursors.latest.version = 30
    try await device.agent.keepBootstrapPart(bootstrap, ofQuery: 5, cursors: cursors)
    try expectEqual(BootstrapIntegrationTests.states(device)[5], .bootstrapping)
    _ = try await bench.reset(.discard)
    try expectEqual(BootstrapIntegrationTests.states(device), [4: .complete])
    // A bootstrap of the old state is not integrated any more.
    _ = try await device.agent.activate()
    try bench.expectEqualToCopy()
  }

  @Test func withoutAnActiveSetTheFirstOneIsComplete() async throws {
    let bench = try await bench()
    try bench.device.write { group in
      let store = try SubscriptionStore.make(in: group)
      try store.add(1)
      try store.setState(.error, of: 1, error: "no")
    }
    _ = try await bench.reset(.discard)
    try expectEqual(BootstrapIntegrationTests.states(bench.device), [0: .complete])
  }

  @Test func theSubscriptionsOfTheActiveSetAreCopied() async throws {
    let device = try TestDevice()
    #expect(try await device.agent.activeSubscriptions().isEmpty)
    let subscription = StoredSubscription(
      id: Bytes12(high: 1, low: 2), createdAt: .zero, updatedAt: .zero, name: "n",
      objectClass: "Item", query: "TRUEPREDICATE")
    try device.write { group in
      let store = try SubscriptionStore.make(in: group)
      try store.add(1, [subscription])
      try store.setState(.complete, of: 1)
      try store.add(2)
    }
    try await expectEqual(device.agent.activeSubscriptions(), [subscription])
  }
}

extension ResetBench {
  /// A changeset of notes, which have no primary key: files, numbers and texts.
  static func notes(_ notes: [(file: UInt64, low: UInt64, text: String)]) -> [UInt8] {
    var encoder = ChangesetEncoder()
    let (table, field) = (encoder.intern("Note"), encoder.intern("text"))
    encoder.append(
      .addTable(
        .init(
          table: table, kind: .topLevel,
          key: .init(field: encoder.intern(""), type: .globalKey, isNullable: false))))
    encoder.append(
      .addColumn(
        .init(
          table: table, field: field, type: .string, isNullable: false, collection: .single)))
    for note in notes {
      let key = PrimaryKey.globalKey(GlobalKey(high: note.file, low: note.low))
      encoder.append(.createObject(.init(table: table, key: key)))
      let path = InstructionPath(table: table, key: key, field: field)
      encoder.append(.update(.init(path: path, value: .string(encoder.addBytes(note.text)))))
    }
    return encoder.bytes
  }
}
