// SPDX-License-Identifier: Apache-2.0

// What the agent of a file tells the program late: reports of refused writes, and a reset.

package import RealmStorage
package import RealmSyncProtocol
import RealmTables

extension SyncAgent {
  /// Whether the program has not heard of the last reset.
  package nonisolated func hasUnannouncedReset() throws(StorageError) -> Bool {
    try KeptReports.hasReset(in: TableGroup(file.snapshot()))
  }

  /// Notes that the program has heard of the last reset.
  package func resetIsAnnounced() throws(StorageError) {
    guard try hasUnannouncedReset() else { return }
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    try group.commit { (group) throws(StorageError) in try KeptReports.removeReset(in: group) }
  }

  /// The reports that the program has not heard of: those whose writes are undone by now, and
  /// whether there are others.
  package func keptReports() throws(StorageError) -> (due: [ErrorDocument], hasMore: Bool) {
    let tables = try TableGroup(file.snapshot(), schemas: schemas)
    let reports = try KeptReports.stored(in: tables)
    guard !reports.isEmpty else { return ([], false) }
    let version = try FileState(tables.snapshot).cursors.download.serverVersion
    let due = reports.filter { $0.compensatingWrite?.serverVersion ?? 0 <= version }
    return (due, due.count < reports.count)
  }

  /// Forgets a report that the program has.
  package func removeReport(_ version: UInt64) throws(StorageError) {
    let reports = try KeptReports.stored(in: TableGroup(file.snapshot(), schemas: schemas))
    guard reports.contains(where: { $0.compensatingWrite?.serverVersion == version }) else {
      return
    }
    let group = try WriteGroup(file.beginWrite(), schemas: schemas)
    try group.commit { (group) throws(StorageError) in
      _ = try KeptReports.remove(version, in: group)
    }
  }
}
