// SPDX-License-Identifier: Apache-2.0

// The newest part of a realm's history, parsed.
//
// Invariants:
// 1. Its changesets are those of consecutive versions. The last is of the newest version or of one
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
  /// Whether an upload was merged with it since the last call of `ServerRealm.forgetUnused`.
  var isUsed = true

  init(base: UInt64) { self.base = base }

  /// The version of the last changeset.
  var end: UInt64 { base + UInt64(changesets.count) }

  /// The changeset of a version after `base`.
  subscript(version: UInt64) -> Changeset { changesets[position(of: version)] }

  /// Where the changeset of a version after `base` comes from.
  func origin(of version: UInt64) -> ChangesetOrigin { changesets[position(of: version)].origin }

  private func position(of version: UInt64) -> Int {
    assert(version > base && version <= end, "`HistoryWindow` 1: the window lacks a version")
    return Int(version - base) - 1
  }

  subscript(from version: UInt64) -> ArraySlice<Changeset> {
    changesets.dropFirst(Int(version - base))
  }

  func append(_ changeset: Changeset) {
    assert(changeset.origin.version == end + 1, "`HistoryWindow` 1: versions follow each other")
    changesets.append(changeset)
    byteCount += changeset.memoryByteCount
  }

  /// Puts older changesets before the first.
  func prepend(_ older: [Changeset]) {
    assert(
      older.last.map { $0.origin.version == base } ?? true,
      "`HistoryWindow` 1: versions follow each other")
    changesets.insert(contentsOf: older, at: 0)
    base -= UInt64(older.count)
    for changeset in older { byteCount += changeset.memoryByteCount }
  }

  func removeAll(after version: UInt64) {
    guard version < end else { return }
    let count = Int(end - max(version, base))
    for changeset in changesets.suffix(count) { byteCount -= changeset.memoryByteCount }
    changesets.removeLast(count)
    assert(byteCount >= 0, "more bytes are forgotten than were noted")
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
    assert(byteCount >= 0, "more bytes are forgotten than were noted")
  }
}

extension Changeset {
  /// The memory of the changeset, about.
  fileprivate var memoryByteCount: Int {
    instructions.count * MemoryLayout<Instruction>.stride
      + elements.count * MemoryLayout<PathElement>.stride + payloadBytes.count + 256
  }
}
