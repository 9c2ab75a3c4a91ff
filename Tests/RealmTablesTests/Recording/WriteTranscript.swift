// SPDX-License-Identifier: Apache-2.0

// A recorder that keeps its calls.

import RealmStorage

@testable import RealmTables

/// Collects the calls of a transaction.
final class WriteTranscript: ChangeRecorder {
  private(set) var writes: [RecordedWrite] = []
  /// The numbers of calls at the beginnings of the open savepoints.
  private var savepoints: [Int] = []

  func didBeginSavepoint() { savepoints.append(writes.count) }

  func didKeepSavepoint() { savepoints.removeLast() }

  func didRollBackSavepoint() { writes.removeLast(writes.count - savepoints.removeLast()) }

  /// The calls since the last time.
  func take() -> [RecordedWrite] {
    defer { writes = [] }
    return writes
  }

  private func object(_ key: ObjectKey, _ table: WritableTable) -> RecordedWrite.Object {
    RecordedWrite.Object(table: table.key, key: key)
  }

  private func place(_ place: CollectionPlace) -> RecordedWrite.Place {
    RecordedWrite.Place(
      object: object(place.object, place.table), column: place.column.name, path: place.path)
  }

  private func place(
    _ column: Column, _ key: ObjectKey, _ table: WritableTable
  ) -> RecordedWrite.Place {
    RecordedWrite.Place(object: object(key, table), column: column.name)
  }

  func didAddTable(_ table: WritableTable) {
    writes.append(.addTable(table.schema.name, table.key, table.schema.kind))
  }

  func willEraseTable(_ table: WritableTable) { writes.append(.eraseTable(table.key)) }

  func didAddColumn(_ column: Column, to table: WritableTable) {
    writes.append(.addColumn(column, table.key))
  }

  func willEraseColumn(_ column: Column, from table: WritableTable) {
    writes.append(.eraseColumn(column.name, table.key))
  }

  func didSetPrimaryKey(_ column: Column?, of table: WritableTable) {
    writes.append(.setPrimaryKey(column?.name, table.key))
  }

  func didCreate(_ key: ObjectKey, primaryKey: TableValue?, in table: WritableTable) {
    writes.append(.create(object(key, table), primaryKey: primaryKey))
  }

  func willErase(_ key: ObjectKey, in table: WritableTable) throws(StorageError) {
    // The key is still known, and nothing links to the object but itself.
    guard let row = try table.row(of: key) else {
      throw .corrupted("\(key) is told to be erased when it is gone")
    }
    for column in table.schema.columns where column.isPrimaryKey { _ = try row.value(of: column) }
    writes.append(.erase(object(key, table)))
  }

  func didSet(
    _ value: TableValue, _ column: Column, of key: ObjectKey, in table: WritableTable,
    isDefault: Bool
  ) {
    writes.append(.set(value, place(column, key, table), isDefault: isDefault))
  }

  func didAdd(_ amount: Int64, to column: Column, of key: ObjectKey, in table: WritableTable) {
    writes.append(.add(amount, place(column, key, table)))
  }

  func didInsert(
    _ value: TableValue, at index: Int, in place: CollectionPlace, priorSize: Int
  ) {
    writes.append(.insert(value, at: index, self.place(place), priorSize: priorSize))
  }

  func didSet(_ value: TableValue, at index: Int, in place: CollectionPlace, priorSize: Int) {
    writes.append(.replace(value, at: index, self.place(place), priorSize: priorSize))
  }

  func didMove(from source: Int, to target: Int, in place: CollectionPlace, priorSize: Int) {
    writes.append(.move(from: source, to: target, self.place(place), priorSize: priorSize))
  }

  func didErase(at index: Int, in place: CollectionPlace, priorSize: Int) {
    writes.append(.remove(at: index, self.place(place), priorSize: priorSize))
  }

  func didSetEntry(_ value: TableValue, for key: String, in place: CollectionPlace) {
    writes.append(.setEntry(value, for: key, self.place(place)))
  }

  func didEraseEntry(for key: String, in place: CollectionPlace) {
    writes.append(.eraseEntry(for: key, self.place(place)))
  }

  func didInsertMember(_ value: TableValue, in place: CollectionPlace) {
    writes.append(.insertMember(value, self.place(place)))
  }

  func didEraseMember(_ value: TableValue, in place: CollectionPlace) {
    writes.append(.eraseMember(value, self.place(place)))
  }

  func didClear(_ place: CollectionPlace, _ kind: CollectionKind) {
    writes.append(.clear(self.place(place), kind))
  }
}
