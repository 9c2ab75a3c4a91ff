// SPDX-License-Identifier: Apache-2.0

// Opens a realm: the file, then the schema, then the classes.

import Foundation
import RealmSession
import RealmStorage
import RealmTables

/// Opens one configuration.
struct RealmOpener {
  let configuration: Realm.Configuration
  private let path: String
  /// The file, if it is open already, whatever its path.
  private let openFile: DatabaseFile?

  init(_ configuration: Realm.Configuration, file: DatabaseFile? = nil) {
    self.configuration = configuration
    path = configuration.location.path
    openFile = file
  }

  /// The schemas of the classes of a configuration, each once, in the order of their names.
  static func schemas(of configuration: Realm.Configuration) -> [ModelSchema] {
    let classes = configuration.objectTypes ?? ModelClasses.defaultSchema()
    var known: Set<ObjectIdentifier> = []
    return classes.filter { known.insert(ObjectIdentifier($0)).inserted }
      .map { ModelSchema.of($0) }.sorted { $0.className < $1.className }
  }

  /// Opens the file, aligns its tables with the classes, and makes a realm of it.
  ///
  /// May be called on any thread; the realm belongs to `confinement`.
  func open(_ confinement: Confinement) throws(Realm.Error) -> RealmCore {
    try opened { schemas, shared throws in
      let group = try alignedGroup(schemas, shared)
      let core = RealmCore(
        configuration: configuration, confinement: confinement, shared: shared, reading: group)
      try core.register(schemas)
      Logger.log(
        .detail, "Opened '\(path)' at version \(group.version), for \(confinement)")
      Logger.log(
        .trace,
        "'\(path)' has \(schemas.count) classes of the program, at schema version "
          + "\(configuration.schemaVersion)")
      return core
    }
  }

  /// Opens the newest version of the file for reading on any thread; its tables are aligned with
  /// the classes first.
  func openFrozen() throws(Realm.Error) -> RealmCore {
    try opened { schemas, shared throws in
      let newest = shared.file.newestVersion
      if let core = RealmCache.frozenCore(configuration, newest, serving: schemas) { return core }
      let group = try alignedGroup(schemas, shared)
      let layouts = try schemas.filter { try group.key(ofTable: $0.tableName) != nil }
        .map { try group.layout(of: $0) }
      return try RealmCache.frozenCore(configuration, layouts, shared, group)
    }
  }

  /// Opens the file and returns the realm that `body` makes of it.
  private func opened(
    _ body: ([ModelSchema], SharedFile) throws -> RealmCore
  ) throws(Realm.Error) -> RealmCore {
    try RealmCache.requireOwnProcess(configuration)
    if configuration.readOnly, configuration.deleteRealmIfMigrationNeeded {
      throwRealmException("Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set.")
    }
    checkMigrationOptions()
    configuration.synchronisation?.checkOptions(of: configuration)
    let schemas = RealmOpener.schemas(of: configuration)
    try SchemaValidator(
      schemas, isListed: configuration.objectTypes != nil,
      takesAsymmetric: configuration.synchronisation?.isFlexible ?? false
    ).validate()
    PlainFields.report(schemas, openedAt: path)
    if configuration.location == .nowhere {
      throwRealmException("A Realm Configuration must specify a path or an in-memory identifier.")
    }
    if case .memory = configuration.location, configuration.encryptionKey != nil {
      throwRealmException("Encryption is not supported for in-memory realms")
    }
    if MigrationRun.isRunningHere(path) {
      // Opening would wait for itself.
      throwRealmException(
        "The Realm at path '\(path)' cannot be opened in its own migration. Use the migration's "
          + "objects.")
    }
    try RealmCache.requireSameOptions(configuration)
    try makeDirectory()
    do {
      let file = try file()
      file.keepHistory(ofCommits: configuration.historyLimit)
      if configuration.verifiesChecksums { file.verifyChecksums() }
      let shared = shared(file)
      try configuration.synchronisation?.begin(shared, configuration)
      return try body(schemas, shared)
    } catch let error as StorageError {
      throw Realm.Error(error, path: path)
    } catch let error as Realm.Error {
      throw error
    } catch {
      throw Realm.Error(.fail, message: "\(error)", path: path)
    }
  }

  /// The shared state of the file, whose local writes are recorded if it is synchronised.
  func shared(_ file: DatabaseFile) -> SharedFile {
    SharedFile.of(file) {
      file.options.isReadOnly ? nil : configuration.synchronisation?.makeRecorder()
    }
  }

  func file() throws -> DatabaseFile {
    if let openFile { return openFile }
    var options = OpenOptions(history: configuration.fileHistory)
    options.isReadOnly = configuration.readOnly
    options.mustExist = configuration.readOnly
    options.encryptionKey = configuration.storageKey
    if case .memory = configuration.location {
      options.isInMemory = true
    } else {
      try prepareFile()
    }
    return try openFile(at: path, options)
  }

