// SPDX-License-Identifier: Apache-2.0

// Values in a client's file that are longer than a blob.

import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@Suite(.serialized) struct LargeValueTests {
  /// The longest blob has 16,777,200 bytes.
  static let sizes = [16_777_199, 16_777_200, 16_777_201, 40_000_000]

  /// Bytes that hardly become shorter by compression: the window that it looks back has 32 KiB.
  private func bytes(_ count: Int) -> [UInt8] {
    var random = SeededGenerator(seed: UInt64(count))
    let block = (0..<1 << 17).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + block.count)
    while bytes.count < count { bytes += block }
    return Array(bytes.prefix(count))
  }

  @Test(.heavy, arguments: sizes) func entriesOfAllSizesAreReadBack(_ size: Int) throws {
    let system = try SimulatedFileSystem()
    let bytes = bytes(size)
    do {
      let file = try system.openDatabase(history: .syncClient)
      for _ in 0..<2 {
        let write = try file.beginWrite()
        write.syncEntry = SyncEntry(changeset: bytes)
        _ = try write.commit(changeset: [])
      }
      let write = try file.beginWrite()
      try write.setSyncReciprocal(bytes, at: write.syncHistory().version)
      _ = try write.commit(changeset: [])
    }
    let history = try #require(
      try system.openDatabase(history: .syncClient).snapshot().syncHistory())
    let versions = try #require(history.versions)
    let stored = try versions.filter { try history.changeset(at: $0) == bytes }
    expectEqual(stored.count, 2)
    #expect(try versions.contains { try history.reciprocal(at: $0) == bytes })
  }

  /// A changeset of a bootstrap that would not fit a blob, which other clients could not read, is
  /// refused.
  @Test(.heavy) func changesetsOfBootstrapsFitABlob() throws {
    let device = try TestDevice()
    let size = BootstrapStore.changesetByteCountMax
    let entry = DownloadEntry(
      serverVersion: 1, clientVersion: 0, timestamp: OriginTimestamp(milliseconds: 1),
      file: .server,
      originalByteCount: UInt64(size), changeset: bytes(size))
    try device.write { group in
      _ = try BootstrapStore.make(in: group).add([entry], ofQuery: 1, cursors: nil)
    }
    try device.write { group in
      let taken = try BootstrapStore.make(in: group).takeFirst(byteCount: 1)
      expectEqual(taken.entries, [entry])
      expectTrue(taken.isLast)
    }
    let longer = DownloadEntry(
      serverVersion: 1, clientVersion: 0, timestamp: OriginTimestamp(milliseconds: 1),
      file: .server,
      originalByteCount: 1, changeset: bytes(size + 1))
    let integration = BootstrapIntegration(device.file)
    #expect(throws: IntegrationError.changesetTooLarge(byteCount: size + 1)) {
      try integration.keep([longer], ofQuery: 1, cursors: nil)
    }
  }

  @Test(.heavy, arguments: [16_777_199, 16_777_200, 16_777_201, 16_777_208])
  func binariesOfChangesetsFitAProperty(_ size: Int) throws {
    var encoder = ChangesetEncoder()
    let path = InstructionPath(
      table: encoder.intern("Thing"), key: .int(1), field: encoder.intern("data"))
    encoder.append(.update(.init(path: path, value: .binary(encoder.addBytes(bytes(size))))))
    if size <= 16_777_200 {
      try expectEqual(ChangesetParser.parse(encoder.bytes).instructions.count, 1)
    } else {
      #expect(throws: ChangesetError.payloadTooLong(size)) {
        _ = try ChangesetParser.parse(encoder.bytes)
      }
    }
  }
}
