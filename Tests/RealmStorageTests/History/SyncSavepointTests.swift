// SPDX-License-Identifier: Apache-2.0

// Parts of transactions on synchronised files, with changes of the history.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct SyncSavepointTests {
  private let directory: TemporaryDirectory
  private let file: DatabaseFile

  init() throws {
    directory = try TemporaryDirectory()
    file = try DatabaseFile.open(
      path: directory.file("a.realm"), options: OpenOptions(history: .syncClient))
    for number in 1...4 as ClosedRange<UInt8> {
      let write = try file.beginWrite()
      write.syncEntry = SyncEntry(changeset: [UInt8](repeating: number, count: 100))
      write.syncEntryByteCount = 100
      _ = try write.commit(changeset: [number])
    }
  }

  private func change(_ write: WriteTransaction, _ number: Int) throws {
    try write.setFileIdentifier(number, salt: Int64(number))
    try write.updateSyncProgress { $0.downloadedByteCount = number }
    write.syncEntry = SyncEntry(changeset: [UInt8](repeating: UInt8(number), count: 30))
    write.syncEntryByteCount = number
    try write.setSyncReciprocal([UInt8(number)], at: 3)
  }

  /// What a part does to the history goes with it, before the history was changed and after that.
  /// `WriteTransaction+Savepoint` 1.
  @Test(arguments: [false, true])
  func theHistoryComesBack(isChanged: Bool) throws {
    let write = try file.beginWrite()
    if isChanged { try change(write, 5) }
    write.beginSavepoint()
    try change(write, 6)
    write.beginSavepoint()
    try write.trimSyncHistory(through: 4)
    write.keepSavepoint()
    write.rollBackSavepoint()
    try expectEqual(write.fileIdentifier, isChanged ? 5 : 0)
    try expectEqual(write.syncProgress.downloadedByteCount, isChanged ? 5 : 0)
    expectEqual(write.syncEntryByteCount, isChanged ? 5 : 0)
    let history = try #require(try write.commit(changeset: []).syncHistory())
    expectEqual(history.progress.downloadedByteCount, isChanged ? 5 : 0)
    for version in 2...5 as ClosedRange<UInt64> {
      let entry = try history.entry(at: version)
      expectEqual(entry.changeset, [UInt8](repeating: UInt8(version - 1), count: 100))
    }
    try expectEqual(history.entry(at: 6).changeset.count, isChanged ? 30 : 0)
  }
}
