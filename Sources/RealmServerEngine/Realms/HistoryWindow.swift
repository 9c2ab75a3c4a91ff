// SPDX-License-Identifier: Apache-2.0

// The newest part of a realm's history, parsed.
//
// Invariants:
// 1. The changesets are those of consecutive versions. The last is of the newest version or of one
//    of the running integration.

import RealmSyncProtocol

/// The newest changesets of a realm, as uploads are merged with them. Confined to its realm.
final class HistoryWindow {
  /// The changesets after `base`.
  private(set) var changesets: [Changeset] = []
  /// The version before the first changeset.
  private(set) var base: UInt64

  /// The number of kept versions, and the limit of their changesets together.
  private static let keptCount = 1024
  private static let byteCountMax = 64 << 20

  private var byteCount = 0

  init(base: UInt64) { self.base = base }

  /// The version of the last changeset.
  var end: UInt64 { base + UInt64(changesets.count) }

  /// The changeset of a version after `base`.
  subscript(version: UInt64) -> Changeset { changesets[Int(version - base) - 1] }

  /// The changesets after a version.
  subscript(from version: UInt64) -> ArraySlice<Changeset> {
    changesets.dropFirst(Int(version - base))
  }

  func append(_ changeset: Changeset) {
    changesets.append(changeset)
    byteCount += changeset.memoryByteCount
  }

  /// Puts older changesets before the first.
  func prepend(_ older: [Changeset]) {
    changesets.insert(contentsOf: older, at: 0)
    base -= UInt64(older.count)
    for changeset in older { byteCount += changeset.memoryByteCount }
  }

  /// Forgets the versions after one.
  func removeAll(after version: UInt64) {
    guard version < end else { return }
    let count = Int(end - max(version, base))
    for changeset in changesets.suffix(count) { byteCount -= changeset.memoryByteCount }
    changesets.removeLast(count)
  }

  /// Forgets old versions if there are many, or large ones.
  func removeOld() {
    guard changesets.count > 2 * Self.keptCount || byteCount > Self.byteCountMax else { return }
    var count = max(0, changesets.count - Self.keptCount)
    for changeset in changesets.prefix(count) { byteCount -= changeset.memoryByteCount }
    while byteCount > Self.byteCountMax / 2, count < changesets.count {
      byteCount -= changesets[count].memoryByteCount
      count += 1
    }
    changesets.removeFirst(count)
    base += UInt64(count)
  }
}

extension Changeset {
  /// The memory of the changeset, about.
  fileprivate var memoryByteCount: Int {
    instructions.count * MemoryLayout<Instruction>.stride
      + elements.count * MemoryLayout<PathElement>.stride + payloadBytes.count + 256
  }
}
