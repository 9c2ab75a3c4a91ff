// SPDX-License-Identifier: Apache-2.0

// An observed list, set or dictionary: its edits in the log, and changes of the objects in it.

import RealmQuery
import RealmStorage
package import RealmTables

/// Identifies an observed list, set or dictionary: that of a column of an object, or one inside its
/// mixed values.
package struct ListLocator: Hashable, Sendable {
  package let table: TableKey
  package let object: ObjectKey
  package let column: Column
  /// The path from the column to a nested collection.
  package var path: [NestedStep] = []
  package let kind: CollectionKind

  package init(
    table: TableKey, object: ObjectKey, column: Column, path: [NestedStep] = [],
    kind: CollectionKind
  ) {
    self.table = table
    self.object = object
    self.column = column
    self.path = path
    self.kind = kind
  }

  /// The number of elements; nil if the object is gone.
  func count(in tables: TableGroup) throws(StorageError) -> Int? {
    guard let row = try row(in: tables) else { return nil }
    return kind == .dictionary
      ? try row.dictionary(column, path)?.count : try row.list(column, path)?.count
  }

  private func row(in tables: TableGroup) throws(StorageError) -> Row? {
    try tables.table(table)?.row(of: object)
  }

  /// The elements, or the values of a dictionary.
  func values(in tables: TableGroup) throws(StorageError) -> [TableValue]? {
    guard let row = try row(in: tables) else { return nil }
    return kind == .dictionary
      ? try row.dictionary(column, path)?.entries(of: column).entries.map(\.value)
      : try row.list(column, path)?.values()
  }

  /// The keys of the objects in the collection; nil for an element that is no object.
  func links(in tables: TableGroup) throws(StorageError) -> [ObjectKey?]? {
    guard let row = try row(in: tables) else { return nil }
    return kind == .dictionary
      ? try row.dictionary(column).links(of: column) : try row.list(column).keys()
  }

  /// The new number of elements, and the change of a list that had `oldCount`.
  func advance(
    _ oldCount: Int, by step: VersionStep, filter: KeyPathFilter?
  ) throws(StorageError) -> (Int, ObservedChange?) {
    let changes = step.changes[table]
    let isGone = path.isEmpty ? false : try count(in: step.new) == nil
    if isGone || changes?.deleted.contains(object) == true {
      return (0, .collectionDeleted(ResultChanges(deletions: Array(0..<oldCount))))
    }
    var composer = ListChangeComposer(oldCount: oldCount)
    let log = changes?.collections[loggedPlace]
    if let log, log.isUnspecified || !log.edits.allSatisfy({ composer.apply($0) }) {
      return try replaced(oldCount, by: step)
    }
    let newCount = composer.count
    var modified = try modifiedOldIndexes(composer.pieces, by: step, filter: filter)
    if let log, !log.nested.isEmpty {
      modified += try changedElements(log.nested, in: step.new).compactMap(composer.oldIndex)
    }
    let set = composer.changes(oldCount: oldCount, alsoModified: modified)
    return (newCount, set.isEmpty ? nil : .collection(set))
  }

  /// The identity of the collection in the log: the root collection of a mixed property has the
  /// same one as a collection of a column.
  private var loggedPlace: TableChanges.CollectionPlace {
    let steps = column.collection == .none ? path.dropFirst() : path[...]
    return TableChanges.CollectionPlace(
      object: object, column: column.key, salts: steps.map(\.salt))
  }

  /// The positions of the elements in which a nested collection changed.
  private func changedElements(
    _ salts: Set<Int64>, in tables: TableGroup
  ) throws(StorageError) -> [Int] {
    guard let row = try row(in: tables) else { return [] }
    var found: [Int] = []
    for salt in salts {
      let step = NestedStep(salt: salt, position: 0)
      let index =
        kind == .dictionary
        ? try row.dictionary(column, path)?.position(of: step)
        : try row.list(column, path)?.position(of: step)
      if let index { found.append(index) }
    }
    return found
  }

  /// Old indexes of the objects that stayed in the list and changed.
  private func modifiedOldIndexes(
    _ pieces: [ListChangeComposer.Piece], by step: VersionStep, filter: KeyPathFilter?
  ) throws(StorageError) -> [Int] {
    if column.type == .mixed { return try modifiedMixedIndexes(pieces, by: step) }
    guard column.type == .link, let target = column.targetTable else { return [] }
    let modified = try members(
      among: step.modified(in: target, filter: filter), of: target, in: step.new)
    guard !modified.isEmpty, let keys = try links(in: step.new) else { return [] }
    return oldIndexes(pieces) { index in keys[index].map(modified.contains) ?? false }
  }

  /// Old indexes of the remaining values with links to changed objects.
  private func modifiedMixedIndexes(
    _ pieces: [ListChangeComposer.Piece], by step: VersionStep
  ) throws(StorageError) -> [Int] {
    let modified = try modifiedLinks(by: step)
    guard !modified.isEmpty, let values = try values(in: step.new) else { return [] }
    return oldIndexes(pieces) { values[$0].links(toOneOf: modified) }
  }

  /// The changed objects behind possible links in mixed values of the column.
  func modifiedLinks(by step: VersionStep) throws(StorageError) -> Set<StoredLink> {
    var modified: Set<StoredLink> = []
    for mixed in try step.new.mixedTargets(of: table) where mixed.column.key == column.key {
      let keys = try step.modified(in: mixed.table, filter: nil)
      for key in try members(among: keys, of: mixed.table, in: step.new) {
        modified.insert(StoredLink(table: mixed.table, key: key))
      }
    }
    return modified
  }

  /// Old indexes of the remaining elements with one of the given new indexes.
  private func oldIndexes(
    _ pieces: [ListChangeComposer.Piece], _ isWanted: (Int) -> Bool
  ) -> [Int] {
    var indexes: [Int] = []
    var position = 0
    for piece in pieces {
      if case .old(let range) = piece {
        for offset in 0..<range.count where isWanted(position + offset) {
          indexes.append(range.lowerBound + offset)
        }
      }
      position += piece.count
    }
    return indexes
  }

  /// The members of `keys` in the list, found by their backlinks, so a long list is read only for
  /// changes of its own elements. More than 64 keys are returned unfiltered.
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

  /// The change to report if the edits are not known: all old elements deleted, all new ones
  /// inserted.
  private func replaced(
    _ oldCount: Int, by step: VersionStep
  ) throws(StorageError) -> (Int, ObservedChange?) {
    let newCount = try count(in: step.new) ?? 0
    let set = ResultChanges(
      deletions: Array(0..<oldCount), insertions: Array(0..<newCount))
    return (newCount, set.isEmpty ? nil : .collection(set))
  }
}

extension TableValue {
  /// Whether the value is a link to one of some objects, or a collection that holds such a link.
  func links(toOneOf objects: Set<StoredLink>) -> Bool {
    switch self {
    case .typedLink(let table, let key): objects.contains(StoredLink(table: table, key: key))
    case .list(let values): values.contains { $0.links(toOneOf: objects) }
    case .dictionary(let entries): entries.entries.contains { $0.value.links(toOneOf: objects) }
    default: false
    }
  }
}
