// SPDX-License-Identifier: Apache-2.0

// Classes that the program's schema does not have, for objects that values of any type lead to.
//
// Invariants:
// 1. The realm owns this, and it keeps all classes that it ever returned, so pointers to their hot
//    state are valid as long as the realm.

import RealmSession
import RealmStorage
import RealmTables

/// The classes of all tables of a file, for dynamic objects.
final class StoredClasses: Sendable {
  /// Newest last: tables may be added to the file while the realm is open.
  private let known = Locked<[DynamicClasses]>([])

  init() {}

  /// The class whose objects a table holds; nil if the version that `core` shows has no such class.
  func info(ofTable key: TableKey, in core: RealmCore) throws(StorageError) -> ClassInfo? {
    if let info = find(key) { return info }
    let tables = try core.storedTables()
    guard tables.contains(where: { $0.key == key && $0.className != nil }) else { return nil }
    let classes = DynamicClasses(DynamicSchemas(of: tables), tables, core)
    return known.withLock { known in
      // Another thread may have added it meanwhile, if the realm is frozen.
      for earlier in known.reversed() { if let info = earlier[key] { return info } }
      assert(classes[key] != nil, "`StoredClasses` 1: the class is not among those that are kept")
      known.append(classes)
      return classes[key]
    }
  }

  private func find(_ key: TableKey) -> ClassInfo? {
    known.withLock { known in
      for classes in known.reversed() { if let info = classes[key] { return info } }
      return nil
    }
  }

  /// Forgets the writable tables; called when a transaction ends.
  func forgetWritableTables() {
    for classes in known.withLock({ $0 }) { classes.forgetWritableTables() }
  }
}

extension RealmCore {
  /// The schemas of all tables in the version that the realm shows.
  func storedTables() throws(StorageError) -> [TableSchema] {
    let group = try readableTables()
    var tables: [TableSchema] = []
    for key in try group.tableKeys() {
      if let schema = try group.table(key)?.schema { tables.append(schema) }
    }
    return tables
  }

  /// An object that a value of any type leads to: of the program's class, or, if the realm's schema
  /// does not have its class, a dynamic one. Nil if there is no such table.
  func anyObject(ofTable table: TableKey, _ key: ObjectKey) -> Object? {
    if let info = classes[table] { return info.makeObject(key) as? Object }
    return reading(
      try classes.stored.info(ofTable: table, in: self)?.makeObject(key) as? Object, else: nil)
  }
}
