// SPDX-License-Identifier: Apache-2.0

// The one instance that all `Realm` values of a file in a confinement share: a session, and the
// program's classes.
//
// Invariants:
// 1. There is at most one live core for each file and confinement; `RealmCache` ensures it.
// 2. Everything here is used in the confinement only, except where a member documents otherwise.
// 3. A frozen core is used on many threads at once. Nothing in it, in its classes and objects
//    changes after it was published in the `RealmCache`; what is computed later is kept in atomics
//    (`FrozenContents`).

public import RealmSession
import RealmStorage
import RealmTables

/// A realm: a session of a file with the program's classes.
@usableFromInline
final class RealmCore: Session {
  let configuration: Realm.Configuration
  /// The classes and their tables.
  let classes = RealmClasses()
  /// The objects that are being added or copied.
  var creation = ObjectCreation()
  /// Whether properties are set only if their value differs: while `.modified` updates an object.
  var skipsEqualValues = false
  /// The classes that can be written to, in files whose subscriptions decide; nil for others.
  let subscribedClasses: SubscribedClasses?
  /// Whether it is looked at once whether there is an object where a link leads: in versions, which
  /// find it then anyway, and where damage is reported to the program.
  let checksLinks: Bool
  /// The record of tables in which a migration that the realm is part of sets primary keys; nil for
  /// other realms.
  private(set) var migratedKeys: MigratedKeys?

  init(
    configuration: Realm.Configuration, confinement: Confinement, shared: SharedFile,
    reading tables: TableGroup
  ) {
    self.configuration = configuration
    checksLinks = confinement.isFrozen || configuration.onDamage != nil
    subscribedClasses = SubscribedClasses(configuration)
    var options = SessionOptions(shared, confinement, reading: tables)
    options.isReadOnly = configuration.readOnly
    options.versionLimit = configuration.maximumNumberOfActiveVersions.map { UInt64($0) }
    options.durability = configuration.durability.stored
    if let onDamage = configuration.onDamage {
      let path = shared.file.path
      options.damageHandler = { onDamage(Realm.Error($0, path: path)) }
    }
    super.init(options)
    classes.belong(to: self)
  }

  deinit {
    reference.clear()
    RealmCache.remove(self)
    if isInWrite {
      Logger.log(
        .warn,
        "A Realm of '\(file.path)' was let go of in a write transaction, which is undone. Keep the "
          + "Realm until the transaction ends.")
    }
    if !isFrozen { Logger.log(.detail, "Closed '\(file.path)', for \(confinement)") }
  }

  /// Adds and creates objects in the open transaction.
  var objects: ObjectWriter {
    @inline(__always) get { ObjectWriter(core: self) }
  }

  // MARK: - Classes

  /// Registers the model classes, whose tables exist.
  func register(_ schemas: [ModelSchema]) throws(StorageError) {
    let tables = try readableTables()
    var layouts: [ClassLayout] = []
    for schema in try present(schemas, in: tables) { layouts.append(try tables.layout(of: schema)) }
    try classes.register(layouts)
  }

  /// The classes that have tables: all, except in files that cannot be given any.
  private func present(
    _ schemas: [ModelSchema], in tables: TableGroup
  ) throws(StorageError) -> [ModelSchema] {
    guard isReadOnly else { return schemas }
    var present: [ModelSchema] = []
    for schema in schemas where try tables.key(ofTable: schema.tableName) != nil {
      present.append(schema)
    }
    return present
  }

  /// Whether the class has no table in a file that cannot be given one: it has no objects.
  func lacksTable(of modelClass: ObjectBase.Type) -> Bool {
    guard isReadOnly, !classes.contains(modelClass) else { return false }
    return RealmOpener.schemas(of: configuration).contains { $0.modelClass == modelClass }
  }

  // MARK: - Additions to the session

  override var deleteRules: DeleteRules? { classes.deleteRules }

  override func transactionDidEnd() {
    classes.forgetWritableTables()
    subscribedClasses?.forget()
  }

  override func log(_ event: SessionEvent) {
    switch event {
    case .beganWriting(let version):
      Logger.log(.trace, "Began to write on version \(version) of '\(file.path)'")
    case .wrote(let version):
      Logger.log(.trace, "Wrote version \(version) of '\(file.path)'")
    case .reads(let version):
      Logger.log(.trace, "Reads version \(version) of '\(file.path)'")
    case .invalidatedInWrite:
      Logger.log(
        .warn,
        "A Realm of '\(file.path)' was invalidated in a write transaction, which is undone.")
    }
  }

  /// The check of everything that adds, creates or deletes objects.
  func requireWriteForObjects() {
    checkIsolation()
    if isFrozen { throwRealmException("Can't perform transactions on a frozen Realm") }
    requireWrite(
      orElse: "Can only add, remove, or create objects in a Realm in a write transaction - call "
        + "beginWrite() on the Realm first. Do it in 'realm.write { … }', with the Realm at path "
        + "'\(file.path)'.")
  }

  /// Shows a version that the caller keeps, though it may be older than the one that the realm
  /// shows, if nothing was read in it yet.
  func startReading(at older: TableGroup) throws(StorageError) {
    try startReading(at: older, if: classes.fit(older))
  }

  // MARK: - Migrating

  /// Shows the state that a migration writes, until `leave()`.
  func join(
    _ writing: WriteGroup, _ schemas: [ModelSchema], _ keys: MigratedKeys
  ) throws(StorageError) {
    assert(!isFrozen, "`RealmCore` 3: a frozen core shows one version")
    migratedKeys = keys
    var layouts: [ClassLayout] = []
    for schema in schemas {
      guard let table = try writing.table(named: schema.tableName) else {
        throw .corrupted("the table of class '\(schema.className)' has vanished")
      }
      layouts.append(ClassLayout(schema, table.schema))
    }
    try classes.register(layouts)
    open(writing)
  }

  /// Ends the use of the realm in a migration, and invalidates all its objects.
  func leave() {
    transaction?.deleteRules = nil
    endTransaction()
    show(nil, by: .reading)
    dropRows()
  }
}

extension SessionReference {
  /// The realm whose session this is, unless it is being destroyed. Only for references of realms.
  var core: RealmCore? { session.map { unsafe unsafeDowncast($0, to: RealmCore.self) } }
}
