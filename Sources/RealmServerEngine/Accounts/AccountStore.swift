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
    let group = try AccountError.storing(TableGroup(file.snapshot(), schemas: schemas))
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

  private func begin() throws(StorageError) -> WriteGroup {
    try WriteGroup(file.beginWrite(), schemas: schemas, keyBounds: keyBounds)
  }

  /// Removes unused rows, in one transaction.
  package func clean(
    _ rules: UpkeepRules, now: OriginTimestamp
  ) throws(StoreError) -> AccountCleaning {
    try StoreError.storing(cleaned(rules, now))
  }

  private func cleaned(
    _ rules: UpkeepRules, _ now: OriginTimestamp
  ) throws(StorageError) -> AccountCleaning {
    let group = try begin()
    return try group.orRollback { () throws(StorageError) in
      let result = try AccountCleaning(group, rules, now: now)
      if result.hasChanges { _ = try group.commit() } else { group.rollback() }
      return result
    }
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
    for layout in AccountTables.all { _ = try layout.table(in: group) }
    guard let meta = try AccountTables.meta(in: group),
      let layout = try meta.optionalInteger("layout"),
      (1...AccountTables.layout).contains(layout)
    else { throw .corrupted("the accounts have another layout") }
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

/// The stored users at one version, or in one write transaction.
package struct AccountTransaction {
  private enum Source {
    case version(TableGroup)
    case write(WriteGroup)
  }

  private let source: Source

  init(_ version: TableGroup) { source = .version(version) }
  init(_ group: WriteGroup) { source = .write(group) }

  private func table(_ layout: RecordLayout) throws(StorageError) -> RecordTable {
    switch source {
    case .version(let group): try layout.table(in: group)
    case .write(let group): try layout.table(in: group)
    }
  }

  private func stored<R: AccountRecord>(_ type: R.Type, _ key: String) throws(StorageError) -> R? {
    guard let row = try table(R.layout).find(.string(key)) else { return nil }
    return try R(row)
  }

  func find<R: AccountRecord>(_ type: R.Type, _ key: String) throws(AccountError) -> R? {
    try AccountError.storing(stored(type, key))
  }

  /// Stores a record as it is now.
  func put<R: AccountRecord>(_ record: R) throws(AccountError) {
    try AccountError.storing(
      record.write(to: table(R.layout).findOrCreate(.string(record.key))))
  }

  func remove<R: AccountRecord>(_ type: R.Type, _ key: String) throws(AccountError) {
    try AccountError.storing(table(R.layout).remove(.string(key)))
  }

  /// Removes the mailed tokens of some names. Reads all tokens.
  func removeTokens(of names: [IdentityName]) throws(AccountError) {
    try AccountError.storing(
      table(MailedToken.layout).removeAll("identity", in: Set(names.map(\.text))))
  }

  /// Removes the sessions of a user. Reads all sessions.
  func removeSessions(of account: String) throws(AccountError) {
    try AccountError.storing(table(AccountSession.layout).removeAll("account", in: [account]))
  }
}

extension RecordTable {
  fileprivate func remove(_ primaryKey: TableValue) throws(StorageError) {
    if let row = try find(primaryKey) { try delete(row.key) }
  }

  /// Removes the records with one of some strings in a field.
  ///
  /// - Returns: Their number.
  @discardableResult
  func removeAll(_ field: String, in texts: Set<String>) throws(StorageError) -> Int {
    var keys: [ObjectKey] = []
    var rows = try records()
    while let row = try rows.next() {
      if let text = try row.optionalText(field), texts.contains(text) { keys.append(row.key) }
    }
    try delete(keys)
    return keys.count
  }
}
