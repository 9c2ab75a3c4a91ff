// SPDX-License-Identifier: Apache-2.0

// Versions that the server itself makes: what its own calls change.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Versions of the server itself, with their changesets.
package struct MadeVersions {
  package var batch: Batch
  package var changesets: [Changeset]

  package init(_ batch: Batch, _ changesets: [Changeset]) {
    self.batch = batch
    self.changesets = changesets
  }
}

extension ServerRealm {
  /// Makes versions in a turn of its own. They are on the disk on return.
  ///
  /// - Parameters:
  ///   - find: Finds what the versions depend on, in the turn and before their transaction. Returns
  ///     nil if they cannot be made.
  ///   - make: Makes them in the transaction. Returns nil for no version.
  /// - Returns: Whether `make` was called.
  package func makeVersions<Found>(
    finding find: () async -> Found?,
    _ make: (Found, WriteGroup, RealmHead) -> Result<MadeVersions?, StorageError>
  ) async throws(StoreError) -> Bool {
    await beginAppending()
    defer { endAppending() }
    var changesets: [Changeset] = []
    do throws(StoreError) {
      guard isOwner else { throw .fenced }
      try await settleHead()
      guard let found = await find() else { return false }
      try await append { (group) throws(StorageError) in
        let made = try make(found, group, self.head).get()
        changesets = made?.changesets ?? []
        return made?.batch
      }
    } catch {
      window = nil
      if error == .fenced { loseOwnership() }
      throw error
    }
    if let window {
      for changeset in changesets { window.append(changeset) }
      window.removeOld()
    }
    return true
  }
}
