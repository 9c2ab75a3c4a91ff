// SPDX-License-Identifier: Apache-2.0

// Reading and changing stored users.

import RealmStorage
import RealmTables

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

  private func stored<R: AccountRecord>(
    _ type: R.Type, _ key: String
  ) throws(StorageError) -> R? {
    guard let row = try table(R.layout).find(.string(key)) else { return nil }
    return try R(row)
  }

  /// A record; nil if there is none under the key.
  func find<R: AccountRecord>(_ type: R.Type, _ key: String) throws(AccountError) -> R? {
    try AccountError.storing(stored(type, key))
  }

  /// Stores a record as it is now.
  func put<R: AccountRecord>(_ record: R) throws(AccountError) {
    try AccountError.storing(
      record.write(to: table(R.layout).findOrCreate(.string(record.key))))
  }

  /// Removes a record, if there is one.
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
