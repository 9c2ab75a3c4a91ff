// SPDX-License-Identifier: Apache-2.0

// The one instance behind all `Realm` values of a file in a confinement.
//
// Invariants:
// 1. There is at most one living core for each file and confinement; `RealmCache` sees to it.
// 2. Everything here is used from the confinement only, except where a member says otherwise.
// 3. Between transactions `group` shows a committed version, pinned until the realm advances; in one,
//    `transaction` shows its own changes and `group` the version it started from.
// 4. `hot.generation` changes before anybody can see rows of another state (see `HotState`).

import CRealmPlatform
import RealmStorage
import RealmTables

/// What the delivery of notifications must hear from a realm.
protocol RealmCoreObserver: AnyObject {
  /// The realm shows another version than before. A transaction may have begun.
  func realmDidAdvance(_ core: RealmCore)
  /// A transaction of this realm was committed, and is what the realm shows.
  func realmDidCommit(_ core: RealmCore)
}

/// A realm: a file, where it may be used, and the version it shows.
@usableFromInline
final class RealmCore: ObjectOwner {
  let configuration: Realm.Configuration
  let confinement: Confinement
  let file: DatabaseFile
  let hot: UnsafeMutablePointer<HotState>
  weak var observer: (any RealmCoreObserver)?

  /// Whether the realm advances by itself where its confinement allows that.
  var autorefresh = true
  /// Objects whose rows were last seen in an older generation were invalidated. It is below the
  /// present generation, so it also marks objects whose rows were not looked for yet.
  private(set) var firstValidGeneration: UInt64 = 1
  /// Counts the changes of the open transaction and the changes of version: what was computed from
  /// the data at another count is out of date.
  private(set) var dataGeneration: UInt64 = 1
  /// What links to objects that the realm does not have yet do; set while objects are added.
  var policy = Realm.UpdatePolicy.error

  /// Whether properties are set only if their value differs: while `.modified` updates an object.
  var skipsEqualValues = false

  private var group: TableGroup?
  private(set) var transaction: WriteGroup?
  private var writableTables: [TableKey: WritableTable] = [:]
  private var structureGeneration = 0
  private var classes: [ObjectIdentifier: ClassInfo] = [:]
  private var classesByTable: [TableKey: ClassInfo] = [:]

  init(
    configuration: Realm.Configuration, confinement: Confinement, file: DatabaseFile,
    group: TableGroup
  ) {
    self.configuration = configuration
    self.confinement = confinement
    self.file = file
    self.group = group
    hot = UnsafeMutablePointer<HotState>.allocate(capacity: 1)
    hot.initialize(
      to: HotState(isolation: confinement.isolationWord, generation: 2, isInWrite: false))
  }

  deinit {
    transaction?.rollback()
    hot.deallocate()
  }

  // MARK: Classes

  /// Takes over the model classes; their tables exist.
  func register(_ schemas: [ModelSchema]) throws(StorageError) {
    let group = try readableGroup()
    for schema in schemas {
      guard let table = try group.table(named: schema.tableName) else {
        throw .corrupted("the table of class '\(schema.className)' has vanished")
      }
      let info = ClassInfo(schema: schema, table: table.schema, core: self)
      classes[ObjectIdentifier(schema.modelClass)] = info
      classesByTable[table.key] = info
    }
  }

  /// The class in this realm; ends the process if its schema does not have it.
  func info(_ modelClass: ObjectBase.Type) -> ClassInfo {
    if let info = classes[ObjectIdentifier(modelClass)] { return info }
    let name = modelClass.className()
    throwRealmException(
      "Object type '\(name)' is not managed by the Realm. If using a custom `objectClasses` / "
        + "`objectTypes` array in your configuration, add `\(name)` to the list of `objectClasses` "
        + "/ `objectTypes`.")
  }

  /// Whether the realm's schema has the class.
  func has(_ modelClass: ObjectBase.Type) -> Bool {
    classes[ObjectIdentifier(modelClass)] != nil
  }

  /// The class whose objects a table holds, if the program has one.
  func info(ofTable key: TableKey) -> ClassInfo? { classesByTable[key] }

  /// All classes of the realm.
  var allClasses: some Collection<ClassInfo> { classes.values }

  // MARK: Checks

  /// Ends the process unless the caller runs in the realm's confinement.
  @inline(__always)
  func checkIsolation() {
    if hot.pointee.isolation != realm_thread_pointer() { checkIsolationSlowly() }
  }

  @inline(never)
  private func checkIsolationSlowly() {
    if !confinement.isCurrent { throwRealmException(confinement.violationText) }
  }

