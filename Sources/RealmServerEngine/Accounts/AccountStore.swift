// SPDX-License-Identifier: Apache-2.0

// The file of an app's users.
//
// Invariants:
// 1. What a call has changed is on the disk when it returns; a call that throws changes nothing.

package import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// Stores users, their ways to log in, and their sessions in a realm file.
///
/// An actor whose executor is a thread of its own, as it waits for the disk.
package actor AccountStore {
  private let file: DatabaseFile
  private nonisolated let thread: ThreadExecutor
  private let schemas = SchemaCache()
  private let keyBounds = KeyBoundCache()

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// Opens a file, makes its tables if it is new, and removes expired rows.
  ///
  /// - Parameters:
  ///   - app: The app whose users the file has; nil where a test does not care.
  ///   - mustExist: Whether a file without tables is an error.
  package init(
    _ file: DatabaseFile, app: String? = nil, mustExist: Bool = false, now: OriginTimestamp,
    thread: ThreadExecutor = ThreadExecutor()
  ) throws(StoreError) {
    self.file = file
    self.thread = thread
    try StoreError.storing(Self.prepare(file, app, mustExist, schemas, keyBounds, now))
  }

  /// Opens the file at a path; makes it if it is missing.
  package static func open(
    _ path: String, app: String, isNew: Bool, now: OriginTimestamp
  ) throws(StoreError) -> AccountStore {
    if isNew { try StoreError.storing(make(path, app, now)) }
    let file = try StoreError.storing(
      DatabaseFile.open(
        path: path, options: OpenOptions(mustExist: true), system: SystemFiles(isPrivate: true)))
    return try AccountStore(file, app: app, mustExist: true, now: now)
  }

  private static func make(
    _ path: String, _ app: String, _ now: OriginTimestamp
  ) throws(StorageError) {
    try CompleteFile.make(path) { (file) throws(StorageError) in
      try prepare(file, app, false, SchemaCache(), KeyBoundCache(), now)
    }
  }

  /// Reads the newest version.
  package func read<R: Sendable>(
    _ body: @Sendable (AccountTransaction) throws(AccountError) -> R
  ) throws(AccountError) -> R {
    let group = try AccountError.storing(snapshot())
    return try body(AccountTransaction(group))
  }

  /// Runs a write transaction; rolls it back if `body` throws.
  package func write<R: Sendable>(
    _ body: @Sendable (AccountTransaction) throws(AccountError) -> R
  ) throws(AccountError) -> R {
    let group = try AccountError.storing(begin())
    let result = try group.orRollback { () throws(AccountError) in
      try body(AccountTransaction(group))
    }
    _ = try AccountError.storing(group.commit())
    return result
  }

  /// The newest version.
  func snapshot() throws(StorageError) -> TableGroup {
    try TableGroup(file.snapshot(), schemas: schemas)
  }

  /// Runs a write transaction; rolls it back if `body` throws, or has changed nothing.
  func change(_ body: (WriteGroup) throws(StorageError) -> Bool) throws(StorageError) {
    let group = try begin()
    try group.orRollback { () throws(StorageError) in
      if try body(group) { _ = try group.commit() } else { group.rollback() }
    }
  }

  private func begin() throws(StorageError) -> WriteGroup {
    try WriteGroup(file.beginWrite(), schemas: schemas, keyBounds: keyBounds)
  }

  /// Removes unused rows, in one transaction.
  ///
  /// - Parameter kinds: The events to be stored.
  package func clean(
    _ rules: UpkeepRules, now: OriginTimestamp, recording kinds: Set<AccountEvent.Kind> = []
  ) throws(StoreError) -> AccountCleaning {
    try StoreError.storing(cleaned(rules, now, kinds))
  }

  private func cleaned(
    _ rules: UpkeepRules, _ now: OriginTimestamp, _ kinds: Set<AccountEvent.Kind>
  ) throws(StorageError) -> AccountCleaning {
    var result: AccountCleaning?
    try change { (group) throws(StorageError) in
      let cleaning = try AccountCleaning(group, rules, now: now, recording: kinds)
      result = cleaning
      return cleaning.hasChanges
    }
    return result ?? AccountCleaning()
  }

  // MARK: Opening

  private static func prepare(
    _ file: DatabaseFile, _ app: String?, _ mustExist: Bool, _ schemas: SchemaCache,
    _ keyBounds: KeyBoundCache, _ now: OriginTimestamp
  ) throws(StorageError) {
    let group = try WriteGroup(file.beginWrite(), schemas: schemas, keyBounds: keyBounds)
    try group.commit { (group) throws(StorageError) in
      if !mustExist, try group.table(named: AccountTables.meta.name) == nil {
        try AccountTables.make(in: group)
      }
      try check(group)
      if let app { try check(app, group) }
      for layout in [AccountTables.sessions, AccountTables.tokens] {
        _ = try AccountCleaning.removeExpired(layout, now, in: group)
      }
    }
  }

  /// Checks the tables, and adds the columns that a file of an earlier layout lacks.
  private static func check(_ group: WriteGroup) throws(StorageError) {
    guard let meta = try AccountTables.meta(in: group),
      let layout = try meta.optionalInteger("layout"),
      (1...AccountTables.layout).contains(layout)
    else { throw .corrupted("the accounts have another layout") }
    for table in AccountTables.additions(since: layout) { try table.makeIfMissing(in: group) }
    for layout in AccountTables.all { _ = try layout.table(in: group) }
    guard layout < AccountTables.layout else { return }
    for layout in AccountTables.all { _ = try layout.addLater(in: group) }
    try meta.set(AccountTables.layout, "layout")
  }

  /// Notes the app of the file, or checks that it is that one.
  private static func check(_ app: String, _ group: WriteGroup) throws(StorageError) {
    guard let meta = try AccountTables.meta(in: group) else {
      throw .corrupted("the accounts have another layout")
    }
    guard let known = try meta.optionalText("app") else { return try meta.set(app, "app") }
    guard known == app else { throw .corrupted("the accounts are those of the app \"\(known)\"") }
  }
}
