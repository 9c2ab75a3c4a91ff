// SPDX-License-Identifier: Apache-2.0

// The versions that may matter to any client. Each new query of a client makes versions without
// changes, and leaves the client at one of its own: clients with the same between them and the
// newest version have missed the same.
//
// Invariants:
// 1. Of the versions after `start`, up to `end`, those that are not listed change no object, and
//    have no client as their author.

import RealmSyncProtocol

/// The recent versions of a realm with changes.
struct ChangedVersions {
  /// The most listed versions.
  private static let countMax = 16_384
  /// The most versions read to know more.
  static let distanceMax: UInt64 = 16_384

  private(set) var start: UInt64
  private(set) var end: UInt64
  /// In their order.
  private var versions: [UInt64] = []

  /// - Parameter head: The newest version.
  init(after head: UInt64) { (start, end) = (head, head) }

  /// Notes the entries of new versions.
  mutating func append(_ entries: [StoredEntry], through head: UInt64) {
    if let first = entries.first, first.version != end + 1 { self = Self(after: first.version - 1) }
    versions += entries.lazy.filter(Self.isChange).map(\.version)
    end = head
    guard versions.count > Self.countMax else { return }
    start = versions[versions.count / 2 - 1]
    versions.removeFirst(versions.count / 2)
  }

  /// Notes the entries after a version, up to another one. They are left out unless that is
  /// `start`, which may have moved while they were read: versions would be missing in between.
  mutating func prepend(
    _ entries: [StoredEntry], after version: UInt64, through last: UInt64
  ) {
    guard version < start, last == start else { return }
    versions.insert(contentsOf: entries.filter(Self.isChange).map(\.version), at: 0)
    start = version
  }

  /// The last version, up to a head, after which has happened what has happened after the given
  /// one. O(log n).
  func quietEnd(after version: UInt64, to head: UInt64) -> UInt64 {
    guard version >= start, version <= head, head <= end else { return version }
    var (low, high) = (0, versions.count)
    while low < high {
      let middle = (low + high) / 2
      if versions[middle] > version { high = middle } else { low = middle + 1 }
    }
    return low < versions.count ? min(versions[low] - 1, head) : head
  }

  private static func isChange(_ entry: StoredEntry) -> Bool {
    entry.file != .server || !entry.changeset.isEmpty || !entry.touches.isEmpty
  }
}
