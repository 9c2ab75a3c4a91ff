// SPDX-License-Identifier: Apache-2.0

// What is uploaded, and how far (P1 C.2, P5 4).

import RealmFormats
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct UploadScanTests {
  private func batch(
    _ device: TestDevice, after version: UInt64, through limit: UInt64? = nil,
    goal: Int = 128 << 10, max: Int = 16 << 20
  ) throws -> Found {
    var scan = UploadScan()
    scan.byteCountGoal = goal
    scan.byteCountMax = max
    let batch = try scan.batch(in: device.file.snapshot(), after: version, through: limit)
    return Found(batch: batch, entries: try batch.body.uploadEntries())
  }

  /// A batch with its entries.
  @dynamicMemberLookup private struct Found {
    let batch: UploadBatch
    let entries: [UploadEntry]

    subscript<Value>(dynamicMember path: KeyPath<UploadBatch, Value>) -> Value {
      batch[keyPath: path]
    }
  }

  @Test func aFileThatWasNeverWrittenHasNothing() throws {
    let batch = try batch(TestDevice(), after: 0)
    expectEqual(batch.entries, [])
    expectEqual(batch.progress, UploadCursor())
    expectTrue(batch.isComplete)
  }

  @Test func versionsWithoutUploadsAreSkippedAndCounted() async throws {
    let device = try TestDevice()
    let first = try device.write(Items.makeClass)
    try device.write { _ in }
    _ = try await device.agent.integrate(.of([Items.changeset { $0.addClass() }], from: 9))
    let second = try device.write { try Items.put(1, "a", $0) }
    let last = try device.write { _ in }
    let batch = try batch(device, after: 0)
    expectEqual(batch.entries.map(\.clientVersion), [first, second])
    expectEqual(batch.entries.map(\.serverVersion), [0, 9])
    expectEqual(batch.progress, UploadCursor(clientVersion: last, serverVersion: 9))
    expectEqual(batch.lockedServerVersion, 9)
    expectTrue(batch.isComplete)
    let rest = try self.batch(device, after: last)
    expectEqual(rest.entries, [])
    expectEqual(rest.progress.clientVersion, last)
  }

  /// `aChangesetIsUploadedAsItWasRecorded`, whatever was merged since.
  @Test func changesetsAreUploadedAsTheyWereRecorded() async throws {
    let device = try TestDevice()
    try device.write(Items.makeClass)
    _ = try await device.agent.adoptIdent(FileIdentifier(2), salt: 3)
    try device.write { group in
      try Items.put(1, "a", group)
      try Items.append("mine", to: 1, group)
    }
    let before = try batch(device, after: 0).entries.map(\.changeset)
    let download = DownloadBatch.of([
      Items.changeset { items in
        items.create(1)
        items.insert("theirs", at: 0, of: 1, priorSize: 0)
      }
    ])
    _ = try await device.agent.integrate(download)
    let history = try device.history()
    let versions = try #require(history.versions)
    #expect(try versions.contains { try history.reciprocal(at: $0) != nil })
    try expectEqual(batch(device, after: 0).entries.map(\.changeset), before)
  }

  @Test func aScanEndsWhenItHasEnoughBytes() throws {
    let device = try TestDevice()
    try device.write(Items.makeClass)
    for id in 0..<10 as Range<Int64> {
      try device.write { try Items.put(id, String(repeating: "x", count: 100), $0) }
    }
    var version: UInt64 = 0
    var found: [UInt64] = []
    var batchCount = 0
    while true {
      let batch = try batch(device, after: version, goal: 250)
      found += batch.entries.map(\.clientVersion)
      expectTrue(batch.entries.count <= 3)
      version = batch.progress.clientVersion
      batchCount += 1
      if batch.isComplete { break }
    }
    expectEqual(found, device.written)
    expectTrue(batchCount > 3)
  }

  @Test func aLongChangesetIsSentByItself() throws {
    let device = try TestDevice()
    let first = try device.write(Items.makeClass)
    let second = try device.write { try Items.put(1, String(repeating: "x", count: 1000), $0) }
    let size = try StoredChangesetFraming.size(device.history().changeset(at: second))
    let body = UploadEntry(
      clientVersion: second, serverVersion: 0, timestamp: OriginTimestamp(milliseconds: 1_000),
      changeset: []
    ).byteCount(withChangesetOf: size)
    let batch = try batch(device, after: 0, goal: body, max: body)
    expectEqual(batch.entries.map(\.clientVersion), [first])
    expectEqual(batch.progress.clientVersion, first)
    expectFalse(batch.isComplete)
    expectEqual(batch.excess, nil)
    let next = try self.batch(device, after: first, goal: body, max: body)
    expectEqual(next.entries.map(\.clientVersion), [second])
    expectEqual(next.batch.body.uncompressedByteCount, body)
    // One byte more than a message has.
    let last = try self.batch(device, after: first, goal: body, max: body - 1)
    expectEqual(last.entries, [])
    expectEqual(last.progress.clientVersion, first)
    expectTrue(last.excess?.contains("\(size) bytes") ?? false)
  }

  /// What precedes the changesets counts: of many short ones it is most of the body.
  @Test func headersOfEntriesCount() throws {
    let device = try TestDevice()
    var version = try device.write(Items.makeClass)
    for id in 0..<100 as Range<Int64> { try device.write { try Items.put(id, "", $0) } }
    for max in [200, 333, 400, 1_000, 2_000] as [Int] {
      let batch = try batch(device, after: version, goal: .max, max: max)
      expectTrue(batch.batch.body.uncompressedByteCount <= max)
      expectTrue(batch.entries.count > 0)
      version = batch.progress.clientVersion
    }
  }

  @Test func aScanEndsAtItsLimit() throws {
    let device = try TestDevice()
    let first = try device.write(Items.makeClass)
    try device.write { try Items.put(1, "a", $0) }
    let batch = try batch(device, after: 0, through: first)
    expectEqual(batch.entries.map(\.clientVersion), [first])
    expectEqual(batch.progress.clientVersion, first)
    expectTrue(batch.isComplete)
  }

  /// What the commit compressed is in the message as it is in the file, so that each changeset is
  /// compressed once, and decompressed by the server alone.
  @Test func aCommitIsCompressedOnce() throws {
    let device = try TestDevice()
    try device.write(Items.makeClass)
    var random = SeededGenerator(seed: 4)
    for id in 0..<6 as Range<Int64> {
      // Every second changeset is too short to be compressed by itself.
      let count = id % 2 == 0 ? 4_000 : 40
      let text = (0..<count).map { _ in ["ab", "cd", "ef", "gh"][random.number(below: 4)] }.joined()
      try device.write { try Items.put(id, text, $0) }
    }
    let snapshot = try device.file.snapshot()
    let history = try #require(try snapshot.syncHistory())
    let stored = try device.written.map { try history.changeset(at: $0) }
    let compressed = stored.compactMap { StoredChangesetFraming.joinable($0) }
    expectEqual(compressed.count, 3)
    let batch = try batch(device, after: 0)
    let body = batch.body.bytes
    expectTrue(batch.body.isCompressed)
    for part in compressed {
      // Without the last block and the checksum.
      let blocks = part.dropLast(9)
      let places = body.indices.filter { body[$0...].starts(with: blocks) }
      expectEqual(places.count, 1)
    }
    // Nothing was decompressed: blocks that no one can read go through.
    var damaged = batch.entries
    for index in damaged.indices {
      damaged[index].changeset = stored[index]
      guard StoredChangesetFraming.joinable(stored[index]) != nil else { continue }
      for position in 4..<stored[index].count - 13 { damaged[index].changeset[position] = 0xFF }
    }
    let unread = try MessageBody(stored: damaged)
    expectEqual(unread.uncompressedByteCount, batch.body.uncompressedByteCount)
    #expect(throws: MessageError.self) { try unread.uploadEntries() }
    // The server gets the changesets as they were recorded.
    let recorded = try stored.map { try StoredChangesetFraming.decode($0) }
    expectEqual(batch.entries.map(\.changeset), recorded)
    expectEqual(batch.lastVersion, batch.entries.last?.clientVersion)
    expectTrue(batch.isComplete)
  }

  /// Changesets that another program has compressed are compressed again.
  @Test func othersStreamsAreCompressedAgain() throws {
    let changeset = [UInt8](repeating: 7, count: 2_000)
    let foreign = [0x12, 0xD0, 0x07] + Zlib.compress(changeset).dropFirst(2)
    expectEqual(StoredChangesetFraming.joinable(foreign), nil)
    let entries = [foreign, StoredChangesetFraming.encode(changeset)].map { bytes in
      UploadEntry(
        clientVersion: 1, serverVersion: 2, timestamp: OriginTimestamp(milliseconds: 3),
        changeset: bytes)
    }
    for part in [entries, [entries[0]]] {
      let body = try MessageBody(stored: part)
      #expect(try body.uploadEntries().allSatisfy { $0.changeset == changeset })
    }
  }
}
