// SPDX-License-Identifier: Apache-2.0

// The protocol through which writes are recorded with their values, for synchronisation.
//
// The change log has no values, leaves out what is written into new objects, and counts visible
// elements alone, so it cannot be sent to other devices. A recorder learns of each single write
// in the order in which they were made. Where one write makes several calls, they come so:
//
// - new table: table, columns, primary key
// - removed table: its objects as if deleted, then the table
// - new object: creation, the values it begins with by column, those that callers set
// - embedded object as property: null if another was there, link, what it holds
// - embedded object in a list: erasure if another was there, insertion, what it holds
// - embedded object in a dictionary: entry, what it holds
// - deleted object: each link that loses its target (property null, list element erased from the
//   end, entry null, member erased), then the object
// - collection into a mixed value: empty collection, clear if one of its kind had elements, each
//   element, with those of nested collections after it
// - all elements replaced: clear, each element

package import RealmStorage

/// Records the writes of a transaction with their values.
///
/// Calls come while the transaction runs, on its user's thread. A recorder may read the tables; it
/// must not change them. An error that it throws ends the write call, and the transaction has to be
/// rolled back then.
///
/// - Values of properties are as callers give them: `.link` in columns of links, `.typedLink` in
///   mixed values. A collection in a mixed value comes as an empty `.list` or `.dictionary`; a
///   call for each of its elements follows. Links to tombstones are never given.
/// - Positions and sizes are those of the stored list, links to tombstones included.
/// - Objects of embedded tables are neither created nor erased by calls: the link to one is all. A
///   call that stores such a link is followed by calls for what the object holds.
/// - Calls are made for all tables, also for those that no class has.
/// - Calls for an embedded object that nothing links to yet are made too, and are to be ignored.
/// - The value of a primary key is given when its object is created, and by no other call.
package protocol ChangeRecorder: AnyObject {
  // MARK: Schema

  /// A table was created, without columns yet.
  func didAddTable(_ table: WritableTable) throws(StorageError)

  /// An empty table is about to be removed; its columns go without calls.
  func willEraseTable(_ table: WritableTable) throws(StorageError)

  /// A column was added.
  func didAddColumn(_ column: Column, to table: WritableTable) throws(StorageError)

  /// A column is about to be removed, with embedded objects that it holds.
  func willEraseColumn(_ column: Column, from table: WritableTable) throws(StorageError)

  /// The primary key was set, which a new table gets after its columns; nil takes it away.
  func didSetPrimaryKey(_ column: Column?, of table: WritableTable) throws(StorageError)

  // MARK: Objects

  /// A top-level object was created; the values it began with follow as properties.
  func didCreate(
    _ object: ObjectKey, primaryKey: TableValue?, in table: WritableTable
  ) throws(StorageError)

  /// A top-level object is about to be deleted. The links to it are gone, each by a call.
  func willErase(_ object: ObjectKey, in table: WritableTable) throws(StorageError)

  // MARK: Properties

  /// A property that is no collection was assigned.
  func didSet(
    _ value: TableValue, _ column: Column, of object: ObjectKey, in table: WritableTable,
    isDefault: Bool
  ) throws(StorageError)

  /// A property was assigned a value of one of the commonest types. By default it is given to the
  /// call for all values.
  func didSet(
    plain value: PlainValue, _ column: Column, of object: ObjectKey, in table: WritableTable,
    isDefault: Bool
  ) throws(StorageError)

  /// An integer was increased.
  func didAdd(
    _ amount: Int64, to column: Column, of object: ObjectKey, in table: WritableTable
  ) throws(StorageError)

  // MARK: Lists

  /// An element was inserted in a list that had `priorSize`.
  func didInsert(
    _ value: TableValue, at index: Int, in place: CollectionPlace, priorSize: Int
  ) throws(StorageError)

  /// An element of a list was assigned; embedded objects are erased and inserted instead.
  func didSet(
    _ value: TableValue, at index: Int, in place: CollectionPlace, priorSize: Int
  ) throws(StorageError)

  /// An element was taken out and put back so that it stands at `target`.
  func didMove(
    from source: Int, to target: Int, in place: CollectionPlace, priorSize: Int
  ) throws(StorageError)

  /// An element of a list was removed.
  func didErase(at index: Int, in place: CollectionPlace, priorSize: Int) throws(StorageError)

  // MARK: Dictionaries

  /// The value of a key was assigned, which may be new.
  func didSetEntry(
    _ value: TableValue, for key: String, in place: CollectionPlace
  ) throws(StorageError)

  /// An entry was removed.
  func didEraseEntry(for key: String, in place: CollectionPlace) throws(StorageError)

  // MARK: Sets

  /// A value was inserted that the set did not have.
  func didInsertMember(_ value: TableValue, in place: CollectionPlace) throws(StorageError)

  /// A value was removed.
  func didEraseMember(_ value: TableValue, in place: CollectionPlace) throws(StorageError)

  // MARK: Savepoints

  /// A part of the transaction begins that may be undone. Parts end in the reverse order of their
  /// beginning.
  func didBeginSavepoint()

  /// The newest part has ended, and stays.
  func didKeepSavepoint()

  /// The newest part was undone, and its calls are to be forgotten.
  func didRollBackSavepoint()

  // MARK: All collections

  /// All elements of a list, set or dictionary were removed, of which there were some.
  func didClear(_ place: CollectionPlace, _ kind: CollectionKind) throws(StorageError)
}

extension WriteGroup {
  /// The recorder of this transaction's writes; nil in files that are not synchronised.
  ///
  /// The group keeps it; the recorder must not keep the group.
  package var recorder: (any ChangeRecorder)? {
    get { unsafe log.recorder }
    set { unsafe log.recorder = newValue }
  }

  /// Whether the properties that are assigned get the defaults of new objects, which the recorder
  /// notes.
  package var storesDefaults: Bool {
    get { unsafe log.storesDefaults }
    set { unsafe log.storesDefaults = newValue }
  }

  /// Makes changes that the recorder does not learn of.
  package func withoutRecording<R>(
    _ body: @autoclosure () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    let recorder = unsafe log.recorder
    unsafe log.recorder = nil
    defer { unsafe log.recorder = recorder }
    return try body()
  }
}

extension ChangeRecorder {
  package func didSet(
    plain value: PlainValue, _ column: Column, of object: ObjectKey, in table: WritableTable,
    isDefault: Bool
  ) throws(StorageError) {
    try didSet(value.tableValue, column, of: object, in: table, isDefault: isDefault)
  }
}
