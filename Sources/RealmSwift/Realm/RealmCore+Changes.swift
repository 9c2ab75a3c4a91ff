// SPDX-License-Identifier: Apache-2.0

// What happened since a version that the realm showed before.

import RealmStorage
import RealmTables

/// The changes between two versions; nil if they are not known, or too many to be of use.
struct ChangesSince {
  let start: UInt64
  let end: UInt64
  let byteLimit: Int
  let changes: VersionChanges?
}

extension RealmCore {
  /// The changes from a version to the one that the realm shows, which several results ask for one
  /// after the other; nil if the file does not have them, and if their log has more than so many
  /// bytes.
  func changes(
    since version: UInt64, through group: TableGroup, byteLimit: Int
  ) throws(StorageError) -> VersionChanges? {
    let end = group.version
    if let last = lastChanges, last.start == version, last.end == end,
      last.changes != nil || last.byteLimit >= byteLimit
    {
      return last.changes
    }
    let snapshot = group.snapshot
    var changes: VersionChanges?
    if let log = try snapshot.file.changesets(
      after: version, through: snapshot, byteLimit: byteLimit)
    {
      changes = try ChangeLogParser.changes(in: log)
    }
    lastChanges = ChangesSince(start: version, end: end, byteLimit: byteLimit, changes: changes)
    return changes
  }
}
