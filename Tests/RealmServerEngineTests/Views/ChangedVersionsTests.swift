// SPDX-License-Identifier: Apache-2.0

// The versions after which clients have missed something.

import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct ChangedVersionsTests {
  private static func entry(_ version: UInt64, isChange: Bool) -> StoredEntry {
    StoredEntry(
      version: version, salt: 1, file: .server, clientVersion: 0,
      timestamp: OriginTimestamp(milliseconds: 1), committed: OriginTimestamp(milliseconds: 1),
      originalByteCount: 0, totalByteCount: 0, changeset: isChange ? [1] : [])
  }

  /// `ChangedVersions` 1, beside a list of all versions.
  @Test(arguments: 0..<20 as Range<UInt64>) func theEndIsThatOfAPlainList(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let percent = random.pick([2, 30, 90])
    var all = (1...60 as ClosedRange<UInt64>).map {
      Self.entry($0, isChange: random.percent(percent))
    }
    var changed = ChangedVersions(after: 60)
    for _ in 0..<200 {
      let head = all[all.count - 1].version
      let (after, to) = (UInt64(random.number(below: Int(head) + 1)), head)
      switch random.number(below: 4) {
      case 0:
        let new = (1...UInt64(1 + random.number(below: 5))).map {
          Self.entry(head + $0, isChange: random.percent(percent))
        }
        all += new
        changed.append(new, through: head + UInt64(new.count))
      case 1:
        // `start` may have moved while the entries were read.
        let last = random.percent(70) ? changed.start : UInt64(random.number(below: Int(head)))
        let entries = all.filter { $0.version > after && $0.version <= last }
        changed.prepend(entries, after: after, through: last)
      case 2:
        // The head of a store may be ahead for a moment.
        expectEqual(changed.quietEnd(after: after, to: head + 1), after)
      default:
        let first = all.first { $0.version > after && !$0.changeset.isEmpty }?.version
        let expected = after < changed.start ? after : first.map { $0 - 1 } ?? head
        expectEqual(changed.quietEnd(after: after, to: to), expected)
      }
    }
  }

  @Test func aClientsEntryMattersWithoutAChangeset() {
    var changed = ChangedVersions(after: 0)
    var own = Self.entry(2, isChange: false)
    own.file = FileIdentifier(5)
    changed.append([Self.entry(1, isChange: false), own], through: 2)
    expectEqual(changed.quietEnd(after: 0, to: 2), 1)
  }

  @Test func theListIsBounded() {
    var changed = ChangedVersions(after: 0)
    for version in 1...40_000 as ClosedRange<UInt64> {
      changed.append([Self.entry(version, isChange: true)], through: version)
    }
    expectTrue(changed.start > 20_000)
    expectTrue(changed.start < 40_000)
    expectEqual(changed.quietEnd(after: changed.start, to: 40_000), changed.start)
    expectEqual(changed.quietEnd(after: 1, to: 40_000), 1)
  }
}
