// SPDX-License-Identifier: Apache-2.0

// The newest entries of a realm in memory.

import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct RecentEntriesTests {
  private static func entry(_ version: UInt64, byteCount: Int = 10) -> StoredEntry {
    let time = OriginTimestamp(milliseconds: version)
    return StoredEntry(
      version: version, salt: version + 1, file: FileIdentifier(2), clientVersion: version,
      timestamp: time, committed: time, originalByteCount: byteCount,
      totalByteCount: Int(version) * byteCount, changeset: Array(repeating: 7, count: byteCount),
      touches: [])
  }

  /// `RecentEntries` 1, against an array of all entries.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func itHasTheNewestEntriesOrNone(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var recent = RecentEntries(countMax: 8, byteCountMax: 4_000)
    var all: [StoredEntry] = []
    var trimmed: UInt64 = 0
    for _ in 0..<300 {
      var batch = Batch()
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        let version = UInt64(all.count) + 1
        batch.entries.append(
          Self.entry(version, byteCount: Int.random(in: 0..<600, using: &random)))
        all.append(batch.entries[batch.entries.count - 1])
      }
      if Int.random(in: 0..<10, using: &random) == 0, !all.isEmpty {
        trimmed = UInt64.random(in: trimmed...UInt64(all.count), using: &random)
        batch.trimsThrough = trimmed
      }
      recent.append(batch)
      guard !all.isEmpty else { continue }
      let first = UInt64.random(in: 1...UInt64(all.count), using: &random)
      let last = UInt64.random(in: first...UInt64(all.count) + 1, using: &random)
      guard let found = recent.entries(in: first...last) else { continue }
      expectTrue(first > trimmed)
      expectEqual(Array(found), Array(all[Int(first - 1)..<Int(last)]))
    }
    let last = UInt64(all.count)
    expectTrue(last <= trimmed || recent.entries(in: last...last)?.count == 1)
    expectEqual(recent.entries(in: 1...last), nil)
  }

  /// Another one that writes the file leaves a gap, after which nothing of before is used.
  @Test func aGapForgetsWhatWasBefore() {
    var recent = RecentEntries()
    recent.append(Batch(entries: [Self.entry(1), Self.entry(2)]))
    recent.append(Batch(entries: [Self.entry(4)]))
    expectEqual(recent.entries(in: 1...2), nil)
    expectEqual(recent.entries(in: 4...4)?.count, 1)
  }
}
