// SPDX-License-Identifier: Apache-2.0

// The errors of stores.

package import RealmStorage
package import RealmSyncProtocol

/// The failure of a store.
package enum StoreError: Error, Hashable, Sendable {
  /// Another owner has opened the realm since: all sessions of this one have to go.
  case fenced
  /// The newest version is another one than expected.
  case conflict(RealmHead)
  /// A version or cursor would go back, or skip a number (rule SY6).
  case outOfOrder(String)
  /// The realm was not opened.
  case unknownRealm(RealmID)
  /// The client file was never allocated.
  case unknownFile(FileIdentifier)
  /// Another realm has the same place.
  case ambiguousName(RealmName)
  /// A requested entry is trimmed.
  case trimmed(through: UInt64)
  /// A limit of the store.
  case limit(String)
  /// The entry of a version cannot be read; later ones can.
  case unreadableEntry(version: UInt64, String)
  /// The rows of one client cannot be read.
  case unreadableFile(FileIdentifier, String)
  /// The stored rows make no sense.
  case damaged(String)
  /// The database below.
  case storage(StorageError)
  /// As many realms are open as may be, and all of them are in use.
  case tooManyOpenRealms
  /// A user has made as many realms as one may in an hour.
  case tooManyNewRealms
  /// The store does not answer.
  case unavailable(String)
}

extension StoreError {
  /// Whether the realm has to be opened again before it can be used.
  package var needsReopening: Bool {
    switch self {
    case .fenced, .unknownRealm, .storage(.addressSpaceExhausted), .storage(.poisoned): true
    default: false
    }
  }

  /// Runs `body` with errors of the database.
  @inline(__always)
  static func storing<R>(_ body: () throws(StorageError) -> R) throws(StoreError) -> R {
    do throws(StorageError) { return try body() } catch { throw .storage(error) }
  }
}
