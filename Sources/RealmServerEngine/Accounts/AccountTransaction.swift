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

  private static func storing<R>(
    _ body: () throws(StorageError) -> R
  ) throws(AccountError) -> R {
    do throws(StorageError) { return try body() } catch { throw .store(.storage(error)) }
  }

  /// A record; nil if there is none under the key.
  func find<R: AccountRecord>(
    _ type: R.Type, _ key: String
  ) throws(AccountError) -> R? {
    try Self.storing { () throws(StorageError) -> R? in
      switch source {
      case .version(let group):
        guard let table = try group.table(named: R.table.rawValue) else { return nil }
        guard let (_, row) = try table.findRow(primaryKey: .string(key)) else { return nil }
        return try R(ServerRowReader(row: row, schema: table.schema), key: key)
      case .write(let group):
        let table = try Self.table(R.table, in: group)
        guard let (_, row) = try table.findRow(primaryKey: .string(key)) else { return nil }
        return try R(ServerRowReader(row: row, schema: table.schema), key: key)
      }
    }
  }

  /// Stores a record as it is now.
  func put<R: AccountRecord>(_ record: R) throws(AccountError) {
    guard case .write(let group) = source else {
      preconditionFailure("a version is read alone")
    }
    try Self.storing { () throws(StorageError) -> Void in
      let table = try Self.table(R.table, in: group)
      let key = try table.findOrCreate(primaryKey: .string(record.key)).key
      for (field, value) in zip(R.table.fields, record.values) {
        guard let column = table.schema.column(named: field.name) else {
          throw .corrupted("table \(R.table.rawValue) has no column \(field.name)")
        }
        try table.set(value, column, key)
      }
    }
  }

  /// Removes a record, if there is one.
  func remove<R: AccountRecord>(_ type: R.Type, _ key: String) throws(AccountError) {
    guard case .write(let group) = source else {
      preconditionFailure("a version is read alone")
    }
    try Self.storing { () throws(StorageError) -> Void in
      let table = try Self.table(R.table, in: group)
      if let (key, _) = try table.findRow(primaryKey: .string(key)) { try table.delete(key) }
    }
  }

  /// Removes the records whose row a condition holds for. Reads all of them.
  func removeAll<R: AccountRecord>(
    _ type: R.Type, where isMatch: (ServerRowReader) throws(StorageError) -> Bool
  ) throws(AccountError) {
    guard case .write(let group) = source else {
      preconditionFailure("a version is read alone")
    }
    try Self.storing { () throws(StorageError) -> Void in
      let table = try Self.table(R.table, in: group)
      var keys: [ObjectKey] = []
      var cursor = try table.table.clusterCursor()
      while let cluster = try cursor.next() {
        for index in 0..<cluster.count {
          let reader = ServerRowReader(row: cluster.row(at: index), schema: table.schema)
          if try isMatch(reader) { keys.append(cluster.key(at: index)) }
        }
      }
      for key in keys { try table.delete(key) }
    }
  }

  /// Removes the mailed tokens of some names.
  func removeTokens(of names: [IdentityName]) throws(AccountError) {
    let texts = Set(names.map(\.text))
    try removeAll(MailedToken.self) { (row) throws(StorageError) in
      try row.optionalText("identity").map { texts.contains($0) } ?? false
    }
  }

  /// Removes the sessions of a user.
  func removeSessions(of account: String) throws(AccountError) {
    try removeAll(AccountSession.self) { (row) throws(StorageError) in
      try row.optionalText("account") == account
    }
  }

  private static func table(
    _ kind: AccountTable, in group: WriteGroup
  ) throws(StorageError) -> WritableTable {
    guard let table = try group.table(named: kind.rawValue) else {
      throw .corrupted("the file has no table \(kind.rawValue)")
    }
    return table
  }
}
