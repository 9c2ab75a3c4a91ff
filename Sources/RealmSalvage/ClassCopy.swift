// SPDX-License-Identifier: Apache-2.0

// The classes of one file, made in another.

import RealmStorage
import RealmTables

/// Makes classes like those of another file.
enum ClassCopy {
  /// Makes the classes with their properties, primary keys and indexes. Links to other classes are
  /// left out.
  ///
  /// - Returns: The new tables by the keys of the old ones.
  static func make(
    _ schemas: [TableSchema], in group: WriteGroup
  ) throws(StorageError) -> [TableKey: WritableTable] {
    var tables: [TableKey: WritableTable] = [:]
    for schema in schemas {
      tables[schema.key] = try group.createTable(named: schema.name, kind: schema.kind)
    }
    for schema in schemas {
      guard let table = tables[schema.key] else { continue }
      for column in schema.columns {
        let target = column.type == .link ? column.targetTable.flatMap { tables[$0]?.key } : nil
        if column.type == .link, target == nil { continue }
        let new = try table.addColumn(
          named: column.name, type: column.type, collection: column.collection,
          isNullable: column.isNullable, target: target)
        if let kind = column.indexKind { try table.columns.setIndex(kind, new.key) }
        if column.isPrimaryKey { try table.setPrimaryKey(new.key) }
      }
    }
    return tables
  }
}
