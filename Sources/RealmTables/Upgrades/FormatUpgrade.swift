// SPDX-License-Identifier: Apache-2.0

// From formats 10 to 23 to format 24 (file format 1.5.1).
//
// | from | what changes |
// | --- | --- |
// | any | keys of columns that are lists of links say that these are links |
// | before 22 | primary keys get their index |
// | before 23 | dictionaries are two B+ trees instead of a cluster tree |
// | any | strings and binaries in sets are in the order of their bytes |
// | 22 | objects of asymmetric tables go |
//
// The order differs from the format's description in that column keys come first and deletions
// last: everything between works on tables as all others do. The results are the same.
//
// Other differences before format 24 stay, and every reader and editor takes them: mixed
// leaves of four slots, decimals of 16 bytes, backlinks in one node of any size, lists of indexes
// in another order, keys of objects that are hashes, and tops of tables with fewer slots.

import RealmStorage

/// The one write transaction that brings a file to the present format.
enum FormatUpgrade {
  /// Upgrades an open database whose format is older; commits.
  ///
  /// - Throws: `StorageError.corrupted` if the tables contradict their format, and what commits
  ///   throw. The file is as it was then.
  static func run(on file: DatabaseFile) throws(StorageError) {
    let transaction = try file.beginWrite()
    try transaction.orRollback { () throws(StorageError) in
      _ = try upgrade(transaction, from: file.formatVersion).commit()
    }
  }

  /// Writes an open database whose format is older, as it is after an upgrade, to an empty file: as
  /// one of its own, without a history. The open one stays as it is.
  ///
  /// - Throws: As `run(on:)`, and what writing the new file throws.
  static func write(
    _ file: DatabaseFile, to target: any StorageFile, key: EncryptionKey?
  ) throws(StorageError) {
    let transaction = try file.beginWrite()
    defer { transaction.rollback() }
    let group = try upgrade(transaction, from: file.formatVersion)
    try group.flush()
    try transaction.write(to: target, key: key)
  }

  private static func upgrade(
    _ transaction: WriteTransaction, from format: Int
  ) throws(StorageError) -> WriteGroup {
    try LinkListKeys(transaction.allocator).replace(in: &transaction.roots)
    let group = try WriteGroup(transaction)
    for key in try group.tableKeys() {
      try group.requiredTable(key).upgrade(from: format)
    }
    if format == 22 { try deleteAsymmetricObjects(group) }
    return group
  }

  /// Format 22 kept objects that were only to be sent.
  private static func deleteAsymmetricObjects(_ group: WriteGroup) throws(StorageError) {
    for key in try group.tableKeys() {
      let table = try group.requiredTable(key)
      if unsafe table.schema.kind == .asymmetric { try table.deleteAll() }
    }
  }
}

extension WritableTable {
  /// Brings indexes and collections from an older format to the present one.
  fileprivate func upgrade(from format: Int) throws(StorageError) {
    if format < 22, let column = unsafe schema.primaryKey, !column.hasIndex {
      try indexes.build(column)
      try reloadSchema()
    }
    for column in unsafe schema.columns {
      let upgrade = CollectionUpgrade(column: column, format: format, allocator: allocator)
      guard upgrade.isNeeded else { continue }
      for editor in unsafe [clusters, tombstoneTree] {
        guard let editor else { continue }
        let old = unsafe editor.root
        try editor.replaceCollections(at: column.leafIndex, upgrade.upgraded)
        if unsafe editor.root != old { unsafe isChanged = true }
      }
    }
  }
}
