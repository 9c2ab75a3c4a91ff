// SPDX-License-Identifier: Apache-2.0

// The changed objects for an observer: those with assigned properties, and those with links to such
// objects. Links in mixed values count as those in columns of links.
//
// The walk goes from the changed objects up along their backlinks, never down from the observed
// ones, so its cost grows with the number of changes.

package import RealmStorage
package import RealmTables

/// Computes the changed objects of a table: changed directly, or by linked objects.
package struct LinkedModifications {
  /// The old version, in which deleted links are followed.
  let old: TableGroup
  /// The new version.
  let tables: TableGroup
  let changes: VersionChanges

  package init(old: TableGroup, tables: TableGroup, changes: VersionChanges) {
    self.old = old
    self.tables = tables
    self.changes = changes
  }

  /// The number of links over which observers without key paths are notified of changes.
  package static let depth = 4

  /// The objects of `table` in both versions with changes within `filter`.
  package func keys(
    in table: TableKey, filter: KeyPathFilter?
  ) throws(StorageError) -> Set<ObjectKey> {
    if let filter { return try keys(in: table, filter) }
    var memo: [Step: Set<ObjectKey>] = [:]
    return try keys(in: table, depth: Self.depth, &memo)
  }

  /// Whether anything changed in `table` or in tables that its links lead to; objects are not read.
  ///
  /// - Parameter depth: How many links to follow; nil follows all, and backlinks too.
  func mayReach(_ table: TableKey, depth: Int?) throws(StorageError) -> Bool {
    if changes[table] != nil { return true }
    var reached: Set<TableKey> = [table]
    var border = [table]
    var remaining = depth ?? .max
    while !border.isEmpty, remaining > 0 {
      remaining -= 1
      var next: [TableKey] = []
      for key in border {
        guard let schema = try tables.table(key)?.schema else { continue }
        let columns = depth == nil ? schema.columns + schema.backlinkColumns : schema.columns
        var targets = columns.compactMap(\.targetTable)
        if columns.contains(where: { $0.type == .mixed }) {
          targets += try tables.mixedTargets(of: key).map(\.table)
        }
        for target in targets where reached.insert(target).inserted {
          if changes[target] != nil { return true }
          next.append(target)
        }
      }
      border = next
    }
    return false
  }

  private struct Step: Hashable {
    let table: TableKey
    let depth: Int
  }

  private func keys(
    in table: TableKey, depth: Int, _ memo: inout [Step: Set<ObjectKey>]
  ) throws(StorageError) -> Set<ObjectKey> {
    assert(depth >= 0, "links are followed beyond the last one")
    let step = Step(table: table, depth: depth)
    if let known = memo[step] { return known }
    var keys = Set<ObjectKey>()
    if let changed = changes[table] { keys.formUnion(changed.modifications.keys) }
    if depth > 0, let schema = try tables.table(table)?.schema {
      for column in schema.columns where column.type == .link {
        guard let target = column.targetTable else { continue }
        let linked = try self.keys(in: target, depth: depth - 1, &memo)
        try addOrigins(of: linked, in: target, from: table, column, to: &keys)
      }
      if schema.columns.contains(where: { $0.type == .mixed }) {
        for mixed in try tables.mixedTargets(of: table) {
          let linked = try self.keys(in: mixed.table, depth: depth - 1, &memo)
          try addOrigins(of: linked, in: mixed.table, from: table, mixed.column, to: &keys)
        }
      }
    }
    memo[step] = keys
    return keys
  }

  private func keys(
    in table: TableKey, _ filter: KeyPathFilter
  ) throws(StorageError) -> Set<ObjectKey> {
    var keys = Set<ObjectKey>()
    let schema = try tables.table(table)?.schema
    for (column, branch) in filter.branches {
      if let column = schema?.column(column), column.type == .backlink {
        try addLinkTargets(in: table, column, branch, to: &keys)
        continue
      }
      if let changed = changes[table] {
        for object in changed.modifications.keys where changed.isModified(object, column) {
          keys.insert(object)
        }
      }
      guard !branch.branches.isEmpty, let column = schema?.column(column),
        let target = column.targetTable
      else { continue }
      let linked = try self.keys(in: target, branch)
      try addOrigins(of: linked, in: target, from: table, column, to: &keys)
    }
    return keys
  }

  /// Adds the objects of `table` with changed backlinks in `column`, and the targets of links from
  /// objects with changes within `filter`.
  private func addLinkTargets(
    in table: TableKey, _ column: Column, _ filter: KeyPathFilter, to keys: inout Set<ObjectKey>
  ) throws(StorageError) {
    guard let origin = column.targetTable, let link = column.oppositeColumn else { return }
    var now: Set<ObjectKey> = []
    if !filter.branches.isEmpty { now = try self.keys(in: origin, filter) }
    if let changes = changes[origin] {
      let relinked = changes.modifications.keys.filter { changes.isModified($0, link) }
      now.formUnion(relinked)
      now.formUnion(changes.inserted.sorted())
      try addTargets(
        of: relinked + changes.deleted.sorted(), by: link, of: origin, table, in: old, to: &keys)
    }
    try addTargets(of: now, by: link, of: origin, table, in: tables, to: &keys)
  }

  /// Adds the objects of `table` that some objects of `origin` link to in one version.
  private func addTargets(
    of objects: some Sequence<ObjectKey>, by link: ColumnKey, of origin: TableKey,
    _ table: TableKey, in version: TableGroup, to keys: inout Set<ObjectKey>
  ) throws(StorageError) {
    guard let origins = try version.table(origin), let column = origins.schema.column(link) else {
      return
    }
    for object in objects {
      guard let row = try origins.row(of: object) else { continue }
      try row.forEachLink(in: column) { link in
        if link.table == table { keys.insert(link.key) }
      }
    }
  }

  /// Adds the objects of `table` that link to one of `linked` by `column`.
  private func addOrigins(
    of linked: Set<ObjectKey>, in target: TableKey, from table: TableKey, _ column: Column,
    to keys: inout Set<ObjectKey>
  ) throws(StorageError) {
    guard !linked.isEmpty, let targets = try tables.table(target),
      let backlinks = targets.schema.backlinkColumn(from: table, column.key)
    else { return }
    for key in linked {
      guard let row = try targets.row(of: key) else { continue }
      for origin in try row.backlinks(of: backlinks) { keys.insert(origin) }
    }
  }
}
