// SPDX-License-Identifier: Apache-2.0

// The classes of one realm, for dynamic objects.
//
// Invariants:
// 1. The realm owns this, and it keeps all its classes, so pointers to their hot state are valid as
//    long as the realm.
// 2. Links between the classes are known from the beginning: a frozen realm's are used on many
//    threads at once.

import RealmSession
import RealmTables

/// All classes of a realm, by name and by table.
final class DynamicClasses: @unchecked Sendable {
  // Sendable: nothing changes after `init` but what belongs to the transaction of a live realm,
  // which is used only where the realm is confined.
  let schemas: DynamicSchemas
  private var byTable: [TableKey: ClassInfo] = [:]
  private var byName: [String: ClassInfo] = [:]

  /// The classes of the program that `core` has.
  convenience init(of core: RealmCore) {
    let classes = Array(core.classes.all)
    self.init(DynamicSchemas(of: classes.map(\.schema)), classes.map(\.layout.table), core)
  }

  /// The classes of the tables.
  init(_ schemas: DynamicSchemas, _ tables: [TableSchema], _ core: RealmCore) {
    self.schemas = schemas
    for table in tables {
      guard let name = table.className, let schema = schemas[name] else { continue }
      let info = ClassInfo(ClassLayout(schema, table), core: core)
      byTable[table.key] = info
      byName[name] = info
    }
    for info in byTable.values {
      for (index, column) in info.columns.enumerated() {
        info.linkedClasses[index] = column?.targetTable.flatMap { byTable[$0] }
      }
    }
    assert(
      byTable.values.allSatisfy { $0.linkedClasses.count == $0.columns.count },
      "`DynamicClasses` 2: a property has no place for its class")
    guard core.isFrozen else { return }
    for info in byTable.values { orTrap(try info.table) }
  }

  deinit {
    for info in byTable.values { info.forgetLinkedClasses() }
  }

  /// All classes, in unspecified order.
  var all: some Collection<ClassInfo> { byTable.values }

  subscript(table: TableKey) -> ClassInfo? { byTable[table] }

  subscript(className: String) -> ClassInfo? { byName[className] }

  /// Forgets the writable tables; called when a transaction ends.
  func forgetWritableTables() {
    for info in byTable.values { info.forgetWritableTable() }
  }
}

extension RealmCore {
  /// The class whose objects a table holds, for dynamic objects.
  func dynamicInfo(ofTable key: TableKey) -> ClassInfo? { classes.dynamic[key] }

  /// The class called `name`, for dynamic objects; traps if there is none.
  func dynamicInfo(named name: String) -> ClassInfo {
    guard let info = classes.dynamic[name] else { classes.refuse(name) }
    return info
  }

  /// The class of the objects that dynamic objects link to: the program's, if it has one, except in
  /// a migration, whose objects are all dynamic.
  func untypedInfo(ofTable key: TableKey) -> ClassInfo? {
    migratedKeys == nil
      ? classes[key] ?? dynamicInfo(ofTable: key) : dynamicInfo(ofTable: key)
  }

  /// The class whose objects a table holds, for objects or elements of type `type`.
  func info(ofTable key: TableKey, for type: Any.Type) -> ClassInfo? {
    if type == DynamicObject.self || type == DynamicObject?.self {
      return dynamicInfo(ofTable: key)
    }
    // Another class of the program may show the same table.
    if let model = type as? ObjectBase.Type, classes.contains(model),
      classes[model].tableKey == key
    {
      return classes[model]
    }
    return classes[key]
  }

  /// The class whose objects a table holds, for elements of type `type`, that has a column.
  func info(ofTable key: TableKey, with column: ColumnKey, for type: Any.Type) -> ClassInfo? {
    let info = info(ofTable: key, for: type)
    if let info, info.columns.contains(where: { $0?.key == column }) { return info }
    return classes.all.first { other in
      other.tableKey == key && other.columns.contains { $0?.key == column }
    }
  }
}

extension ClassInfo {
  /// The class whose links a property of linking objects shows; nil if it is not in the realm.
  func originClass(of property: ModelProperty) -> ClassInfo? {
    if schema.isDynamic {
      return property.shape.linkedName.flatMap { unsafe core.classes.dynamic[$0] }
    }
    return property.shape.linkedClass.flatMap {
      unsafe core.classes.contains($0) ? core.classes[$0] : nil
    }
  }
}
