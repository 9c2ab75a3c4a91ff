// SPDX-License-Identifier: Apache-2.0

// The one instance behind all `Realm` values of a file in a confinement.
//
// Invariants:
// 1. There is at most one living core for each file and confinement; `RealmCache` sees to it.
// 2. Everything here is used from the confinement only, except where a member says otherwise.
// 3. Between transactions `group` shows a committed version, pinned until the realm advances; in
//    one, `transaction` shows its own changes and `group` the version it started from.
// 4. `hot.generation` changes before anybody can see rows of another state (see `HotState`).
// 5. A frozen core shows one version for ever and is used on many threads at once. Nothing in it,
//    in its classes and objects changes after it was published in the `RealmCache`, but for
//    `wasInvalidated`; what is computed later is kept in atomics (`FrozenContents`).

import CRealmPlatform
import RealmStorage
import RealmTables
import Synchronization

/// A realm: a file, where it may be used, and the version it shows.
@usableFromInline
final class RealmCore: ObjectOwner {
  let configuration: Realm.Configuration
  let confinement: Confinement
  /// Whether the realm shows one version for ever, wherever it is used.
  let isFrozen: Bool
  /// Whether somebody invalidated the realm, if it is frozen.
  private let wasInvalidated = Atomic<Bool>(false)
  /// The file, and what all its realms in this process share.
  let shared: SharedFile
  let hot: UnsafeMutablePointer<HotState>
  /// Takes the live realm away from forked children: their isolation matches no thread.
  private let forkItem: OpaquePointer?
  /// For those who must find the core without keeping it.
  let reference = CoreReference()
  /// Moves the realm to new versions and tells observers; nil for realms that never change.
  private(set) var delivery: RealmDelivery?

  /// Objects whose rows were last seen in an older generation were invalidated. It is below the
  /// present generation, so it also marks objects whose rows were not looked for yet.
  private(set) var firstValidGeneration: UInt64 = 1
  /// Counts the changes of the open transaction and the changes of version: what was computed from
  /// the data at another count is out of date.
  private(set) var dataGeneration: UInt64 = 1
  /// What happened between the last two versions that somebody asked about.
  var lastChanges: ChangesSince?
  /// What links to objects that the realm does not have yet do; set while objects are added.
  var policy = Realm.UpdatePolicy.error

  /// Whether properties are set only if their value differs: while `.modified` updates an object.
  var skipsEqualValues = false

  /// Where the migration that the realm is part of sets primary keys; nil for other realms.
  private(set) var migratedKeys: MigratedKeys?

  /// The objects that are just being copied, and their copies.
  var copies: [CopiedObject: ObjectBase] = [:]

  /// Whether what is created from another object has copies of what that links to.
  var copiesLinks = false

  /// Writes that do not wait for the disk, or for their turn.
  private(set) lazy var asyncWrites = AsyncWrites()

  private var group: TableGroup?
  /// Whether anything was read of the version that the realm shows.
  private var hasBegunReading = false
  /// The realm itself while a transaction is open that its thread may end at any time.
  private var keptWhileWriting: RealmCore?
  private(set) var transaction: WriteGroup?
  /// Counts the write transactions, so that moments of them can be told apart.
  private(set) var transactionNumber: UInt64 = 0
  private var structureGeneration = 0
  private var classes: [ObjectIdentifier: ClassInfo] = [:]
  /// The class that was last asked for: loops ask for the same again and again.
  private var lastClass: ObjectBase.Type?
  private var lastInfo: ClassInfo?
  private var classesByTable: [TableKey: ClassInfo] = [:]
  private let dynamicClassesStorage = AtomicLazyReference<DynamicClasses>()
  private let storedClassesStorage = AtomicLazyReference<StoredClasses>()
  /// What goes with objects that are deleted.
  private lazy var deleteRules = findDeleteRules()

