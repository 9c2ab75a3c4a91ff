// SPDX-License-Identifier: Apache-2.0

// Rounds for several clients (P4 B.4).
//
// Invariants:
// 1. A round is kept for clients without versions of their own in it and without unconfirmed
//    changes: it is the same for all of them but for their client versions.
// 2. The kept rounds take no more bytes than the limit.

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
    let item = items.remove(at: place)
    items.append(item)
    hitCount += 1
    return (item.round.adapted(to: clientVersion), item.timestamp)
  }

  /// Keeps the round of a client without unconfirmed changes.
  mutating func keep(
    _ round: Round, _ key: Key, for file: FileIdentifier, _ history: [StoredEntry],
    timestamp: OriginTimestamp
  ) {
    let authors = Set(history.map(\.file))
    let size =
      round.entries.reduce(256) { $0 + $1.changeset.count + 64 }
      + round.parts.reduce(0) { $0 + 64 * $1.objects.count }
    guard !authors.contains(file), size <= byteCountMax / 4,
      !items.contains(where: { $0.key == key })
    else { return }
    items.append(
      Item(key: key, round: round, timestamp: timestamp, authors: authors, byteCount: size))
    byteCount += size
    while byteCount > byteCountMax { byteCount -= items.removeFirst().byteCount }
    // Versions before the newest are asked for by few.
    if items.count > Self.countMax { byteCount -= items.removeFirst().byteCount }
  }

  /// The most cached rounds; look-ups are linear.
  private static let countMax = 256
}