  /// Copies the former file or the seed of a new file, and returns the wasted space of an old one
  /// to the disk.
  private func prepareFile() throws {
    try configuration.synchronisation?.prepareFile(of: configuration)
    if let seed = configuration.seedFilePath { try plantSeed(seed, at: path) }
    if let isWanted = configuration.shouldCompactOnLaunch { try compact(path, if: isWanted) }
  }

  /// Whether the file is the one of a configuration that names none.
  private var isInDefaultPlace: Bool {
    // The name is compared first: where the default directory is takes 0.2 ms to find out.
    path.hasSuffix("/" + Realm.Configuration.defaultFileName)
      && configuration.location == Realm.Configuration().location
  }

  /// Creates the directory of a new file with it, as for the default location.
  func makeDirectory() throws(Realm.Error) {
    guard case .file = configuration.location, !configuration.readOnly,
      configuration.synchronisation?.path != nil || isInDefaultPlace
    else { return }
    try configuration.makeDirectory()
  }

  /// A version of the file whose tables are those of the classes: the present one, or a new one.
  private func alignedGroup(_ schemas: [ModelSchema], _ shared: SharedFile) throws -> TableGroup {
    let group = try shared.newestTables()
    let comparison = try SchemaComparison(
      schemas, group.tableSchemas(), group.schemaVersion(),
      isAdditive: configuration.isSynchronised)
    guard try needsWrite(comparison) else { return group }
    let transaction = try shared.file.beginWrite(for: nil)
    do {
      let base = try shared.tables(of: transaction.base)
      let writing = try shared.tables(in: transaction)
      // Another process, or thread, may have aligned them meanwhile.
      let comparison = try SchemaComparison(
        schemas, writing.tableSchemas(), writing.schemaVersion(),
        isAdditive: configuration.isSynchronised)
      guard try needsWrite(comparison) else {
        writing.rollback()
        return base
      }
      try align(writing, from: base, comparison, schemas, shared)
      try writing.setSchemaVersion(comparison.version(after: configuration.schemaVersion))
      return try shared.tables(of: writing.commit())
    } catch {
      transaction.rollback()
      throw error
    }
  }

  /// What migrates the objects; nil if only the tables are to change.
  private var migration: ((Migration, UInt64) throws -> Void)? {
    guard let migrator = configuration.migrator else { return configuration.migrationBlock }
    return { [path] migration, version in
      try migrator.migrate(migration, from: version, path: path)
    }
  }

  /// Traps if the options of migrations contradict each other.
  private func checkMigrationOptions() {
    guard let migrator = configuration.migrator else { return }
    if configuration.migrationBlock != nil {
      throwRealmException("Cannot set `migrationBlock` when `migrator` is set.")
    }
    if configuration.schemaVersion != migrator.schemaVersion {
      throwRealmException(
        "The schema version is \(configuration.schemaVersion), and the migrator leads to "
          + "\(migrator.schemaVersion). Set 'schemaVersion' by setting 'migrator' alone.")
    }
  }

  /// Whether the file must be changed before it can be used.
  ///
  /// - Throws: `Realm.Error` if it must, but the configuration forbids it.
  private func needsWrite(_ comparison: SchemaComparison) throws(Realm.Error) -> Bool {
    let version = configuration.schemaVersion
    if configuration.deleteRealmIfMigrationNeeded, comparison.needsMigration(to: version) {
      return true
    }
    try comparison.check(for: configuration)
    return comparison.needsWrite(to: version) && !configuration.readOnly
  }

  /// Changes the tables to those of the classes.
  private func align(
    _ writing: WriteGroup, from base: TableGroup, _ comparison: SchemaComparison,
    _ schemas: [ModelSchema], _ shared: SharedFile
  ) throws {
    let version = configuration.schemaVersion
    let writer = SchemaWriter(writing)
    if comparison.isAdditive { return try writer.prepare(comparison.additions(for: version)) }
    guard comparison.needsMigration(to: version) else {
      try writer.prepare(comparison)
      return try writer.finish(SchemaComparison(schemas, writing.tableSchemas(), nil))
    }
    guard configuration.deleteRealmIfMigrationNeeded else {
      Logger.log(
        .info,
        "Migrating '\(path)' from schema version \(comparison.storedVersion ?? 0) to \(version)")
      let run = try MigrationRun(schemas, configuration, shared, writing, base)
      return try run.migrate(comparison, migration)
    }
    Logger.log(.info, "Emptying '\(path)', as it has another schema")
    try writer.clear(keeping: schemas)
    try writer.prepare(SchemaComparison(schemas, writing.tableSchemas(), nil))
    try writer.finish(SchemaComparison(schemas, writing.tableSchemas(), nil))
  }
}

extension TableGroup {
  /// The schemas of all tables by their names.
  fileprivate func tableSchemas() throws(StorageError) -> [String: TableSchema] {
    var schemas: [String: TableSchema] = [:]
    for key in try tableKeys() {
      if let schema = try table(key)?.schema { schemas[schema.name] = schema }
    }
    return schemas
  }
}
