// SPDX-License-Identifier: Apache-2.0

// The recorder of a synchronised file's transactions.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Builds a changeset while a transaction writes.
///
/// Set as `WriteGroup.recorder` when a transaction begins; `finish(_:)` gives the changeset before
/// the commit. A recorder may serve one transaction after the other. Confined as the transaction.
package final class SyncRecorder: ChangeRecorder {
  // Confined as the transaction, so accesses need no check at run time.
  @exclusivity(unchecked) private var recording: ChangesetRecording

  /// - Parameter file: The file's identifier from the server; `FileIdentifier.own` as long as there
  ///   is none.
  package init(file: FileIdentifier = .own) { unsafe recording = ChangesetRecording(file: file) }

  /// Ends the changeset and begins the next; no bytes if nothing was written.
  package func finish(_ group: WriteGroup) throws(StorageError) -> [UInt8] {
    try unsafe recording.finish(group)
  }

  /// Forgets the recorded writes, as after a rollback.
  package func removeAll() { unsafe recording.removeAll() }

  // MARK: Calls

  package func didAddTable(_ table: WritableTable) {
    unsafe recording.didAddTable(table)
  }

  package func willEraseTable(_ table: WritableTable) throws(StorageError) {
    try unsafe recording.willEraseTable(table)
  }

  package func didAddColumn(_ column: Column, to table: WritableTable) {
    unsafe recording.didAddColumn(column, to: table)
  }

  package func willEraseColumn(_ column: Column, from table: WritableTable) throws(StorageError) {
    try unsafe recording.willEraseColumn(column, from: table)
  }

  package func didSetPrimaryKey(_ column: Column?, of table: WritableTable) throws(StorageError) {
    try unsafe recording.didSetPrimaryKey(column, of: table)
  }

  package func didCreate(
    _ object: ObjectKey, primaryKey: TableValue?, in table: WritableTable
  ) throws(StorageError) {
    try unsafe recording.didCreate(object, primaryKey: primaryKey, in: table)
  }

  package func willErase(_ object: ObjectKey, in table: WritableTable) throws(StorageError) {
    try unsafe recording.willErase(object, in: table)
  }

  package func didSet(
    _ value: TableValue, _ column: Column, of object: ObjectKey, in table: WritableTable,
    isDefault: Bool
  ) throws(StorageError) {
    try unsafe recording.didSet(value, column, of: object, in: table, isDefault: isDefault)
  }

  package func didSet(
    plain value: PlainValue, _ column: Column, of object: ObjectKey, in table: WritableTable,
    isDefault: Bool
  ) throws(StorageError) {
    try unsafe recording.didSet(plain: value, column, of: object, in: table, isDefault: isDefault)
  }

  package func didAdd(
    _ amount: Int64, to column: Column, of object: ObjectKey, in table: WritableTable
  ) throws(StorageError) {
    try unsafe recording.didAdd(amount, to: column, of: object, in: table)
  }

  package func didInsert(
    _ value: TableValue, at index: Int, in place: CollectionPlace, priorSize: Int
  ) throws(StorageError) {
    try unsafe recording.didInsert(value, at: index, in: place, priorSize: priorSize)
  }

  package func didSet(
    _ value: TableValue, at index: Int, in place: CollectionPlace, priorSize: Int
  ) throws(StorageError) {
    try unsafe recording.didSet(value, at: index, in: place, priorSize: priorSize)
  }

  package func didMove(
    from source: Int, to target: Int, in place: CollectionPlace, priorSize: Int
  ) throws(StorageError) {
    try unsafe recording.didMove(from: source, to: target, in: place, priorSize: priorSize)
  }

  package func didErase(
    at index: Int, in place: CollectionPlace, priorSize: Int
  ) throws(StorageError) {
    try unsafe recording.didErase(at: index, in: place, priorSize: priorSize)
  }

  package func didSetEntry(
    _ value: TableValue, for key: String, in place: CollectionPlace
  ) throws(StorageError) {
    try unsafe recording.didSetEntry(value, for: key, in: place)
  }

  package func didEraseEntry(for key: String, in place: CollectionPlace) throws(StorageError) {
    try unsafe recording.didEraseEntry(for: key, in: place)
  }

  package func didInsertMember(
    _ value: TableValue, in place: CollectionPlace
  ) throws(StorageError) {
    try unsafe recording.didInsertMember(value, in: place)
  }

  package func didEraseMember(_ value: TableValue, in place: CollectionPlace) throws(StorageError) {
    try unsafe recording.didEraseMember(value, in: place)
  }

  package func didClear(_ place: CollectionPlace, _ kind: CollectionKind) throws(StorageError) {
    try unsafe recording.didClear(place, kind)
  }
}
