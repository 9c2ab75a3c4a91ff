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

  /// The path of the file that was copied.
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

  /// Marks a file whose identifier a former server has given it: the next session adopts it.
  ///
  /// A file without identifier has everything still to be uploaded, and needs no adoption.
  ///
  /// - Parameter isCopy: Whether the file was copied to be adopted. Another file is marked once.
  package static func mark(
    _ file: DatabaseFile, origin: String, isCopy: Bool = false
  ) throws(StorageError) {
    if !isCopy, try stored(in: TableGroup(file.snapshot())) != nil { return }
    let group = try WriteGroup(file.beginWrite())
    try group.commit { (group) throws(StorageError) in
      let isNew = try group.transaction.fileIdentifier == 0
      try AdoptionRecord(origin: origin, state: isNew ? .complete : .waiting).store(in: group)
    }
  }
}
