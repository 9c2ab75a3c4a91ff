// SPDX-License-Identifier: Apache-2.0

// The model classes of a realm, and their tables.
//
// Invariants:
// 1. The realm owns this, and it keeps every `ClassInfo` that it ever returned: pointers to their
//    hot state are valid as long as the realm.
// 2. In a frozen realm, which many threads use at once, nothing changes after it was published but
//    what is computed later and kept in atomics.

import RealmSession
import RealmStorage
import RealmTables
import Synchronization

/// The classes of one realm: those of the program, and others that the file has.
final class RealmClasses {
  /// The realm, which owns this object. Unowned and unchecked, for speed.
  private unowned(unsafe) var core: RealmCore!
  private var byType: [ObjectIdentifier: ClassInfo] = [:]
  private var byTable: [TableKey: ClassInfo] = [:]
  /// The class that was last requested: loops request the same one again and again.
  private var lastType: ObjectBase.Type?
  private var lastInfo: ClassInfo?
  private let dynamicStorage = AtomicLazyReference<DynamicClasses>()
  private let storedStorage = AtomicLazyReference<StoredClasses>()
  private(set) lazy var deleteRules = findDeleteRules()

  /// Must precede everything else.
  func belong(to core: RealmCore) { unsafe self.core = core }

  deinit {
    // Classes that link to each other, or to themselves, keep each other alive.
    for info in byType.values { info.forgetLinkedClasses() }
  }

  // MARK: - Registering

  /// Registers classes whose tables exist.
  func register(_ layouts: [ClassLayout]) throws(StorageError) {
    for layout in layouts { add(layout) }
    guard unsafe core.isFrozen else { return }
    for info in byType.values { try info.prepareForSharing() }
  }

  /// Registers classes that are used by dynamic objects only.
  func register(_ dynamic: DynamicClasses) {
    for info in dynamicStorage.storeIfNil(dynamic).all { byTable[info.tableKey] = info }
  }

  private func add(_ layout: ClassLayout) {
    let info = unsafe ClassInfo(layout, core: core)
    assert(
      byType[ObjectIdentifier(layout.schema.modelClass)] == nil,
      "`RealmClasses` 1: a class is replaced whose objects may be alive")
    byType[ObjectIdentifier(layout.schema.modelClass)] = info
    byTable[info.tableKey] = info
  }

  // MARK: - Finding

  /// The class in this realm; traps if its schema does not have it.
  subscript(modelClass: ObjectBase.Type) -> ClassInfo {
    if modelClass == lastType, let lastInfo { return lastInfo }
    guard let info = byType[ObjectIdentifier(modelClass)] else { refuse(modelClass.className()) }
    if unsafe !core.isFrozen {
      lastType = modelClass
      lastInfo = info
    }
    return info
  }

  /// The class whose objects a table holds, if the program has one.
  subscript(table: TableKey) -> ClassInfo? { byTable[table] }

  /// Traps because the realm's schema has no class of that name.
  func refuse(_ name: String) -> Never {
    throwRealmException(
      "Object type '\(name)' is not managed by the Realm. If using a custom `objectTypes` array "
        + "in your configuration, add `\(name).self` to it.")
  }

  /// Whether the realm's schema has the class.
  func contains(_ modelClass: ObjectBase.Type) -> Bool {
    byType[ObjectIdentifier(modelClass)] != nil
  }

  /// The classes of the program.
  var all: some Collection<ClassInfo> { byType.values }

  /// The classes for dynamic objects; made when first needed, on any thread if the realm is frozen.
  var dynamic: DynamicClasses {
    if let known = dynamicStorage.load() { return known }
    return unsafe dynamicStorage.storeIfNil(DynamicClasses(of: core))
  }

  /// The classes that the file has, known to the program or not; empty until they are needed.
  var stored: StoredClasses {
    if let known = storedStorage.load() { return known }
    return storedStorage.storeIfNil(StoredClasses())
  }

  // MARK: - Transactions

  /// Forgets the writable tables; called when a transaction ends.
  func forgetWritableTables() {
    for info in byType.values { info.forgetWritableTable() }
    dynamicStorage.load()?.forgetWritableTables()
    storedStorage.load()?.forgetWritableTables()
  }

  /// Whether another version has the tables that the classes were opened with: they may have been
  /// added to the file later.
  func fit(_ tables: TableGroup) throws(StorageError) -> Bool {
    for info in byType.values {
      guard try tables.table(info.tableKey)?.schema === info.layout.table else { return false }
    }
    return true
  }
}
