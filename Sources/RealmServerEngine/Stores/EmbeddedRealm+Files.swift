// SPDX-License-Identifier: Apache-2.0

// The client files of a realm in a file.

import RealmStorage
import RealmSyncProtocol
import RealmTables

extension EmbeddedRealm {
  func file(_ ident: FileIdentifier) throws(StorageError) -> ClientFile? {
    guard ident.rawValue < ServerTables.identLimit else { return nil }
    let row = try ServerTables.files.table(in: read()).record(ServerTables.key(ident))
    guard let row else { return nil }
    return try ClientFile(row)
  }

  func files() throws(StorageError) -> [ClientFile] {
    var files: [ClientFile] = []
    var rows = try ServerTables.files.table(in: read()).records()
    while let row = try rows.next() { files.append(try ClientFile(row)) }
    return files
  }

  /// Stores a file in its new state; returns why not.
  func store(_ file: ClientFile, in group: WriteGroup) throws(StorageError) -> StoreError? {
    let row = try ServerTables.files.table(in: group).record(ServerTables.key(file.ident))
    guard let row else { return .unknownFile(file.ident) }
    let old = try ClientFile(row)
    guard old.salt == file.salt, old.clientVersion <= file.clientVersion,
      old.reciprocalBase <= file.reciprocalBase,
      old.lockedServerVersion <= file.lockedServerVersion
    else { return .outOfOrder("a cursor of file \(file.ident.rawValue) goes back") }
    try file.write(to: row)
    let last = file.isExpired ? ServerTables.versionLimit - 1 : file.reciprocalBase
    guard old.reciprocalBase < last else { return nil }
    for layout in [ServerTables.reciprocals, ServerTables.privates] {
      try trim(layout, file.ident, old.reciprocalBase...last, in: group)
    }
    return nil
  }

  /// Removes the row of a file that is expired; nothing else of it was left.
  func forget(_ ident: FileIdentifier, in group: WriteGroup) throws(StorageError) {
    let table = try ServerTables.files.table(in: group)
    guard let row = try table.record(ServerTables.key(ident)), try ClientFile(row).isExpired
    else { return }
    try table.delete(row.key)
  }

  func trim(
    _ layout: RecordLayout, _ ident: FileIdentifier, _ versions: ClosedRange<UInt64>,
    in group: WriteGroup
  ) throws(StorageError) {
    let table = try layout.table(in: group)
    try table.delete(table.keys(in: ServerTables.keys(ident, versions)))
  }

  func allocateFile(
    for user: String, salt: UInt64, now: OriginTimestamp
  ) throws(StorageError) -> Outcome<ClientFile?> {
    try write { (group) throws(StorageError) -> Outcome<ClientFile?> in
      let meta = try ServerTables.meta(in: group)
      let ident = try meta.bits("last_file") + 1
      guard ident < ServerTables.identLimit else {
        return .failure(.limit("a realm has no files left"))
      }
      let file = ClientFile(
        ident: FileIdentifier(ident), salt: salt, user: user, lastSeen: now)
      try file.write(
        to: ServerTables.files.table(in: group).create(under: ServerTables.key(file.ident)))
      try meta.set(ident, "last_file")
      return .success(file)
    }
  }
}
