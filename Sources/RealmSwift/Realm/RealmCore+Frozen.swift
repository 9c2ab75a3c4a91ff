// SPDX-License-Identifier: Apache-2.0

// Transitions from live realms to frozen ones, and back.

import RealmSession
import RealmStorage
import RealmTables

extension RealmCore {
  /// The realm that permanently shows the version that this one shows; in a write transaction, the
  /// one before it. All that freeze one version of a file share it.
  func frozen() throws(StorageError) -> RealmCore {
    checkIsolation()
    if isFrozen { return self }
    let group = try readableTables()
    var layouts: [ClassLayout] = []
    for info in classes.all {
      // The columns are those that the realm was opened with, unless a writer changed the schema.
      let schema = try group.table(info.tableKey)?.schema ?? info.layout.table
      let isChanged = schema !== info.layout.table
      layouts.append(isChanged ? ClassLayout(info.schema, schema) : info.layout)
    }
    return try RealmCache.frozenCore(configuration, layouts, shared, group)
  }

  /// The realm in which the caller may change what is read here, if this one is frozen, at the
  /// version that it shows; else this one.
  func thawed() -> RealmCore {
    if !isFrozen { return self }
    do {
      return try RealmCache.coreForCaller(configuration)
    } catch { stopOpening(error) }
  }
}

/// Traps because a realm that is open elsewhere cannot be opened here, where the API cannot throw.
func stopOpening(_ error: any Error) -> Never {
  throwRealmException("The Realm cannot be opened: \(error)")
}
