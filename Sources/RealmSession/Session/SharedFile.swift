// SPDX-License-Identifier: Apache-2.0

// The shared state of a file's sessions in this process: its worker for notifications, its caches,
// and the version on its way to the disk.

import Dispatch
package import RealmStorage
package import RealmTables

/// The shared state of all sessions of a file. One per file and process.
package final class SharedFile: Sendable {
  /// Prepares a write transaction that has written nothing yet.
  package typealias Preparation = @Sendable (WriteGroup) throws(StorageError) -> Void

  package let file: DatabaseFile
  package let notifier: Notifier
  /// The queue on which asynchronous writes are committed.
  let commitQueue = DispatchQueue(label: "OpenRealm commits")
  /// The tables of the newest version of any session before it is durable.
  private let pending = Locked<TableGroup?>(nil)
  /// The schemas of tables, which most versions have in common.
  let schemas = SchemaCache()
  /// The bounds of the primary keys that the last transaction knew.
  let keyBounds = KeyBoundCache()
  /// Prepares each write transaction; nil in local files, which nothing records.
  private let preparation: Preparation?
  /// What lives as long as the file is open; nil in local files.
  private let companion = Locked<(any Sendable & AnyObject)?>(nil)

  /// The damage that was reported to the program.
  private let foundDamage = Locked<[StorageError]>([])
  /// A loop over a damaged class meets damage at each object.
  private static let reportedDamageCountMax = 100

  private final class WeakFile: Sendable {
    weak let shared: SharedFile?
    let identity: ObjectIdentifier

    init(_ shared: SharedFile) {
      self.shared = shared
      identity = ObjectIdentifier(shared)
    }
  }

  private static let registry = Locked<[ObjectIdentifier: WeakFile]>([:])

  private init(_ file: DatabaseFile, _ preparation: Preparation?) {
    self.file = file
    self.preparation = preparation
    notifier = Notifier(file, schemas)
  }

  deinit {
    let id = ObjectIdentifier(file)
    SharedFile.registry.withLock { registry in
      if registry[id]?.identity == ObjectIdentifier(self) { registry[id] = nil }
    }
  }

  /// The shared state of `file`; made for the first session, freed with the last.
  ///
  /// - Parameter preparation: Returns what prepares write transactions, if there is to be anything;
  ///   asked when the state is made.
  package static func of(
    _ file: DatabaseFile, preparingWrites preparation: () -> Preparation? = { nil }
  ) -> SharedFile {
    registry.withLock { registry in
      // While the value exists, `file` lives, so nothing else has its identity.
      if let known = registry[ObjectIdentifier(file)]?.shared { return known }
      let shared = SharedFile(file, preparation())
      registry[ObjectIdentifier(file)] = WeakFile(shared)
      return shared
    }
  }

  /// Keeps an object as long as the file is open, in place of the one that was kept.
  package func keep(_ object: any Sendable & AnyObject) {
    // The replaced object is released after the lock.
    let old = companion.withLock { companion in
      defer { companion = object }
      return companion
    }
    _ = old
  }

  /// The object that is kept, if it is of a type.
  package func kept<T: AnyObject>(_ type: T.Type) -> T? { companion.withLock { $0 } as? T }

  /// The tables of a write transaction, which is recorded where the file is synchronised.
  package func tables(in transaction: WriteTransaction) throws(StorageError) -> WriteGroup {
    let group = try WriteGroup(transaction, schemas: schemas, keyBounds: keyBounds)
    if let preparation { try preparation(group) }
    return group
  }

  /// The tables of a version.
  package func tables(of snapshot: Snapshot) throws(StorageError) -> TableGroup {
    try TableGroup(snapshot, schemas: schemas)
  }

  /// The tables of the newest version.
  package func newestTables() throws(StorageError) -> TableGroup { try tables(of: file.snapshot()) }

  // MARK: Damage

  /// The first damage that sessions went on after; nil if there was none. Placeholders may have
  /// been given out since.
  var damage: StorageError? { foundDamage.withLock { $0.first } }

  /// Records damage that a session goes on after.
  ///
  /// - Returns: Whether to report it: each damage is reported once, and no more than
  ///   some.
  func noteDamage(_ error: StorageError) -> Bool {
    foundDamage.withLock { found in
      guard found.count < SharedFile.reportedDamageCountMax, !found.contains(error) else {
        return false
      }
      found.append(error)
      return true
    }
  }

  // MARK: Versions that are not durable yet

  /// Records the tables that a session shows before they are durable.
  func beginPending(_ tables: TableGroup) {
    // The replaced tables are released after the lock.
    let old = pending.withLock { pending in
      defer { pending = tables }
      return pending
    }
    _ = old
  }

  /// Records that the versions up to this one do not wait for the disk any more.
  func endPending(through version: UInt64) {
    let old = pending.withLock { pending -> TableGroup? in
      // The next writer may have replaced them already.
      guard let tables = pending, tables.version <= version else { return nil }
      pending = nil
      return tables
    }
    _ = old
  }

  /// The tables of a session's version before it is durable, if `version` is not durable and they
  /// are at least as new.
  func pendingTables(atLeast version: UInt64) -> TableGroup? {
    guard version > file.newestVersion, let tables = pending.withLock({ $0 }),
      tables.version >= version
    else { return nil }
    return tables
  }

  /// The shared states of the open files at `path`.
  package static func openFiles(atPath path: String) -> [SharedFile] {
    registry.withLock { $0.values.compactMap(\.shared) }.filter { $0.file.path == path }
  }
}