  /// Whether a write transaction is open.
  var isInWrite: Bool { hot.pointee.isInWrite }

  /// Ends the process with `text` unless a write transaction is open.
  @inline(__always)
  func requireWrite(orElse text: @autoclosure () -> String) {
    if !hot.pointee.isInWrite { throwRealmException(text()) }
  }

  /// The check of everything that adds, creates or deletes objects.
  func requireWriteForObjects() {
    checkIsolation()
    requireWrite(
      orElse: "Can only add, remove, or create objects in a Realm in a write transaction - call "
        + "beginWriteTransaction on an RLMRealm instance first.")
  }

  // MARK: Reading

  /// The tables of the version that the realm shows; after `invalidate()` the newest.
  func readableGroup() throws(StorageError) -> TableGroup {
    if let group { return group }
    let newest = try TableGroup(file.snapshot())
    group = newest
    bumpGeneration()
    return newest
  }

  /// The version that the realm shows.
  func snapshot() throws(StorageError) -> Snapshot { try readableGroup().snapshot }

  // MARK: Writing

  /// The table in the open transaction; nil if none is open.
  func writableTable(_ key: TableKey) -> WritableTable? {
    guard let transaction else { return nil }
    if let table = writableTables[key] { return table }
    do throws(StorageError) {
      let table = try transaction.table(key)
      writableTables[key] = table
      return table
    } catch { stop(error) }
  }

  /// The table in the open transaction.
  func requireWritableTable(_ key: TableKey) throws(StorageError) -> WritableTable {
    guard let table = writableTable(key) else {
      throw .corrupted("a table has vanished from the transaction")
    }
    return table
  }

  /// To be called after every change of the open transaction.
  @inline(__always)
  func didMutate() {
    dataGeneration &+= 1
    guard let transaction, transaction.structureGeneration != structureGeneration else { return }
    structureGeneration = transaction.structureGeneration
    hot.pointee.generation &+= 1
  }

  private func bumpGeneration() {
    hot.pointee.generation &+= 1
    dataGeneration &+= 1
  }

  /// Waits for the writer lock and begins a transaction on the newest version.
  func beginWrite() throws(StorageError) {
    try begin(file.beginWrite())
  }

  /// Begins with a transaction whose lock was obtained elsewhere.
  func begin(_ engineTransaction: WriteTransaction) throws(StorageError) {
    let shown = group?.snapshot.version
    let base = engineTransaction.base
    do throws(StorageError) {
      if shown != base.version { group = try TableGroup(base) }
      transaction = try WriteGroup(engineTransaction)
    } catch {
      engineTransaction.rollback()
      throw error
    }
    structureGeneration = transaction?.structureGeneration ?? 0
    hot.pointee.isInWrite = true
    bumpGeneration()
    if shown != base.version { observer?.realmDidAdvance(self) }
  }

  /// Makes the open transaction durable and shows its result.
  func commitWrite() throws(StorageError) {
    guard let transaction else { return }
    let snapshot: Snapshot
    do throws(StorageError) {
      snapshot = try transaction.commit()
    } catch {
      endTransaction()
      throw error
    }
    endTransaction()
    group = try TableGroup(snapshot)
    observer?.realmDidCommit(self)
  }

  /// Forgets the open transaction.
  func cancelWrite() {
    transaction?.rollback()
    endTransaction()
  }

  /// Takes the open transaction away, for who commits it elsewhere.
  func endTransaction() {
    transaction = nil
    writableTables.removeAll(keepingCapacity: true)
    hot.pointee.isInWrite = false
    bumpGeneration()
  }

  // MARK: Advancing

  /// Shows the newest version; false if it already does.
  func refresh() throws(StorageError) -> Bool {
    if let group, group.snapshot.version == file.newestVersion { return false }
    return try advance(to: file.snapshot())
  }

  /// Shows `snapshot`; false if it already does, or shows a newer one.
  @discardableResult
  func advance(to snapshot: Snapshot) throws(StorageError) -> Bool {
    if let group, group.snapshot.version >= snapshot.version { return false }
    group = try TableGroup(snapshot)
    bumpGeneration()
    observer?.realmDidAdvance(self)
    return true
  }

  /// Lets go of the version; objects and collections read so far become invalid.
  func invalidate() {
    if isInWrite { cancelWrite() }
    guard group != nil else { return }
    group = nil
    bumpGeneration()
    firstValidGeneration = hot.pointee.generation
    bumpGeneration()
  }
}
