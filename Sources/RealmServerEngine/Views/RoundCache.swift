// SPDX-License-Identifier: Apache-2.0

// Rounds that were computed for a client, for others at its cursor (`ViewScratch` 1, 2 and 4).

import RealmSyncProtocol

/// The last computed rounds. Most clients sit at one cursor, so many ask for one.
struct RoundCache {
  struct Key: Hashable {
    // Versions differ more often than queries, and are compared faster.
    let from: UInt64
    let to: UInt64
    let realm: RealmID
    let query: EffectiveQuery
  }

  private struct Item {
    let key: Key
    let round: Round
    let timestamp: OriginTimestamp
    /// The authors of its versions.
    let authors: Set<FileIdentifier>
    let byteCount: Int
    /// Since the last call of `forgetUnused`.
    var isUsed = true
  }

  private let byteCountMax: Int
  /// In the order of their last use.
  private var items: [Item] = []
  private(set) var byteCount = 0
  private(set) var hitCount = 0

  init(byteCountMax: Int = 32 << 20) { self.byteCountMax = byteCountMax }

  /// The round of a client without anything unconfirmed, and the time of its version; nil if it has
  /// to be computed.
  mutating func round(
    _ key: Key, for file: FileIdentifier, clientVersion: UInt64
  ) -> (round: Round, timestamp: OriginTimestamp)? {
    guard let place = items.firstIndex(where: { $0.key == key }),
      !items[place].authors.contains(file)
    else { return nil }
    var item = items.remove(at: place)
    item.isUsed = true
    items.append(item)
    hitCount += 1
    return (item.round.adapted(to: clientVersion), item.timestamp)
  }

  /// Keeps the round of a client without unconfirmed changes.
  mutating func keep(
    _ round: Round, _ key: Key, for file: FileIdentifier, _ missed: MissedChanges,
    timestamp: OriginTimestamp
  ) {
    guard missed.ownEntries[file] == nil else { return }
    let size =
      round.entries.reduce(256) { $0 + $1.changeset.count + 64 }
      + round.parts.reduce(0) { $0 + 64 * $1.objects.count } + key.query.byteCount
    guard size <= byteCountMax / 4, !items.contains(where: { $0.key == key }) else { return }
    items.append(
      Item(key: key, round: round, timestamp: timestamp, authors: missed.authors, byteCount: size))
    byteCount += size
    while byteCount > byteCountMax { byteCount -= items.removeFirst().byteCount }
    // Versions before the newest are asked for by few.
    if items.count > Self.countMax { byteCount -= items.removeFirst().byteCount }
    assert(byteCount <= byteCountMax && items.count <= Self.countMax, "`ViewScratch` 2")
  }

  /// Forgets the rounds that no client has asked for since the last call.
  mutating func forgetUnused() {
    items.removeAll { !$0.isUsed }
    byteCount = items.reduce(0) { $0 + $1.byteCount }
    for index in items.indices { items[index].isUsed = false }
  }

  /// The most cached rounds; look-ups are linear.
  private static let countMax = 256
}
