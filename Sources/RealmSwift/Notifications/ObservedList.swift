// SPDX-License-Identifier: Apache-2.0

// An observed list, set or dictionary: the edits that the log has of it, and changes of the objects
// in it.

import RealmQuery
import RealmStorage
import RealmTables

/// Which list, set or dictionary is observed: a column of an object.
struct ObservedList: Hashable, Sendable {
  let table: TableKey
  let object: ObjectKey
  let column: Column

  /// The number of elements; nil if the object is gone.
  func count(in tables: TableGroup) throws(StorageError) -> Int? {
    guard let row = try row(in: tables) else { return nil }
    return column.collection == .dictionary
      ? try row.dictionary(column).count : try row.list(column).count
  }

  private func row(in tables: TableGroup) throws(StorageError) -> Row? {
    try tables.table(table)?.row(of: object)
  }

  /// The elements, or the values of a dictionary.
  func values(in tables: TableGroup) throws(StorageError) -> [TableValue]? {
    guard let row = try row(in: tables) else { return nil }
    return column.collection == .dictionary
      ? try row.dictionary(column).entries(of: column).entries.map(\.value)
      : try row.list(column).values()
  }

  /// The objects that the elements are; nil for an element that is no object.
  func links(in tables: TableGroup) throws(StorageError) -> [ObjectKey?]? {
    guard let row = try row(in: tables) else { return nil }
    return column.collection == .dictionary
      ? try row.dictionary(column).links(of: column) : try row.list(column).keys()
  }

  /// The new number of elements, and what happened to a list that had `oldCount`.
  func advance(
    _ oldCount: Int, by step: VersionStep, filter: KeyPathFilter?
  ) throws(StorageError) -> (Int, ObservedChange?) {
    let changes = step.changes[table]
    if changes?.deleted.contains(object) == true {
      return (0, .collectionDeleted(ResultChanges(deletions: Array(0..<oldCount))))
    }
    var composer = ListChangeComposer(oldCount: oldCount)
    let place = TableChanges.CollectionPlace(object: object, column: column.key)
    let log = changes?.collections[place]
    if let log, log.isUnspecified || !log.edits.allSatisfy({ composer.apply($0) }) {
      return try replaced(oldCount, by: step)
    }
    let newCount = composer.count
    let modified = try modifiedOldIndexes(composer.pieces, by: step, filter: filter)
    let set = composer.changes(oldCount: oldCount, alsoModified: modified)
    return (newCount, set.isEmpty ? nil : .collection(set))
  }

  /// Old indexes of the objects that stayed in the list and changed.
  private func modifiedOldIndexes(
    _ pieces: [ListChangeComposer.Piece], by step: VersionStep, filter: KeyPathFilter?
  ) throws(StorageError) -> [Int] {
    guard column.type == .link, let target = column.targetTable else { return [] }
    let modified = try members(
      among: step.modified(in: target, filter: filter), of: target, in: step.new)
    guard !modified.isEmpty, let keys = try links(in: step.new) else { return [] }
    var indexes: [Int] = []
    var position = 0
    for piece in pieces {
      if case .old(let range) = piece {
        for offset in 0..<range.count {
          guard let key = keys[position + offset], modified.contains(key) else { continue }
          indexes.append(range.lowerBound + offset)
        }
      }
      position += piece.count
    }
    return indexes
  }

  /// Those of a few objects that are in the list, as their backlinks tell, so that a long list is
  /// read only for changes of its own elements. Many objects are given back as they are.
  private func members(
    among keys: Set<ObjectKey>, of target: TableKey, in tables: TableGroup
  ) throws(StorageError) -> Set<ObjectKey> {
    guard keys.count <= 64, let table = try tables.table(target),
      let backlinks = table.schema.backlinkColumn(from: self.table, column.key)
    else { return keys }
    var members: Set<ObjectKey> = []
    for key in keys {
      guard let row = try table.row(of: key) else { continue }
      if try row.backlinks(of: backlinks).contains(object) { members.insert(key) }
    }
    return members
  }

  /// What to tell of a change whose steps are not known: all old elements went, and the new came.
  private func replaced(
    _ oldCount: Int, by step: VersionStep
  ) throws(StorageError) -> (Int, ObservedChange?) {
    let newCount = try count(in: step.new) ?? 0
    let set = ResultChanges(
      deletions: Array(0..<oldCount), insertions: Array(0..<newCount))
    return (newCount, set.isEmpty ? nil : .collection(set))
  }
}
