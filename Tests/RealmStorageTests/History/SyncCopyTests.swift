// SPDX-License-Identifier: Apache-2.0

// Copies of synchronised files (invariants of `CopiedHistory`).

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct SyncCopyTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.realm")
    let file = try open(path)
    for number in 1...3 as ClosedRange<UInt8> {
      let write = try file.beginWrite()
      write.syncEntry = SyncEntry(changeset: [UInt8](repeating: number, count: 100))
      write.syncEntryByteCount = 100
      if number == 3 {
        try write.setFileIdentifier(12, salt: 345)
        try write.updateSyncProgress { progress in
          progress.latestServerVersion = 9
          progress.latestServerVersionSalt = 99
          progress.download = SyncProgress.Cursor(serverVersion: 8, clientVersion: 1)
          progress.upload = SyncProgress.Cursor(serverVersion: 7, clientVersion: 3)
          progress.downloadedByteCount = 55
        }
      }
      _ = try write.commit(changeset: [number])
    }
  }

  private func open(_ path: String, _ kind: HistoryKind = .syncClient) throws -> DatabaseFile {
    try DatabaseFile.open(path: path, options: OpenOptions(history: kind))
  }

  private func copy(_ history: HistoryCopy?, uploaded: UInt64 = 4) throws -> String {
    let file = try open(path)
    let write = try file.beginWrite()
    try write.updateSyncProgress { $0.upload.clientVersion = uploaded }
    let snapshot = try write.commit(changeset: [])
    let target = directory.file("copy.realm")
    let storage = try SystemFiles().open(path: target, mode: .readWriteCreating)
    try snapshot.write(to: storage, history: history)
    return target
  }

  /// `CopiedHistory` 1 and 2.
  @Test func aCopyOfALocalFileIsNewUnlessItsHistoryIsWanted() throws {
    let file = try open(directory.file("local.realm"), .inFile)
    for _ in 0..<3 { _ = try file.beginWrite().commit(changeset: [1]) }
    let version = try file.snapshot().version
    let kinds: [HistoryCopy] = [
      .none, .whole(ofLocal: false), .forAnotherDevice, .whole(ofLocal: true),
    ]
    for (number, history) in kinds.enumerated() {
      let target = directory.file("local\(number).realm")
      let storage = try SystemFiles().open(path: target, mode: .readWriteCreating)
      try file.snapshot().write(to: storage, history: history)
      let copy = try DatabaseFile.open(path: target, options: OpenOptions(isReadOnly: true))
      try expectEqual(
        copy.snapshot().version, history == .whole(ofLocal: true) ? version : 1, "\(history)")
    }
  }

  /// `CopiedHistory` 2.
  @Test func aCompactedFileKeepsItsHistory() throws {
    let before = try open(path).snapshot().syncHistory()?.entry(at: 3)
    #expect(try DatabaseFile.compact(path: path))
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    let hand = try HandDecodedHistory(bytes)
    expectEqual(hand.topSlots.count, 11)
    expectEqual([6, 7, 9, 10].map(hand.topNumber), [4, 3, 12, 12])
    expectEqual((2...12).map(hand.number), [345, 9, 99, 8, 1, 3, 7, 55, 0, 0, 300])
    expectEqual(hand.changesets.count, 3)
    try expectEqual(IndependentChecker.findings(path, tables: true), nil)
    let file = try open(path)
    expectEqual(file.newestVersion, 4)
    try expectEqual(file.check(), [])
    try expectEqual(file.snapshot().syncHistory()?.entry(at: 3), before)
    _ = try file.beginWrite().commit(changeset: [])
    try expectEqual(file.snapshot().syncHistory()?.versions, 2...5)
    try expectEqual(file.check(), [])
    try expectEqual(IndependentChecker.findings(path, tables: true), nil)
  }

  /// `CopiedHistory` 3.
  @Test(arguments: [nil, HistoryCopy.forAnotherDevice])
  func aCopyForAnotherDeviceBeginsAnew(_ history: HistoryCopy?) throws {
    let target = try copy(history)
    try expectEqual(IndependentChecker.findings(target, tables: true), nil)
    let file = try open(target)
    let snapshot = try file.snapshot()
    expectEqual(snapshot.version, 5)
    try expectEqual(snapshot.top().fileIdentifier, 0)
    let copied = try #require(try snapshot.syncHistory())
    expectEqual(copied.count, 0)
    expectEqual(copied.fileSalt, 0)
    var progress = SyncProgress()
    progress.latestServerVersion = 9
    progress.latestServerVersionSalt = 99
    progress.download.serverVersion = 8
    progress.downloadedByteCount = 55
    expectEqual(copied.progress, progress)
    try expectEqual(file.check(), [])
    _ = try file.beginWrite().commit(changeset: [])
    try expectEqual(file.snapshot().syncHistory()?.versions, 6...6)
    try expectEqual(file.check(), [])
  }

  /// `CopiedHistory` 3.
  @Test func changesThatWaitForTheirUploadAreNotLost() throws {
    #expect(throws: StorageError.pendingUploads(path: path)) {
      try copy(.forAnotherDevice, uploaded: 3)
    }
  }

  /// `CopiedHistory` 1.
  @Test func aCopyWithoutHistoryIsALocalFile() throws {
    let target = try copy(HistoryCopy.none, uploaded: 3)
    let file = try open(target, .inFile)
    try expectEqual(file.snapshot().top().slotCount, 3)
    _ = try file.beginWrite().commit(changeset: [])
    try expectEqual(file.check(), [])
    #expect(throws: StorageError.self) { try open(target) }
  }

  /// What was not committed has no version.
  @Test func aCopyOfARunningTransactionIsALocalFile() throws {
    let target = directory.file("copy.realm")
    let write = try open(path).beginWrite()
    let storage = try SystemFiles().open(path: target, mode: .readWriteCreating)
    try write.write(to: storage)
    write.rollback()
    try expectEqual(open(target, .inFile).snapshot().top().historyType, 0)
  }

  /// A program that only reads a file makes a local copy of it, as of any.
  @Test func aReaderMakesALocalCopy() throws {
    let reader = try DatabaseFile.open(
      path: path, options: OpenOptions(isReadOnly: true), system: SystemFiles(),
      registry: FileRegistry())
    let target = directory.file("copy.realm")
    let storage = try SystemFiles().open(path: target, mode: .readWriteCreating)
    try reader.snapshot().write(to: storage)
    try expectEqual(open(target, .inFile).snapshot().top().historyType, 0)
  }
}
