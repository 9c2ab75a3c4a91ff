// SPDX-License-Identifier: Apache-2.0

// Realms that exist for the duration of a migration.

import RealmSession
import RealmStorage
import RealmTables

extension RealmCore {
  /// Registers the classes of the file, for dynamic objects only.
  func registerStoredClasses() throws(StorageError) {
    let tables = try storedTables()
    classes.register(DynamicClasses(DynamicSchemas(of: tables), tables, self))
  }

  /// Whether setting a property that is the primary key is allowed; called before it is set.
  func admitsPrimaryKey(of info: ClassInfo) -> Bool {
    guard let migratedKeys else { return false }
    migratedKeys.tables.insert(info.tableKey)
    // Enters the newest objects into the index.
    orTrap(try info.requireWritableTable().table)
    return true
  }

  /// Creates a row in a table whose primary key is set aside for the migration; nil if it is not.
  func makeMigratedRow(
    _ info: ClassInfo, _ primaryKey: TableValue?
  ) throws(StorageError) -> (key: ObjectKey, row: Row, isNew: Bool)? {
    guard migratedKeys != nil, let primaryKey, let step = info.primaryKey,
      let column = info.columns[Int(step.slot.property)]
    else { return nil }
    let table = try info.requireWritableTable()
    guard table.schema.primaryKey == nil else { return nil }
    let made = try table.createObject()
    try table.set(primaryKey, column, made.key)
    return (made.key, try table.row(of: made.key) ?? made.row, true)
  }
}
