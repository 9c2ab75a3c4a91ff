// SPDX-License-Identifier: Apache-2.0

// A realm at a version.

import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// The newest version of a realm, and the owner's epoch.
package struct RealmHead: Hashable, Sendable {
  package var realm: RealmID
  /// The newest version; 0 before the first.
  package var version: UInt64 = 0
  /// The salt of the version; 0 before the first.
  package var salt: UInt64 = 0
  /// The sizes of all changesets up to it, as their authors sent them.
  package var totalByteCount = 0
  /// The newest version whose entry is no longer stored; 0 while all are.
  package var base: UInt64 = 0
  /// The number of the owner: opening a realm makes the caller its owner, and raises it.
  package var epoch: UInt64 = 0

  package init(
    realm: RealmID, version: UInt64 = 0, salt: UInt64 = 0, totalByteCount: Int = 0,
    base: UInt64 = 0, epoch: UInt64 = 0
  ) {
    self.realm = realm
    self.version = version
    self.salt = salt
    self.totalByteCount = totalByteCount
    self.base = base
    self.epoch = epoch
  }

  /// The newest version with its salt.
  package var latest: SaltedVersion { SaltedVersion(version: version, salt: salt) }
}

/// The objects of a realm at a version, unchanged while this is held.
package struct RealmSnapshot: Sendable {
  package let head: RealmHead
  package let objects: TableGroup

  package init(head: RealmHead, objects: TableGroup) {
    self.head = head
    self.objects = objects
  }
}

/// The name, the newest version and the client files of a realm.
package struct RealmOutline: Hashable, Sendable {
  package var name: RealmName
  package var head: RealmHead
  package var files: [ClientFile]

  package init(name: RealmName, head: RealmHead, files: [ClientFile]) {
    self.name = name
    self.head = head
    self.files = files
  }

  init(of realm: EmbeddedRealm) throws(StorageError) {
    name = realm.name
    head = try realm.snapshot().head
    files = try realm.storedFiles()
  }
}
