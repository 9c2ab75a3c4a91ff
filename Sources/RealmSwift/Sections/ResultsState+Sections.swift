// SPDX-License-Identifier: Apache-2.0

// The contents and changes of results, as the computation of sections needs them.

import RealmQuery
import RealmSession
import RealmStorage
import RealmTables

extension ResultsState {
  /// Whether the results are those of a query of a class.
  var isOfTable: Bool {
    guard case .table = source else { return false }
    return info != nil
  }

  /// The elements as they are now, in a form that shares equal parts with those of later states.
  func exchangeableContents() -> _CollectionContents {
    let contents = contents()
    guard isOfTable, case .keys(let keys) = contents.form else { return contents }
    let exchangeable = searching(
      try _CollectionContents(.chunkedKeys(ChunkedKeys(keys)), core, info), else: contents)
    replace(contents, by: exchangeable)
    return exchangeable
  }

  /// The positions of elements that may have changed since a revision, by themselves or in what
  /// they link to; nil if that is not known of all.
  ///
  /// - Parameter elements: The present elements of the results.
  func elementsChanged(
    since moment: DataRevision, in elements: ChunkedKeys, byteLimit: Int
  ) throws(StorageError) -> [Int]? {
    guard let info, let changes = try core.changes(since: moment, byteLimit: byteLimit),
      !changes.schemaChanged, let linked = try linkedChanges(changes, of: info.tableKey)
    else { return nil }
    var changed = linked
    if let own = changes[info.tableKey] {
      // The key of a new object may be that of a deleted one.
      changed.formUnion(own.modifications.keys)
      changed.formUnion(own.inserted.sorted())
    }
    if changed.count > elements.count / 8 + 64 { return nil }
    let tables = try core.presentTables()
    let keys = changed.sorted()
    return try trappingMistakes(query.positions(of: keys, in: elements, of: tables))
  }

  /// The objects of a table that link to changed ones; nil if not all of them can be found: those
  /// that reach others through backlinks, mixed values or many links.
  private func linkedChanges(
    _ changes: VersionChanges, of table: TableKey
  ) throws(StorageError) -> Set<ObjectKey>? {
    let reach = try LinkReach(from: table, in: core)
    if reach.isUnbounded { return nil }
    if reach.tables.allSatisfy({ changes[$0] == nil }) { return [] }
    guard reach.isFollowedBack, !core.isInWrite else { return nil }
    let tables = try core.readableTables()
    return try LinkedModifications(old: tables, tables: tables, changes: changes)
      .keys(in: table, filter: nil)
  }
}

/// The tables that the properties of an object lead to.
private struct LinkReach {
  /// The tables that properties lead to, over any number of objects.
  private(set) var tables: Set<TableKey> = []
  /// Whether properties may lead to any table.
  private(set) var isUnbounded = false
  /// Whether observers of an object are notified of changes of all that its properties lead to: no
  /// backlinks, and short chains of links.
  private(set) var isFollowedBack = true

  init(from table: TableKey, in core: RealmCore) throws(StorageError) {
    var border: Set<TableKey> = [table]
    var distance = 0
    while !border.isEmpty, !isUnbounded {
      distance += 1
      var next: Set<TableKey> = []
      for key in border { try add(key, core, to: &next) }
      if distance > LinkedModifications.depth {
        if !next.isEmpty { isFollowedBack = false }
        border = next.subtracting(tables)
      } else {
        border = next
      }
      tables.formUnion(next)
    }
  }

  private mutating func add(
    _ table: TableKey, _ core: RealmCore, to next: inout Set<TableKey>
  ) throws(StorageError) {
    guard let info = core.classes[table] else {
      isUnbounded = true
      return
    }
    for property in info.schema.properties {
      let column = info.columns[property.index]
      if column == nil { isFollowedBack = false }
      if let target = try info.followed(property)?.target {
        next.insert(target.tableKey)
      } else if column?.type == .link || column?.type == .mixed || column == nil {
        isUnbounded = true
      }
    }
  }
}
