// SPDX-License-Identifier: Apache-2.0

// The requests of a session machine, carried out on a file.

import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct SessionRequestTests {
  private func received(
    _ entries: [DownloadEntry], _ cursors: SyncCursors, _ progress: ServerMessage.Progress
  ) -> ReceivedDownload {
    ReceivedDownload(
      download: ServerMessage.Download(
        cursors: cursors, progress: progress, body: MessageBody(downloads: entries)),
      receiver: FileIdentifier(9), previousVersion: 0)
  }

  private func file(_ device: TestDevice, _ request: StoreRequest) async throws -> SessionFile {
    let reply = await device.agent.perform(request)
    guard case .done(let file) = reply else {
      Issue.record("\(request): \(reply)")
      return SessionFile()
    }
    return file
  }

  private static func makeSubscriptions(_ device: TestDevice) throws {
    try device.write { group in
      let store = try SubscriptionStore.make(in: group)
      try store.setState(.complete, of: 0)
      let queries = [("Item", "b == 1"), ("Item", "a == 1"), ("Other", "TRUEPREDICATE")]
      try store.add(
        1,
        queries.enumerated().map { index, query in
          StoredSubscription(
            id: Bytes12(high: 1, low: UInt32(index)),
            createdAt: Timestamp(seconds: 5, nanoseconds: 0),
            updatedAt: Timestamp(seconds: 6, nanoseconds: 0), name: index == 0 ? "first" : nil,
            objectClass: query.0, query: query.1)
        })
    }
  }

  @Test func aFlexibleSessionGoesFromIdentToCompleteSet() async throws {
    let device = try TestDevice()
    try Self.makeSubscriptions(device)
    var file = try await file(device, .begin)
    expectEqual(file.ident, .own)
    expectEqual(file.sets.map(\.state), [.complete, .pending])
    expectEqual(file.sets[0].text, "{}")
    expectEqual(
      file.sets[1].text, #"{"Item":"(a == 1) OR (b == 1)","Other":"TRUEPREDICATE"}"#)
    expectEqual(file.sets[1].snapshotVersion, 1)
    file = try await self.file(device, .adoptIdent(FileIdentifier(9), salt: 4))
    expectEqual(file.ident, FileIdentifier(9))
    expectEqual(file.salt, 4)

    let entries = BootstrapIntegrationTests.entries(0..<4)
    let cursors = BootstrapIntegrationTests.cursors
    file = try await self.file(
      device,
      .keepBootstrapPart(
        received(
          Array(entries[..<2]), cursors,
          .flexible(queryVersion: 1, batch: .moreToCome, done: .estimate(0.5))),
        queryVersion: 1, isLast: false))
    expectEqual(file.sets.map(\.state), [.complete, .bootstrapping])
    file = try await self.file(
      device,
      .keepBootstrapPart(
        received(
          Array(entries[2...]), cursors,
          .flexible(queryVersion: 1, batch: .last, done: .estimate(1))),
        queryVersion: 1, isLast: true))
    file = try await self.file(device, .processBootstrap(queryVersion: 1))
    expectEqual(file.sets.map(\.state), [.awaitingMark])
    expectEqual(file.cursors, cursors)
    file = try await self.file(device, .markComplete(queryVersion: 1))
    expectEqual(file.sets.map(\.state), [.complete])
    try expectEqual(Items.texts(device.read()).count, 4)

    file = try await self.file(
      device,
      .integrateBootstrap(
        received(
          BootstrapIntegrationTests.entries(4..<6), cursors,
          .flexible(queryVersion: 1, batch: .last, done: .estimate(1))),
        queryVersion: 1))
    expectEqual(file.sets.map(\.state), [.awaitingMark])
    try expectEqual(Items.texts(device.read()).count, 6)
  }

  /// Where the sets of an answer are in memory: those that were read again are elsewhere.
  private func place(_ sets: [QuerySet]) -> Int {
    sets.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
  }

  @Test func setsAreReadAgainWhenTheirTablesHaveChangedAndOnlyThen() async throws {
    let device = try TestDevice()
    try await expectEqual(file(device, .read).sets, [])
    try Self.makeSubscriptions(device)
    let first = try await file(device, .read)
    expectEqual(first.sets.map(\.state), [.complete, .pending])
    try device.write(Items.makeClass)
    let second = try await file(device, .read)
    expectTrue(second.version > first.version)
    expectEqual(second.sets, first.sets)
    expectEqual(place(second.sets), place(first.sets))

    // The app, another program and the agent itself change them.
    try device.write { try SubscriptionStore.make(in: $0).add(2) }
    let third = try await file(device, .read)
    expectEqual(third.sets.map(\.text), first.sets.map(\.text) + ["{}"])
    expectTrue(place(third.sets) != place(second.sets))
    try device.write { try SubscriptionStore.make(in: $0).setState(.awaitingMark, of: 1) }
    try await expectEqual(
      file(device, .read).sets.map(\.state), [.complete, .awaitingMark, .pending])
    let fourth = try await file(device, .markComplete(queryVersion: 1))
    expectEqual(fourth.sets.map(\.state), [.complete, .complete, .pending])
    try device.write { group in
      let table = try #require(try group.table(named: "flx_subscriptions"))
      let column = try #require(table.schema.column(named: "query"))
      let key = try #require(try table.table.key(at: 0))
      try table.set(.string("c == 1"), column, key, isDefault: false)
    }
    let text = try await file(device, .read).sets[1].text
    expectEqual(text, #"{"Item":"(a == 1) OR (c == 1)","Other":"TRUEPREDICATE"}"#)
  }

  /// A scan brings the sets of the version that it scanned, and stops at the next one.
  @Test func aScanStopsAtThePendingSet() async throws {
    let device = try TestDevice()
    try Self.makeSubscriptions(device)
    let last = try device.write { _ in }
    for (query, isPending) in [(0, true), (1, false)] as [(UInt64, Bool)] {
      guard
        case .uploads(let batch, let file) = await device.agent.perform(
          .scanUploads(after: 0, pastQuery: query))
      else {
        Issue.record("no answer to a scan")
        continue
      }
      let next = file.nextSet(after: query)
      expectEqual((next != nil), isPending)
      expectEqual(file.version, last)
      expectTrue(batch.isComplete)
      #expect(
        isPending ? batch.progress.clientVersion <= 1 : batch.progress.clientVersion == last)
    }
  }

  @Test func aQueryThatIsRejectedIsAnError() async throws {
    let device = try TestDevice()
    try Self.makeSubscriptions(device)
    let file = try await file(device, .rejectQuery(version: 1, message: "no"))
    expectEqual(file.sets.map(\.state), [.complete, .error])
  }

  @Test func aPartitionSessionUploadsAndIntegrates() async throws {
    let device = try TestDevice()
    let version = try device.write(Items.makeClass)
    guard
      case .uploads(let batch, _) = await device.agent.perform(
        .scanUploads(after: 0, pastQuery: 0))
    else { return #expect(Bool(false)) }
    expectEqual(batch.lastVersion, version)
    let download = DownloadBatch.of([Items.changeset { $0.create(3) }], base: version)
    let file = try await file(
      device,
      .integrate(
        received(download.entries, download.cursors, .partition(byteCountLeft: 12))))
    expectEqual(file.cursors.download.serverVersion, 1)
    expectEqual(file.sets, [])
    try await expectEqual(device.agent.state().downloadableByteCount, 12)
  }

  @Test func failuresHaveTheCodeOfTheirCause() async throws {
    let device = try TestDevice()
    let bad = DownloadBatch.of([[0x7F]])
    var ahead = DownloadBatch.of([Items.changeset { $0.addClass() }])
    ahead.cursors.upload.clientVersion = 50
    for (download, code) in [(bad, 212), (ahead, 233)] {
      let reply = await device.agent.perform(
        .integrate(received(download.entries, download.cursors, .partition(byteCountLeft: 0))))
      guard case .failed(let failure) = reply else {
        Issue.record("\(reply)")
        continue
      }
      expectEqual(failure.code?.rawValue, code)
      expectFalse(failure.message.isEmpty)
    }
    expectEqual(device.file.newestVersion, 1)
  }
}
