// SPDX-License-Identifier: Apache-2.0

// Where a file comes from that a former server has synchronised (P3 C.3).
//
// 1. There is at most one record, and it stays: a file is adopted once, a copy of it once more.
// 2. A waiting one becomes a complete one in the commit that adopts the file.

package import RealmStorage
package import RealmTables

/// The record of an adoption.
package struct AdoptionRecord: Hashable, Sendable {
  /// How far the adoption is, with its number in files.
  package enum State: Int64, Hashable, Sendable {
    /// The server has not seen the file.
    case waiting = 0
    case complete = 1
  }

  /// The path of the file that was copied; empty for a file that was made to be shipped with apps,
  /// which stays where it is for other users.
  package var origin: String
  package var state: State

  package init(origin: String, state: State) {
    self.origin = origin
    self.state = state
  }

  private static let layout = RecordLayout(
    "openrealm_adoption", [RecordField("origin", .string), RecordField("state", .int)])

  /// The record of a version; nil if there is none.
  package static func stored(in group: TableGroup) throws(StorageError) -> AdoptionRecord? {
    guard let table = try layout.find(in: group) else { return nil }
    var rows = try table.records()
    guard let row = try rows.next() else { return nil }
    let number = try row.integer("state")
    guard let state = State(rawValue: number) else {
      throw .corrupted("the record of an adoption has the state \(number)")
    }
    return AdoptionRecord(origin: try row.text("origin"), state: state)
  }

  /// Stores the record, in place of another one.
  package func store(in group: WriteGroup) throws(StorageError) {
    try Self.layout.makeIfMissing(in: group)
    let table = try Self.layout.table(in: group)
    try table.delete(table.keys())
    let row = try table.create()
    try row.set(origin, "origin")
    try row.set(state.rawValue, "state")
  }

  /// Marks a file that a former server has synchronised: the next session adopts it.
  ///
  /// A device's file has an identifier of that server. A copy that was made to be shipped with apps
  /// has none, but the version of the server up to which it has everything. A file that has neither
  /// has everything still to be uploaded, and needs no adoption.
  ///
  /// - Parameter isCopy: Whether the file was copied to be adopted. Another file is marked once.
  /// - Returns: The record of the file.
  @discardableResult
  package static func mark(
    _ file: DatabaseFile, origin: String, isCopy: Bool = false
  ) throws(StorageError) -> AdoptionRecord {
    if !isCopy, let known = try stored(in: TableGroup(file.snapshot())) { return known }
    let group = try WriteGroup(file.beginWrite())
    let record = try group.orRollback { () throws(StorageError) in
      let isOfDevice = try group.transaction.fileIdentifier != 0
      let serverVersion = try group.transaction.syncProgress.download.serverVersion
      let isShipped = !isOfDevice && serverVersion != 0
      return AdoptionRecord(
        origin: isShipped ? "" : origin, state: isOfDevice || isShipped ? .waiting : .complete)
    }
    try group.commit { (group) throws(StorageError) in try record.store(in: group) }
    return record
  }
}
