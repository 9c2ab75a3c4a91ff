// SPDX-License-Identifier: Apache-2.0

// Users of a file become users of another store.

package import RealmSyncProtocol

extension AccountStore {
  /// Copies the users of a file to records without any. Blocks the thread.
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
    _ = try RecordCopy.run(AccountTables.all, from: group, to: records)
    return try userCount(in: records)
  }
}
