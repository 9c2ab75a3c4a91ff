// SPDX-License-Identifier: Apache-2.0

// The part of a history without use for any client (P4 E).

package import RealmSyncProtocol

/// Decides on the expiry of client files and the end of entries.
package enum Trimming {
  /// Clients unseen for so long expire: 60 days.
  package static let offlineMillisecondsMax: UInt64 = 60 * 24 * 3600 * 1000

  /// Clients expired for so long are removed: 365 days.
  package static let expiredMillisecondsMax: UInt64 = 365 * 24 * 3600 * 1000

  /// The files expiring now, in their new state.
  package static func expired(
    _ files: [ClientFile], now: OriginTimestamp,
    offlineMillisecondsMax: UInt64 = Trimming.offlineMillisecondsMax
  ) -> [ClientFile] {
    files.compactMap { file in
      guard !file.isExpired,
        file.lastSeen.milliseconds + offlineMillisecondsMax < now.milliseconds
      else { return nil }
      var file = file
      file.lastSeen = OriginTimestamp(milliseconds: 0)
      file.expired = now
      return file
    }
  }

  /// Files expired by an older server without a note of the time: it begins now.
  package static func undated(_ files: [ClientFile], now: OriginTimestamp) -> [ClientFile] {
    files.compactMap { file in
      guard file.isExpired, file.expired.milliseconds == 0 else { return nil }
      var file = file
      file.expired = now
      return file
    }
  }

  /// The files to remove, as their expiry is long ago.
  package static func forgotten(
    _ files: [ClientFile], now: OriginTimestamp, expiredMillisecondsMax: UInt64
  ) -> [FileIdentifier] {
    files.filter { file in
      file.isExpired && file.expired.milliseconds > 0
        && file.expired.milliseconds + expiredMillisecondsMax < now.milliseconds
    }.map(\.ident)
  }

  /// Whether a realm has clients to expire or to remove, or history to trim.
  package static func isDue(
    _ realm: RealmOutline, now: OriginTimestamp, offlineMillisecondsMax: UInt64,
    expiredMillisecondsMax: UInt64, keepingAfter kept: UInt64? = nil
  ) -> Bool {
    let expired = Set(
      expired(realm.files, now: now, offlineMillisecondsMax: offlineMillisecondsMax).map(\.ident))
    let rest = realm.files.filter { !expired.contains($0.ident) }
    return !expired.isEmpty || !undated(rest, now: now).isEmpty
      || !forgotten(rest, now: now, expiredMillisecondsMax: expiredMillisecondsMax).isEmpty
      || horizon(rest, head: realm.head, keepingAfter: kept) > realm.head.base
  }

  /// The newest version whose entry can go; 0 for none.
  ///
  /// The entry at a client's own position stays, as its salt is what the client shows when it
  /// comes back.
  ///
  /// - Parameter kept: The version whose later entries triggers need; nil if none needs any.
  package static func horizon(
    _ files: [ClientFile], head: RealmHead, keepingAfter kept: UInt64? = nil
  ) -> UInt64 {
    var horizon = head.version
    for file in files where !file.isExpired { horizon = min(horizon, file.reciprocalBase) }
    return min(horizon == 0 ? 0 : horizon - 1, kept ?? .max)
  }
}

/// The numbers of trimmed versions and files.
package struct Trimmed: Hashable, Sendable {
  /// Newly expired client files.
  package var expiredFiles = 0
  /// Client files expired for long, now removed.
  package var forgottenFiles = 0
  /// Versions whose entries were removed.
  package var versions: UInt64 = 0
}
