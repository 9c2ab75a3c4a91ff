// SPDX-License-Identifier: Apache-2.0

// What a bootstrap is written from.

package import RealmSyncProtocol

extension Bootstrap {
  /// The version of a realm that a bootstrap is of, and the client's position before it.
  package struct Basis: Sendable {
    let snapshot: RealmSnapshot
    /// The client's position, at or after the version of the snapshot.
    let cursor: DownloadCursor
    let timestamp: OriginTimestamp
    /// A changeset ends with the object that makes it this large.
    let entryByteCountMax: Int

    /// - Parameters:
    ///   - cursor: The client's position, at or after the version of the snapshot, with the newest
    ///     integrated client version.
    ///   - timestamp: The time of the version of the snapshot.
    package init(
      _ snapshot: RealmSnapshot, at cursor: DownloadCursor, timestamp: OriginTimestamp,
      entryByteCountMax: Int = Bootstrap.entryByteCountMax
    ) {
      self.snapshot = snapshot
      self.cursor = cursor
      self.timestamp = timestamp
      self.entryByteCountMax = entryByteCountMax
    }
  }
}
