// SPDX-License-Identifier: Apache-2.0

// What clients at one cursor have missed, kept for the next of them.
//
// Invariants:
// 1. What is kept takes no more bytes than the limit, about.

/// What clients at some cursors have missed up to the version that was asked for last.
struct MissedCache: Sendable {
  private static let byteCountMax = 8 << 20

  private var realm: RealmID?
  private var version: UInt64 = 0
  /// By the versions of cursors.
  private var items: [UInt64: MissedChanges] = [:]
  private(set) var byteCount = 0

  /// What was missed between two versions; nil if it is not known.
  func changes(after cursor: UInt64, to head: RealmHead) -> MissedChanges? {
    head.realm == realm && head.version == version ? items[cursor] : nil
  }

  /// Keeps what was missed between two versions. Few clients have missed very much.
  mutating func keep(_ changes: MissedChanges, after cursor: UInt64, to head: RealmHead) {
    let size = changes.byteCount
    guard size <= Self.byteCountMax / 8 else { return }
    if head.realm != realm || head.version != version || byteCount + size > Self.byteCountMax {
      (items, byteCount) = ([:], 0)
    }
    (realm, version) = (head.realm, head.version)
    guard items.updateValue(changes, forKey: cursor) == nil else { return }
    byteCount += size
    assert(byteCount <= Self.byteCountMax, "`MissedCache` 1")
  }
}
