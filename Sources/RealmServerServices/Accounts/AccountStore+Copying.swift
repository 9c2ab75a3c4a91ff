// SPDX-License-Identifier: Apache-2.0

// Users of a file become users of another store.

#if Server
package import RealmServerEngine
import RealmStorage
package import RealmSyncProtocol
import RealmTables

extension AccountStore {
  /// Copies the users of a file to a store without users. Blocks the thread.
  ///
  /// - Returns: The number of users.
  package static func copy(
    from path: String, to records: any RecordStore, app: String, now: OriginTimestamp
  ) throws(StoreError) -> Int {
    // Both get the tables and columns of this program.
    let source = try LocalRecords.open(path)
    _ = try AccountStore(source, app: app, mustExist: true, now: now)
    _ = try AccountStore(records, app: app, now: now)
    let group = try source.snapshot()
    // A copy that was interrupted has some of the same users.
    let ours = try ids(in: group)
    guard try ids(in: records.snapshot()).isSubset(of: ours) else {
      throw .limit("the store has other users of the app")
    }
    _ = try RecordCopy.run(AccountTables.all, from: group, to: records)
    return try userCount(in: records)
  }

  private static func ids(in group: TableGroup) throws(StoreError) -> Set<TableValue> {
    try StoreError.storing(storedIDs(in: group))
  }

  private static func storedIDs(in group: TableGroup) throws(StorageError) -> Set<TableValue> {
    var ids: Set<TableValue> = []
    var rows = try AccountTables.accounts.table(in: group).records()
    while let row = try rows.next() { ids.insert(try row.value("key")) }
    return ids
  }
}
#endif
