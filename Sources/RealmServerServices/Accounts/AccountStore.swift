// SPDX-License-Identifier: Apache-2.0

// The users of an app.
//
// Invariants:
// 1. What a call has changed is durable when it returns; a call that throws changes nothing, as far
//    as its records promise it (`RecordStore` 1).

#if Server
package import RealmServerEngine
package import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// Stores users, their ways to log in, and their sessions as records.
///
/// An actor whose executor is a thread of its own, as it waits for the disk or the database.
package actor AccountStore {
  private let records: any RecordStore
  private nonisolated let thread: ThreadExecutor

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// Opens records, makes their tables if there are none, and removes expired rows.
  ///
  /// - Parameters:
  ///   - app: The app whose users they are; nil where a test does not care.
  ///   - mustExist: Whether records without tables are an error.
  package init(
    _ records: any RecordStore, app: String? = nil, mustExist: Bool = false, now: OriginTimestamp,
    thread: ThreadExecutor = ThreadExecutor()
  ) throws(StoreError) {
    self.records = records
    self.thread = thread
    let isShared = records.isShared
    try records.change { (group) throws(StorageError) in
      try Self.prepare(group, app, mustExist, isShared, now)
      return true
    }
  }

  /// Opens a file, makes its tables if it is new, and removes expired rows.
  package init(
    _ file: DatabaseFile, app: String? = nil, mustExist: Bool = false, now: OriginTimestamp,
    thread: ThreadExecutor = ThreadExecutor()
  ) throws(StoreError) {
    try self.init(LocalRecords(file), app: app, mustExist: mustExist, now: now, thread: thread)
  }

  /// Opens the file at a path; makes it if it is missing.
  package static func open(
    _ path: String, app: String, isNew: Bool, now: OriginTimestamp
  ) throws(StoreError) -> AccountStore {
    if isNew { try StoreError.storing(make(path, app, now)) }
    return try AccountStore(LocalRecords.open(path), app: app, mustExist: true, now: now)
  }

  private static func make(
    _ path: String, _ app: String, _ now: OriginTimestamp
  ) throws(StorageError) {
    try CompleteFile.make(path) { (file) throws(StorageError) in
      try WriteGroup(file.beginWrite()).commit { (group) throws(StorageError) in
        try prepare(group, app, false, false, now)
      }
    }
  }

  /// The number of users in records; 0 where they have no tables. Blocks the thread.
  package static func userCount(in records: any RecordStore) throws(StoreError) -> Int {
    let group = try records.snapshot()
    return try StoreError.storing(AccountTables.accounts.find(in: group)?.count() ?? 0)
  }

  /// Reads the newest version.
  package func read<R: Sendable>(
    _ body: @Sendable (AccountTransaction) throws(AccountError) -> R
  ) throws(AccountError) -> R {
    let group: TableGroup
    do throws(StoreError) { group = try snapshot() } catch { throw .store(error) }
    return try body(AccountTransaction(group))
  }

  /// Runs a write transaction; rolls it back if `body` throws.
  ///
  /// - Parameter body: May run more than once (`RecordStore.change`).
  package func write<R: Sendable>(
    _ body: @Sendable (AccountTransaction) throws(AccountError) -> R
  ) throws(AccountError) -> R {
    var outcome: Result<R, AccountError>?
    do throws(StoreError) {
      try records.change { (group) throws(StorageError) in
        let result = Self.result(of: body, group)
        outcome = result
        switch result {
        case .success: return true
        // The records see to their own failures.
        case .failure(.store(.storage(let cause))): throw cause
        case .failure: return false
        }
      }
    } catch {
      throw .store(error)
    }
    guard let outcome else { throw .store(.damaged("a transaction has no outcome")) }
    return try outcome.get()
  }

  private static func result<R>(
    of body: (AccountTransaction) throws(AccountError) -> R, _ group: WriteGroup
  ) -> Result<R, AccountError> {
    do throws(AccountError) {
      return .success(try body(AccountTransaction(group)))
    } catch {
      return .failure(error)
    }
  }

  /// The newest version.
  func snapshot() throws(StoreError) -> TableGroup { try records.snapshot() }

  /// Runs a write transaction; rolls it back if `body` throws, or has changed nothing.
  ///
  /// - Parameter body: May run more than once (`RecordStore.change`).
  func change(_ body: RecordChange) throws(StoreError) {
    try records.change(body)
  }

  /// Removes unused rows, in one transaction.
  ///
  /// - Parameter kinds: The events to be stored.
  package func clean(
    _ rules: UpkeepRules, now: OriginTimestamp, recording kinds: Set<AccountEvent.Kind> = []
  ) throws(StoreError) -> AccountCleaning {
    var result = AccountCleaning()
    try change { (group) throws(StorageError) in
      result = try AccountCleaning(group, rules, now: now, recording: kinds)
      return result.hasChanges
    }
    return result
  }

  // MARK: Other servers

  /// Has an element soon after other servers have changed users, and one at the beginning. It ends
  /// at once where there are no others.
  package nonisolated func news() -> AsyncStream<Void> { records.news() }

  /// What other servers have changed since the last call.
  func takeChanges() throws(StoreError) -> RecordChanges { try records.takeChanges().changes }

  // MARK: Opening

  private static func prepare(
    _ group: WriteGroup, _ app: String?, _ mustExist: Bool, _ isShared: Bool,
    _ now: OriginTimestamp
  ) throws(StorageError) {
    if !mustExist, try group.table(named: AccountTables.meta.name) == nil {
      try AccountTables.make(in: group)
    }
    try check(group, isShared)
    if let app { try check(app, group) }
    for layout in [AccountTables.sessions, AccountTables.tokens] {
      _ = try AccountCleaning.removeExpired(layout, now, in: group)
    }
  }

  /// Checks the tables, and adds the columns that those of an earlier layout lack.
  private static func check(_ group: WriteGroup, _ isShared: Bool) throws(StorageError) {
    guard let meta = try AccountTables.meta(in: group),
      let layout = try meta.optionalInteger("layout"), layout > 0
    else { throw .corrupted("the accounts have another layout") }
    guard layout <= AccountTables.layout else {
      // A later server beside this one has made them.
      guard isShared, try AccountTables.isUsable(in: group) else {
        throw .corrupted("the accounts have another layout")
      }
      for layout in AccountTables.all { _ = try layout.table(in: group) }
      return
    }
    for table in AccountTables.additions(since: layout) { try table.makeIfMissing(in: group) }
    for layout in AccountTables.all { _ = try layout.table(in: group) }
    if isShared { try AccountTables.setUsable(in: group) }
    guard layout < AccountTables.layout else { return }
    for layout in AccountTables.all { _ = try layout.addLater(in: group) }
    try meta.set(AccountTables.layout, "layout")
  }

  /// Notes the app of the users, or checks that it is that one.
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

  func table(_ layout: RecordLayout) throws(StorageError) -> RecordTable {
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

  /// Stores an event about a user, if it is one of the recorded kinds.
  ///
  /// - Parameter provider: That of the login; nil for all of the user.
  func record(
    _ kind: AccountEvent.Kind, of account: Account, provider: String? = nil,
    at time: OriginTimestamp, if kinds: Set<AccountEvent.Kind>
  ) throws(AccountError) {
    guard kinds.contains(kind), case .write(let group) = source else { return }
    try AccountError.storing(
      AccountEvent.record(kind, of: account, provider: provider, at: time, in: group))
  }
}

extension RecordTable {
  fileprivate func remove(_ primaryKey: TableValue) throws(StorageError) {
    if let row = try find(primaryKey) { try delete(row.key) }
  }
}
#endif
