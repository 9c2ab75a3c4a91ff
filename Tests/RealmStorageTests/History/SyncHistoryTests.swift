// SPDX-License-Identifier: Apache-2.0

// Entries of a synchronised file: what commits add, and what can be changed.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct SyncHistoryTests {
  private let system: SimulatedFileSystem
  private let file: DatabaseFile

  init() throws {
    system = try SimulatedFileSystem()
    file = try system.openDatabase(history: .syncClient)
  }

  @discardableResult
  private func commit(_ body: (WriteTransaction) throws -> Void = { _ in }) throws -> Snapshot {
    let write = try file.beginWrite()
    try body(write)
    return try write.commit(changeset: [7])
  }

  private func history() throws -> SyncHistory {
    try #require(try file.snapshot().syncHistory())
  }

  // MARK: Commits

  /// `SyncHistory` 1, `WriteTransaction+Sync` 1.
  @Test func everyCommitAddsOneEntry() throws {
    #expect(try file.snapshot().syncHistory() == nil)
    for number in 1...5 {
      let snapshot = try commit()
      let history = try #require(try snapshot.syncHistory())
      expectEqual(history.count, number)
      expectEqual(history.base, 1)
      expectEqual(history.versions, 2...snapshot.version)
      try expectEqual(history.entry(at: snapshot.version), SyncEntry())
    }
    try expectEqual(file.check(), [])
  }

  @Test func anEntryIsReadAsItWasSet() throws {
    let entry = SyncEntry(
      changeset: Array(0...200), reciprocal: [], remoteVersion: 9, originFile: 3,
      originTimestamp: -4)
    let snapshot = try commit { $0.syncEntry = entry }
    try expectEqual(history().entry(at: snapshot.version), entry)
    try commit()
    try expectEqual(history().entry(at: snapshot.version), entry)
  }

  /// Empty bytes and no bytes are different reciprocals, in both forms of a leaf.
  @Test func anEmptyReciprocalIsNotAMissingOne() throws {
    let long = [UInt8](repeating: 5, count: 300)
    for reciprocal in [nil, [], [1], nil, long, [], nil] as [[UInt8]?] {
      let snapshot = try commit {
        $0.syncEntry = SyncEntry(reciprocal: reciprocal, originFile: 1)
      }
      try expectEqual(history().reciprocal(at: snapshot.version), reciprocal)
    }
    try expectEqual(history().reciprocal(at: 2), nil)
    try expectEqual(history().reciprocal(at: 3), [])
  }

  @Test func entriesLongerThanABlobAreChains() throws {
    let long = [UInt8](repeating: 3, count: 0xFF_FFF0) + [4, 5]
    let snapshot = try commit { $0.syncEntry = SyncEntry(changeset: long, reciprocal: long) }
    try expectEqual(history().changeset(at: snapshot.version), long)
    try expectEqual(history().reciprocal(at: snapshot.version), long)
    try expectEqual(history().head(at: snapshot.version).storedByteCount, long.count)
    try expectEqual(file.check(), [])
    try commit { try $0.trimSyncHistory(through: snapshot.version) }
    try expectEqual(file.check(), [])
  }

  @Test func aLocalEntryHasTheServerVersionThatIsIntegrated() throws {
    try commit { write in
      try write.updateSyncProgress { $0.download.serverVersion = 17 }
      write.syncEntry = SyncEntry(changeset: [1], remoteVersion: 3)
    }
    try commit()
    try expectEqual(history().head(at: 2).remoteVersion, 17)
    try expectEqual(history().head(at: 3).remoteVersion, 17)
  }

  @Test func localEntriesCountAsUploadable() throws {
    try commit { write in
      write.syncEntry = SyncEntry(changeset: [1, 2])
      write.syncEntryByteCount = 50
    }
    try commit { write in
      write.syncEntry = SyncEntry(originFile: 2)
      write.syncEntryByteCount = 70
    }
    try expectEqual(history().progress.uploadableByteCount, 50)
  }

  @Test func aRolledBackTransactionAddsNothing() throws {
    try commit()
    let write = try file.beginWrite()
    write.syncEntry = SyncEntry(changeset: [1])
    try write.trimSyncHistory(through: 2)
    write.rollback()
    try expectEqual(history().count, 1)
    try commit()
    try expectEqual(history().versions, 2...3)
  }

  /// `PendingCommit` 3.
  @Test func chainedVersionsHaveAnEntryEach() throws {
    let first = try file.beginWrite()
    first.syncEntry = SyncEntry(changeset: [1])
    var pending = try first.writeVersion(changeset: [1])
    for number in 2...4 as ClosedRange<UInt8> {
      let write = try pending.begin()
      try expectEqual(write.syncHistory().count, Int(number) - 1)
      write.syncEntry = SyncEntry(changeset: [number])
      pending = try write.writeVersion(changeset: [number])
    }
    try pending.makeDurable()
    let history = try history()
    try expectEqual((2...5).map { try history.changeset(at: $0) }, [[1], [2], [3], [4]])
  }

  // MARK: Progress and identity

  /// `SyncHistory` 3.
  @Test func progressAndIdentifierAreKept() throws {
    var progress = SyncProgress()
    progress.latestServerVersion = 1 << 62
    progress.latestServerVersionSalt = .max
    progress.download = SyncProgress.Cursor(serverVersion: 5, clientVersion: 1)
    progress.upload = SyncProgress.Cursor(serverVersion: 4, clientVersion: 2)
    progress.downloadedByteCount = 11
    progress.downloadableByteCount = 12
    progress.uploadedByteCount = 13
    progress.uploadableByteCount = 14
    try commit { write in
      try write.updateSyncProgress { $0 = progress }
      try write.setFileIdentifier(77, salt: 1 << 40)
      try expectEqual(write.fileIdentifier, 77)
    }
    for _ in 0..<2 {
      try expectEqual(history().progress, progress)
      try expectEqual(history().fileSalt, 1 << 40)
      try expectEqual(file.snapshot().top().fileIdentifier, 77)
      try commit()
    }
  }

  @Test func numbersBeyondASlotAreRefused() throws {
    #expect(throws: StorageError.self) {
      try commit { write in try write.updateSyncProgress { $0.latestServerVersion = .max } }
    }
    #expect(throws: StorageError.self) {
      try commit { write in try write.updateSyncProgress { $0.latestServerVersionSalt = -1 } }
    }
    #expect(throws: StorageError.self) { try commit { try $0.setFileIdentifier(1, salt: -1) } }
    #expect(throws: StorageError.self) {
      try commit { $0.syncEntry = SyncEntry(remoteVersion: .max, originFile: 1) }
    }
    expectEqual(file.newestVersion, 1)
  }

  // MARK: Other formats

  /// `DatabaseFile+OlderFormats` 2.
  @Test func theUpgradeOfAFormatIsACommitToo() throws {
    try commit { $0.syncEntry = SyncEntry(changeset: [1]) }
    var bytes = try system.file.contents()
    for offset in [20, 21] where bytes[offset] != 0 { bytes[offset] = 23 }
    let old = try SimulatedFileSystem(contents: bytes)
    #expect(throws: StorageError.self) { try old.openDatabase(history: .syncClient) }
    func upgrade(_ history: HistoryKind) throws -> Bool {
      try DatabaseFile.upgrade(
        path: old.file.path, options: OpenOptions(history: history), system: old,
        registry: FileRegistry()
      ) { (file) throws(StorageError) in
        _ = try file.beginWrite().commit(changeset: [])
      }
    }
    #expect(throws: StorageError.incompatibleHistory(path: old.file.path, type: 3)) {
      try upgrade(.inFile)
    }
    #expect(try upgrade(.syncClient))
    let file = try old.openDatabase(history: .syncClient)
    let history = try #require(try file.snapshot().syncHistory())
    expectEqual(history.versions, 2...3)
    try expectEqual(history.changeset(at: 2), [1])
    try expectEqual(file.check(), [])
  }

  // MARK: Rewriting

  /// `WriteTransaction+Sync` 2.
  @Test func aReplacedEntryCorrectsTheUploadableBytes() throws {
    try commit { write in
      write.syncEntry = SyncEntry(changeset: [1, 2, 3], reciprocal: [4])
      write.syncEntryByteCount = 30
    }
    try commit()
    let new = SyncEntry(
      changeset: [9], reciprocal: nil, remoteVersion: 5, originFile: 0, originTimestamp: 6)
    try commit { try $0.replaceSyncEntry(at: 2, with: new, sizeChange: -10) }
    try expectEqual(history().entry(at: 2), new)
    try expectEqual(history().entry(at: 3), SyncEntry())
    try expectEqual(history().progress.uploadableByteCount, 20)
    try commit { try $0.replaceSyncEntry(at: 2, with: new, sizeChange: -1000) }
    try expectEqual(history().progress.uploadableByteCount, 0)
  }

  @Test func aReciprocalIsSetAndTakenBack() throws {
    try commit { $0.syncEntry = SyncEntry(changeset: [1]) }
    try commit { try $0.setSyncReciprocal([2, 2], at: 2) }
    try expectEqual(history().entry(at: 2), SyncEntry(changeset: [1], reciprocal: [2, 2]))
    try commit { try $0.setSyncReciprocal(nil, at: 2) }
    try expectEqual(history().entry(at: 2), SyncEntry(changeset: [1]))
  }

  @Test func anEntryThatIsNotThereCannotBeReadOrReplaced() throws {
    for _ in 0..<4 { try commit() }
    try commit { try $0.trimSyncHistory(through: 3) }
    for version in [0, 1, 3, 7, .max] as [UInt64] {
      #expect(throws: StorageError.self) { try history().entry(at: version) }
      let write = try file.beginWrite()
      #expect(throws: StorageError.self) {
        try write.replaceSyncEntry(at: version, with: SyncEntry())
      }
      #expect(throws: StorageError.self) { try write.setSyncReciprocal(nil, at: version) }
    }
  }

  // MARK: Trimming and reading

  @Test func trimmingKeepsTheVersionsOfTheRest() throws {
    for number in 2...9 as ClosedRange<UInt8> {
      try commit { $0.syncEntry = SyncEntry(changeset: [number]) }
    }
    try commit { try $0.trimSyncHistory(through: 5) }
    try expectEqual(history().versions, 6...10)
    try expectEqual(history().changeset(at: 6), [6])
    try commit { try $0.trimSyncHistory(through: .max) }
    try expectEqual(history().versions, 11...11)
    try expectEqual(file.check(), [])
  }

  @Test func whatNeedsNoUploadIsTrimmedBehindTheCursor() throws {
    try commit { $0.syncEntry = SyncEntry(changeset: [2]) }
    try commit { $0.syncEntry = SyncEntry(changeset: [3]) }
    try commit { $0.syncEntry = SyncEntry(originFile: 8) }
    try commit()
    try commit { $0.syncEntry = SyncEntry(changeset: [6]) }
    try commit()
    try expectEqual(history().trimmableVersion(), 1)
    try commit { write in
      try write.updateSyncProgress { $0.download.clientVersion = 2 }
      try write.trimSyncHistory()
    }
    try expectEqual(history().base, 2)
    try commit { write in
      try write.updateSyncProgress { $0.download.clientVersion = 3 }
      try write.trimSyncHistory()
    }
    try expectEqual(history().versions, 6...9)
  }

  @Test func headsAreReadFromACursor() throws {
    for number in 2...6 as ClosedRange<UInt8> {
      try commit { write in
        write.syncEntry = SyncEntry(
          changeset: [UInt8](repeating: 1, count: Int(number) * 20), originFile: Int(number % 2))
      }
    }
    try commit { try $0.trimSyncHistory(through: 3) }
    func versions(after version: UInt64) throws -> [UInt64] {
      var cursor = try history().heads(after: version)
      var found: [UInt64] = []
      while let head = try cursor.next() {
        found.append(head.version)
        let isUploadable = head.version % 2 == 0 && head.version < 7
        expectEqual(head.isUploadable, isUploadable)
        expectEqual(head.storedByteCount, (head.version < 7 ? Int(head.version) * 20 : 0))
      }
      return found
    }
    try expectEqual(versions(after: 0), [4, 5, 6, 7])
    try expectEqual(versions(after: 5), [6, 7])
    try expectEqual(versions(after: 7), [])
    #expect(try history().hasPendingUploads())
    try commit { write in try write.updateSyncProgress { $0.upload.clientVersion = 6 } }
    #expect(try !history().hasPendingUploads())
  }

  @Test func trimmingFreesTheSpace() throws {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<60 {
      let bytes = (0..<40_000).map { _ in UInt8.random(in: 0...255, using: &random) }
      try commit { $0.syncEntry = SyncEntry(changeset: bytes, reciprocal: bytes) }
    }
    let full = try file.fileByteCount()
    expectTrue(full > 4_000_000)
    try commit { try $0.trimSyncHistory(through: .max) }
    for _ in 0..<200 { try commit { try $0.trimSyncHistory(through: .max) } }
    let counts = try file.byteCounts()
    expectTrue(counts.used < 20_000)
    expectTrue(counts.total < full / 4)
    try expectEqual(file.check(), [])
  }

  // MARK: Observers

  /// `SyncHistory` 4.
  @Test func observersReadTheChangesetsOfCommits() throws {
    let first = try commit()
    for number in 1...3 as ClosedRange<UInt8> {
      _ = try file.beginWrite().commit(changeset: [number])
    }
    let newest = try file.snapshot()
    try expectEqual(file.changesets(after: first.version, through: newest), [[1], [2], [3]])
    try expectEqual(
      file.changesets(after: first.version, through: newest, byteLimit: 9), [[1], [2], [3]])
    try expectEqual(file.knownChangesets(through: newest).suffix(3), [[1], [2], [3]])
    try expectEqual(history().count, 4)
  }

  // MARK: Schema versions

  /// `SyncHistory+Upgrade` 1.
  @Test func theUpgradeCompressesWhatIsThere() throws {
    try commit { $0.syncEntry = SyncEntry(changeset: [1], reciprocal: [2, 3]) }
    try commit()
    try commit { $0.syncEntry = SyncEntry(changeset: [4], reciprocal: []) }
    var bytes = try system.file.contents()
    let hand = try HandDecodedHistory(bytes)
    expectEqual(hand.topNumber(9), 12)
    let top = Int(bytes[23] & 1) * 8
    let topRef = Int(bytes[top]) | Int(bytes[top + 1]) << 8
    let width = [0, 1, 2, 4, 8, 16, 32, 64][Int(bytes[topRef + 4] & 7)] / 8
    bytes[topRef + 8 + 9 * width] = 11 << 1 | 1
    let old = try SimulatedFileSystem(contents: bytes)
    let file = try old.openDatabase(history: .syncClient)
    try expectEqual(file.snapshot().syncHistory()?.schemaVersion, 11)
    _ = try file.beginWrite().commit(changeset: [])
    try expectEqual(file.snapshot().syncHistory()?.schemaVersion, 11)
    let early = try file.beginWrite()
    early.syncEntry = SyncEntry(changeset: [9])
    #expect(throws: StorageError.unsupportedHistory(path: old.file.path, version: 11)) {
      try early.commit(changeset: [])
    }
    let write = try file.beginWrite()
    try write.upgradeSyncHistory { [0, UInt8($0.count)] + $0 }
    write.syncEntry = SyncEntry(changeset: [9])
    _ = try write.commit(changeset: [])
    let history = try #require(try file.snapshot().syncHistory())
    expectEqual(history.schemaVersion, 12)
    try expectEqual(
      history.entry(at: 2), SyncEntry(changeset: [0, 1, 1], reciprocal: [0, 2, 2, 3]))
    try expectEqual(history.entry(at: 3), SyncEntry())
    try expectEqual(history.entry(at: 4), SyncEntry(changeset: [0, 1, 4], reciprocal: []))
    try expectEqual(history.changeset(at: 6), [9])
    try expectEqual(file.check(), [])
    let again = try file.beginWrite()
    try again.upgradeSyncHistory { _ in [1, 1, 1] }
    _ = try again.commit(changeset: [])
    try expectEqual(file.snapshot().syncHistory()?.changeset(at: 6), [9])
  }
}