  init(
    configuration: Realm.Configuration, confinement: Confinement, shared: SharedFile,
    group: TableGroup
  ) {
    self.configuration = configuration
    self.confinement = confinement
    isFrozen = confinement.isFrozen
    self.shared = shared
    self.group = group
    hot = UnsafeMutablePointer<HotState>.allocate(capacity: 1)
    hot.initialize(
      to: HotState(
        isolation: confinement.isolationWord, generation: 2, isInWrite: false,
        trackingPlace: TrackingPlace.place))
    forkItem = confinement.isFrozen ? nil : realm_fork_add(REALM_FORK_CLEAR, hot, 0)
    super.init()
    reference.set(self)
  }

  deinit {
    reference.clear()
    realm_fork_remove(forkItem)
    RealmCache.remove(self)
    forgetLinkedClasses()
    if let transaction {
      Logger.log(
        .warn,
        "A Realm of '\(file.path)' was let go of in a write transaction, which is undone. Keep the "
          + "Realm until the transaction ends.")
      transaction.rollback()
    }
    if !isFrozen { Logger.log(.detail, "Closed '\(file.path)', for \(confinement)") }
    hot.deallocate()
  }

  var file: DatabaseFile { shared.file }

  /// Lets the realm follow the file. To be called where the realm lives.
  ///
  /// - Throws: `StorageError.threadUnavailable`.
  func startDelivery() throws(StorageError) {
    // The core may have been made on another thread.
    hot.pointee.isolation = confinement.isolationWord
    guard !configuration.readOnly, delivery == nil else { return }
    delivery = try RealmDelivery(self, shared)
    delivery?.hub.show(group)
  }

  // MARK: Classes

  /// Takes over the model classes; their tables exist.
  func register(_ schemas: [ModelSchema]) throws(StorageError) {
    let group = try readableGroup()
    for schema in try present(schemas, in: group) {
      add(ClassInfo(try group.layout(of: schema), core: self))
    }
    try prepareForSharing()
  }

  /// The classes that have tables: all, but in files that cannot be given any.
  func present(
    _ schemas: [ModelSchema], in group: TableGroup
  ) throws(StorageError) -> [ModelSchema] {
    guard configuration.readOnly else { return schemas }
    var present: [ModelSchema] = []
    for schema in schemas where try group.key(ofTable: schema.tableName) != nil {
      present.append(schema)
    }
    return present
  }

  /// Whether the class has no table in a file that cannot be given one: it has no objects.
  func lacksTable(of modelClass: ObjectBase.Type) -> Bool {
    guard configuration.readOnly, !has(modelClass) else { return false }
    return RealmOpener.schemas(of: configuration).contains { $0.modelClass == modelClass }
  }

  /// Takes over the classes of another realm of the file, which shows the same version.
  func register(_ layouts: [ClassLayout]) throws(StorageError) {
    for layout in layouts { add(ClassInfo(layout, core: self)) }
    try prepareForSharing()
  }

  /// Takes over classes that only dynamic objects show.
  func register(_ dynamic: DynamicClasses) {
    for info in dynamicClassesStorage.storeIfNil(dynamic).all {
      classesByTable[info.tableKey] = info
    }
  }

  private func add(_ info: ClassInfo) {
    classes[ObjectIdentifier(info.schema.modelClass)] = info
    classesByTable[info.tableKey] = info
  }

  private func prepareForSharing() throws(StorageError) {
    guard isFrozen else { return }
    for info in classes.values { try info.prepareForSharing() }
  }

  /// The class in this realm; ends the process if its schema does not have it.
  func info(_ modelClass: ObjectBase.Type) -> ClassInfo {
    if modelClass == lastClass, let lastInfo { return lastInfo }
    if let info = classes[ObjectIdentifier(modelClass)] {
      if !isFrozen {
        lastClass = modelClass
        lastInfo = info
      }
      return info
    }
    refuseClass(modelClass.className())
  }

