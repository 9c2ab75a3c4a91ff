// SPDX-License-Identifier: Apache-2.0

// All tables of one version.

package import RealmStorage

/// The tables of a snapshot, read-only.
///
/// Making one reads two nodes; a table is read when it is first asked for. It keeps the snapshot,
/// and with it everything that its tables and their rows point to.
package final class TableGroup: Sendable {
  package let snapshot: Snapshot
  /// Shared by the versions of a file, so that unchanged tables keep their `TableSchema`.
  package let schemas: SchemaCache

  private let list: TableList
  private let keys = Locked<[TableKey]?>(nil)
  private let tables = Locked<[TableKey: Table]>([:])
  /// See `mixedTargets(of:)`.
  private let mixedLinks = Locked<[TableKey: [MixedTarget]]?>(nil)

  package init(_ snapshot: Snapshot, schemas: SchemaCache = SchemaCache()) throws(StorageError) {
    self.snapshot = snapshot
    self.schemas = schemas
    list = try TableList(snapshot.roots, in: snapshot.space)
  }

  package var version: UInt64 { snapshot.version }

  /// The keys of all tables in the order of the file.
  package func tableKeys() throws(StorageError) -> [TableKey] {
    if let known = keys.withLock({ $0 }) { return known }
    let found = try list.keys()
    keys.withLock { $0 = found }
    return found
  }

  /// The key of the table called `name`; nil if there is none.
  package func key(ofTable name: String) throws(StorageError) -> TableKey? {
    try list.key(ofTable: name)
  }

  /// The table with that key; nil if there is none.
  package func table(_ key: TableKey) throws(StorageError) -> Table? {
    if let table = tables.withLock({ $0[key] }) { return table }
    guard let top = try list.top(of: key) else { return nil }
    let name = try list.name(at: key.index)
    let schema = try schemas.schema(of: top, name: name, in: snapshot.space)
    let table = Table(top, schema: schema, in: snapshot.space)
    tables.withLock { $0[key] = table }
    return table
  }

  /// The table called `name`; nil if there is none.
  package func table(named name: String) throws(StorageError) -> Table? {
    guard let key = try key(ofTable: name) else { return nil }
    return try table(key)
  }

  /// What changes with each transaction that changes the table called `name`; nil if there is no
  /// such table. The table itself is not read.
  package func revision(ofTable name: String) throws(StorageError) -> TableRevision? {
    guard let key = try key(ofTable: name), let top = try list.top(of: key) else { return nil }
    return TableRevision(key: key, number: top.version)
  }

  /// The target tables of the links in the mixed columns of a table, which do not record them.
  package func mixedTargets(of origin: TableKey) throws(StorageError) -> [MixedTarget] {
    if let known = mixedLinks.withLock({ $0 }) { return known[origin] ?? [] }
    var found: [TableKey: [MixedTarget]] = [:]
    for key in try tableKeys() {
      for backlink in try table(key)?.schema.backlinkColumns ?? [] {
        guard let source = backlink.targetTable, let opposite = backlink.oppositeColumn,
          let column = try table(source)?.schema.column(opposite), column.type == .mixed
        else { continue }
        found[source, default: []].append(MixedTarget(column: column, table: key))
      }
    }
    mixedLinks.withLock { $0 = found }
    return found[origin] ?? []
  }
}

/// A state of a table: in two versions of a file with the same one it has the same content.
package struct TableRevision: Hashable, Sendable {
  let key: TableKey
  /// The number of transactions that have changed the table.
  let number: Int
}

/// A table that links in a mixed column lead to, or once led to.
package struct MixedTarget: Sendable {
  package let column: Column
  package let table: TableKey
}
