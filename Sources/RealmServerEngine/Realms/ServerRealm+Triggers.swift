// SPDX-License-Identifier: Apache-2.0

// What triggers ask of a realm.

import RealmSyncProtocol

extension ServerRealm {
  /// The most entries beside a state.
  static let stateEntryCountMax: UInt64 = 64

  /// The oldest entries after a version, and the newest version.
  package func entries(
    after version: UInt64, count: UInt64
  ) async throws(StoreError) -> (entries: [StoredEntry], head: RealmHead) {
    let head = try await store.newest().head
    guard head.version > version else { return ([], head) }
    let end = min(head.version - version, max(count, 1)) + version
    return (try await entries(in: version + 1..<end + 1), head)
  }

  /// The newest version, and the entries from another one to it; nil for the entries if they are
  /// many or not wanted.
  package func state(
    withEntriesFrom version: UInt64?
  ) async throws(StoreError) -> (snapshot: RealmSnapshot, entries: [StoredEntry]?) {
    let snapshot = try await store.snapshot(atLeast: version ?? 0)
    let last = snapshot.head.version
    guard let version, last >= version, last - version < Self.stateEntryCountMax else {
      return (snapshot, nil)
    }
    return (snapshot, try await entries(in: version..<last + 1))
  }
}
