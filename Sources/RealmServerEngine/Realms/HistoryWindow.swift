// SPDX-License-Identifier: Apache-2.0

// The newest part of a realm's history, parsed.
//
// Invariants:
// 1. The changesets are those of consecutive versions, and the last is that of the newest version
//    or of one that the running integration adds.

import RealmSyncProtocol

/// The newest changesets of a realm, as uploads are merged with them. Confined to its realm.
final class HistoryWindow {
  /// The changesets after `base`.
  private(set) var changesets: [Changeset] = []
  /// The version before the first changeset.
  private(set) var base: UInt64

  private static let keptCount = 1024

  init(base: UInt64) { self.base = base }

  /// The version of the last changeset.
  var end: UInt64 { base + UInt64(changesets.count) }

  /// The changeset of a version after `base`.
  subscript(version: UInt64) -> Changeset { changesets[Int(version - base) - 1] }

  func append(_ changeset: Changeset) { changesets.append(changeset) }

  /// Puts the changesets before the first that were not needed until now.
  func prepend(_ older: [Changeset]) {
    changesets.insert(contentsOf: older, at: 0)
    base -= UInt64(older.count)
  }

  /// Forgets the versions after one.
  func removeAll(after version: UInt64) {
    guard version < end else { return }
    changesets.removeLast(Int(end - max(version, base)))
  }

  /// Forgets old versions if there are many.
  func removeOld() {
    guard changesets.count > 2 * Self.keptCount else { return }
    let count = changesets.count - Self.keptCount
    changesets.removeFirst(count)
    base += UInt64(count)
  }
}