  /// Ends the process because the realm's schema has no class of that name.
  func refuseClass(_ name: String) -> Never {
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

  /// The classes as dynamic objects show them; made when first needed, on whatever thread if the
  /// realm is frozen.
  var dynamicClasses: DynamicClasses {
    if let known = dynamicClassesStorage.load() { return known }
    return dynamicClassesStorage.storeIfNil(DynamicClasses(of: self))
  }

  /// The classes that the file has, known to the program or not; empty until they are needed.
  var storedClasses: StoredClasses {
    if let known = storedClassesStorage.load() { return known }
    return storedClassesStorage.storeIfNil(StoredClasses())
  }

  /// Ends the cycles of classes that link to each other, or to themselves.
  private func forgetLinkedClasses() {
    for info in classes.values { info.forgetLinkedClasses() }
  }

  /// All classes of the realm.
  var allClasses: some Collection<ClassInfo> { classes.values }

  // MARK: Checks

  /// Ends the process unless the caller runs in the realm's confinement.
  @inline(__always)
  func checkIsolation() {
    if hot.pointee.isolation != realm_thread_pointer() { checkIsolationSlowly() }
  }

  /// Whether the caller runs in the realm's confinement.
  var isHere: Bool {
    hot.pointee.isolation == realm_thread_pointer() || confinement.isCurrent
  }

  @inline(never)
  private func checkIsolationSlowly() {
    if realm_is_forked() { throwRealmException("\(StorageError.forkedProcess(path: file.path))") }
    if hot.pointee.isolation == HotState.anyThread {
      if !isFrozenAndInvalid { return }
      throwRealmException("Cannot read from a frozen Realm which has been invalidated.")
    }
    if !confinement.isCurrent {
      throwRealmException(
        confinement.violationText + " Open the Realm at path '\(file.path)' there as well, or hand "
          + "over a frozen object or a ThreadSafeReference.")
    }
  }

  /// Whether the realm is frozen and was invalidated. May be asked anywhere.
  var isFrozenAndInvalid: Bool { isFrozen && wasInvalidated.load(ordering: .relaxed) }

  /// Whether the calling thread is inside `withObservationTracking`.
  @inline(__always)
  var isTracking: Bool { realm_is_tracking(hot.pointee.trackingPlace) }

  /// Whether a write transaction is open.
  var isInWrite: Bool { hot.pointee.isInWrite }

  /// Ends the process if the realm is frozen, or was opened for reading only.
  func requireWritable() {
    if isFrozen { throwRealmException("Can't perform transactions on a frozen Realm") }
    if configuration.readOnly {
      throwRealmException("Can't perform transactions on read-only Realms.")
    }
  }

  /// Ends the process with `text` unless a write transaction is open.
  @inline(__always)
  func requireWrite(orElse text: @autoclosure () -> String) {
    if !hot.pointee.isInWrite { throwRealmException(text()) }
  }

  /// The check of everything that adds, creates or deletes objects.
  func requireWriteForObjects() {
    checkIsolation()
    if isFrozen { throwRealmException("Can't perform transactions on a frozen Realm") }
    requireWrite(
      orElse: "Can only add, remove, or create objects in a Realm in a write transaction - call "
        + "beginWriteTransaction on an RLMRealm instance first. Do it in 'realm.write { … }', with "
        + "the Realm at path '\(file.path)'.")
  }

  // MARK: Reading

  /// The tables of the version that the realm shows; after `invalidate()` the newest.
  func readableGroup() throws(StorageError) -> TableGroup {
    hasBegunReading = true
    if let group { return group }
    let newest = try shared.newestTables()
    show(newest)
    return newest
  }

  /// The tables of the version that the realm shows; nil after `invalidate()`.
  var shownGroup: TableGroup? { group }

  /// The version that the realm shows.
  func snapshot() throws(StorageError) -> Snapshot { try readableGroup().snapshot }

  // MARK: Writing

  /// To be called after every change of the open transaction.
  @inline(__always)
  func didMutate() {
    dataGeneration &+= 1
    guard let transaction, transaction.structureGeneration != structureGeneration else { return }
    didChangeStructure(transaction)
  }

  @inline(never)
  private func didChangeStructure(_ transaction: WriteGroup) {
    do throws(StorageError) { try transaction.deleteDropped() } catch { stop(error) }
    structureGeneration = transaction.structureGeneration
    hot.pointee.generation &+= 1
  }

  private func bumpGeneration() {
    hot.pointee.generation &+= 1
    dataGeneration &+= 1
  }

  /// Waits for the writer lock and begins a transaction on the newest version.
  /// Observers are told of everything so far before.
  func beginWrite() throws(StorageError) {
    try delivery?.catchUp()
    if let held = takeHeld() { return try begin(on: held) }
    try begin(shared.writers.begin(for: confinement))
  }

  /// Begins with a transaction whose lock was obtained elsewhere.
  func begin(_ engineTransaction: WriteTransaction) throws(StorageError) {
    let shown = group?.snapshot.version
    let base = engineTransaction.base
    do throws(StorageError) {
      try requireFewVersions()
      if shown != base.version { show(try shared.tables(of: base)) }
      let writing = try shared.tables(in: engineTransaction)
      writing.deleteRules = deleteRules
      transaction = writing
      transactionNumber &+= 1
    } catch {
      engineTransaction.rollback()
      throw error
    }
    structureGeneration = transaction?.structureGeneration ?? 0
    hot.pointee.isInWrite = true
    hasBegunReading = true
    keepWhileWriting()
    bumpGeneration()
    if shown != base.version { delivery?.movedForWrite() }
    Logger.log(.trace, "Began to write on version \(base.version) of '\(file.path)'")
  }

  /// - Throws: `StorageError.limitExceeded` if more versions are in use than the configuration
  ///   allows.
  private func requireFewVersions() throws(StorageError) {
    guard let limit = configuration.maximumNumberOfActiveVersions else { return }
    let count = file.newestVersion - file.oldestPinnedVersion + 1
    guard count > limit else { return }
    throw .limitExceeded(
      "Number of active versions (\(count)) in the Realm exceeded the limit of \(limit)")
  }

  /// Makes the open transaction durable and shows its result.
  ///
  /// - Parameter skipped: Observations that are not to be told of it.
  func commitWrite(skipping skipped: SkippedObservers = .nobody) throws(StorageError) {
    guard let transaction else { return }
    defer { runAsyncWritesOfThread() }
    guard let delivery else { return try commit(transaction, skipping: skipped) }
    try delivery.whileCommitting { () throws(StorageError) in
      try commit(transaction, skipping: skipped)
    }
  }

  private func commit(
    _ transaction: WriteGroup, skipping skipped: SkippedObservers
  ) throws(StorageError) {
    if asyncWrites.continued != nil { return try commitGroup(skipping: skipped) }
    let committed: TableGroup
    do throws(StorageError) {
      committed = try shared.tables(of: transaction.commit())
    } catch {
      endTransaction()
      delivery?.rolledBack()
      throw error
    }
    endTransaction()
    didCommit(committed, skipping: skipped)
  }

  /// Ends the open transaction with a version that is not durable yet, and not shown.
  func writeVersion() throws(StorageError) -> (PendingCommit, TableGroup) {
    guard let transaction else { preconditionFailure("no transaction is open") }
    do throws(StorageError) {
      let pending = try transaction.writeVersion()
      let committed = try shared.tables(of: pending.snapshot)
      endTransaction()
      return (pending, committed)
    } catch {
      endTransaction()
      holdContinued()
      delivery?.rolledBack()
      throw error
    }
  }

  /// Shows what a transaction of this realm made.
  func didCommit(_ committed: TableGroup, skipping skipped: SkippedObservers = .nobody) {
    Logger.log(.trace, "Wrote version \(committed.version) of '\(file.path)'")
    let base = group
    show(committed)
    delivery?.committed(from: base, to: committed, skipping: skipped)
  }

  /// Forgets the open transaction.
  func cancelWrite() {
    defer { runAsyncWritesOfThread() }
    transaction?.rollback()
    endTransaction()
    holdContinued()
    delivery?.rolledBack()
  }

  private func endTransaction() {
    transaction = nil
    for info in classes.values { info.forgetWritableTable() }
    dynamicClassesStorage.load()?.forgetWritableTables()
    storedClassesStorage.load()?.forgetWritableTables()
    hot.pointee.isInWrite = false
    bumpGeneration()
    releaseAfterWriting()
  }

  /// A thread that has begun a transaction finds it again by `Realm()`, though it may have kept no
  /// reference. (What queues and actors keep would outlive them.)
  private func keepWhileWriting() {
    switch confinement {
    case .main: keptWhileWriting = self
    case .thread: ThreadKeeper.keep(self)
    case .queue, .actor, .frozen: break
    }
  }

  /// The caller keeps the realm.
  private func releaseAfterWriting() {
    if case .thread = confinement { ThreadKeeper.release(self) }
    keptWhileWriting = nil
  }

  // MARK: Migrating

  /// Shows what a migration writes, until `leave()`.
  func join(
    _ writing: WriteGroup, _ schemas: [ModelSchema], _ keys: MigratedKeys
  ) throws(StorageError) {
    transaction = writing
    structureGeneration = writing.structureGeneration
    migratedKeys = keys
    hot.pointee.isInWrite = true
    bumpGeneration()
    for schema in schemas {
      guard let table = try writing.table(named: schema.tableName) else {
        throw .corrupted("the table of class '\(schema.className)' has vanished")
      }
      add(ClassInfo(ClassLayout(schema, table.schema), core: self))
    }
    writing.deleteRules = deleteRules
  }

  /// Ends a realm that was part of a migration, and with it all its objects.
  func leave() {
    transaction?.deleteRules = nil
    endTransaction()
    show(nil)
    firstValidGeneration = hot.pointee.generation
    bumpGeneration()
  }

  // MARK: Advancing

  /// Shows the newest version, or the newer one that a realm elsewhere has shown and that is not
  /// durable yet, and tells observers of it; false if it already does.
  @discardableResult
  func refresh(atLeastTo known: TableGroup? = nil) throws(StorageError) -> Bool {
    if isFrozen { return false }
    if let delivery { return try delivery.refresh(atLeastTo: known) }
    if let group, group.version == file.newestVersion { return false }
    show(try shared.newestTables())
    return true
  }

  /// Shows another version. Who calls this tells the observers.
  func show(_ newGroup: TableGroup?) {
    if let newGroup {
      Logger.log(.trace, "Reads version \(newGroup.version) of '\(file.path)'")
    }
    group = newGroup
    delivery?.hub.show(newGroup)
    bumpGeneration()
  }

  /// Lets nobody read from the frozen realm any more; who freezes the version again gets another.
  func invalidateFrozen() {
    wasInvalidated.store(true, ordering: .relaxed)
    RealmCache.remove(self)
  }

  /// Lets go of the version; objects and collections read so far become invalid.
  func invalidate() {
    if isInWrite {
      Logger.log(
        .warn,
        "A Realm of '\(file.path)' was invalidated in a write transaction, which is undone.")
      cancelWrite()
    }
    waitForAsyncCommits()
    guard group != nil else { return }
    show(nil)
    hasBegunReading = false
    firstValidGeneration = hot.pointee.generation
    bumpGeneration()
  }

  /// To be called when the realm is ready, before anybody else has seen it.
  func isReady() { hasBegunReading = false }

  /// Shows a version that the caller keeps, though it may be older than what the realm showed, if
  /// nothing was read in it yet.
  func startReading(at tables: TableGroup) throws(StorageError) {
    guard !hasBegunReading, !isFrozen, !isInWrite, delivery?.isDelivering == false else { return }
    if let group, group.version <= tables.version { return }
    for info in classes.values {
      // The classes may have come to the file later.
      guard try tables.table(info.tableKey)?.schema === info.layout.table else { return }
    }
    hasBegunReading = true
    show(tables)
    shared.notifier.signal()
  }
}
