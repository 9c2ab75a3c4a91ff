// SPDX-License-Identifier: Apache-2.0

// What all realms of this process that show one file have in common.

import Dispatch
package import RealmStorage
package import RealmTables

/// A file, its worker for notifications and what its sessions share. One per file and process.
package final class SharedFile: Sendable {
  package let file: DatabaseFile
  package let notifier: Notifier
  /// Where asynchronous writes are committed.
  let commitQueue = DispatchQueue(label: "OpenRealm commits")
  /// What some realm shows and the disk does not have yet.
  private let pending = Guarded<TableGroup?>(nil)
  /// The schemas of tables, which most versions have in common.
  package let schemas = SchemaCache()
  /// What the last transaction knew of primary keys.
  let keyBounds = KeyBoundCache()

  private final class WeakFile: Sendable {
    weak let shared: SharedFile?
    let identity: ObjectIdentifier

    init(_ shared: SharedFile) {
      self.shared = shared
      identity = ObjectIdentifier(shared)
    }
  }

  private static let registry = Guarded<[ObjectIdentifier: WeakFile]>([:])

  private init(_ file: DatabaseFile) {
    self.file = file
    notifier = Notifier(file, schemas)
  }

  deinit {
    let id = ObjectIdentifier(file)
    SharedFile.registry.withLock { registry in
      if registry[id]?.identity == ObjectIdentifier(self) { registry[id] = nil }
    }
  }

  /// What belongs to `file`; made for the first realm, gone with the last.
  package static func of(_ file: DatabaseFile) -> SharedFile {
    registry.withLock { registry in
      // While somebody has it, `file` lives, so nothing else has its identity.
      if let known = registry[ObjectIdentifier(file)]?.shared { return known }
      let shared = SharedFile(file)
      registry[ObjectIdentifier(file)] = WeakFile(shared)
      return shared
    }
  }

  /// The tables of a write transaction.
  package func tables(in transaction: WriteTransaction) throws(StorageError) -> WriteGroup {
    try WriteGroup(transaction, schemas: schemas, keyBounds: keyBounds)
  }

  /// The tables of a version.
  package func tables(of snapshot: Snapshot) throws(StorageError) -> TableGroup {
    try TableGroup(snapshot, schemas: schemas)
  }

  /// The tables of the newest version.
  package func newestTables() throws(StorageError) -> TableGroup { try tables(of: file.snapshot()) }

  // MARK: Versions that are not durable yet

  /// Notes what a realm shows that waits for the disk.
  func beginPending(_ tables: TableGroup) {
    // What it replaces is released after the lock.
    let old = pending.withLock { pending in
      defer { pending = tables }
      return pending
    }
    _ = old
  }

  /// The versions up to this one wait no more.
  func endPending(through version: UInt64) {
    let old = pending.withLock { pending -> TableGroup? in
      // The next writer may have been faster.
      guard let tables = pending, tables.version <= version else { return nil }
      pending = nil
      return tables
    }
    _ = old
  }

  /// The tables of a version that a realm shows and that is not durable yet, if `version` is not
  /// durable and they are as new.
  package func pendingTables(atLeast version: UInt64) -> TableGroup? {
    guard version > file.newestVersion, let tables = pending.withLock({ $0 }),
      tables.version >= version
    else { return nil }
    return tables
  }

  /// What belongs to the open file at `path`.
  package static func openFiles(atPath path: String) -> [SharedFile] {
    registry.withLock { $0.values.compactMap(\.shared) }.filter { $0.file.path == path }
  }
}
