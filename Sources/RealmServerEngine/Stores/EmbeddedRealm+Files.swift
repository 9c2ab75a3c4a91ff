// SPDX-License-Identifier: Apache-2.0

// The client files of a realm in a file.

import RealmStorage
import RealmSyncProtocol
import RealmTables

extension EmbeddedRealm {
  func store(_ file: ClientFile, in group: WriteGroup) throws(StoreError) {
    let key = ObjectKey(Int64(bitPattern: file.ident.rawValue))
    let old = try StoreError.storing { () throws(StorageError) in
      try reader(.files, key, of: group)?.clientFile(key)
    }
    guard let old else { throw .unknownFile(file.ident) }
    guard old.salt == file.salt, old.clientVersion <= file.clientVersion,
      old.reciprocalBase <= file.reciprocalBase,
      old.lockedServerVersion <= file.lockedServerVersion
    else { throw .outOfOrder("a cursor of file \(file.ident.rawValue) goes back") }
    try StoreError.storing { () throws(StorageError) -> Void in
      try write(file, to: try ServerRow(.files, at: key, in: group, isNew: false))
      let last = file.isExpired ? ServerTables.versionLimit - 1 : file.reciprocalBase
      guard old.reciprocalBase < last else { return }
      try trim(.reciprocals, file.ident, old.reciprocalBase...last, in: group)
      try trim(.privates, file.ident, old.reciprocalBase...last, in: group)
    }
  }

  private func write(_ file: ClientFile, to row: ServerRow) throws(StorageError) {
    try row.set(file.salt, "salt")
    try row.set(.string(file.user), "user")
    try row.set(file.clientVersion, "client_version")
    try row.set(file.reciprocalBase, "reciprocal_base")
    try row.set(file.lockedServerVersion, "locked_version")
    try row.set(file.lastSeen.milliseconds, "last_seen")
    try row.set(file.firstDownloadVersion, "first_download")
    try row.set(file.firstDownloadBase, "first_download_base")
    try row.set(file.queryVersion.map { .int($0) } ?? .null, "query_version")
    try row.set(.string(file.query), "query")
    try row.set(file.fingerprint, "fingerprint")
    try row.set(file.expired.milliseconds, "expired")
  }

  /// Removes the row of a file that is expired; nothing else of it was left.
  func forget(_ ident: FileIdentifier, in group: WriteGroup) throws(StoreError) {
    let key = ObjectKey(Int64(bitPattern: ident.rawValue))
    try StoreError.storing { () throws(StorageError) -> Void in
      guard let table = try group.table(named: ServerTables.files.rawValue),
        try reader(.files, key, of: group)?.clientFile(key).isExpired == true
      else { return }
      try table.delete(key)
    }
  }

  func trim(
    _ kind: ServerTables, _ ident: FileIdentifier, _ versions: ClosedRange<UInt64>,
    in group: WriteGroup
  ) throws(StorageError) {
    guard let table = try group.table(named: kind.rawValue) else { return }
    let keys = try keys(of: table.table, ident, versions)
    for key in keys { try table.delete(key) }
  }

  /// The keys of a file's rows with versions in a range.
  func keys(
    of table: Table, _ ident: FileIdentifier, _ versions: ClosedRange<UInt64>
  ) throws(StorageError) -> [ObjectKey] {
    let first = ServerTables.key(ident, versions.lowerBound)
    let last = ServerTables.key(ident, versions.upperBound)
    var keys: [ObjectKey] = []
    var cursor = table.clusterCursor()
    try cursor.seek(first)
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let key = cluster.key(at: index)
        if key > last { return keys }
        if key >= first { keys.append(key) }
      }
    }
    return keys
  }

  func allocateFile(
    for user: String, salt: UInt64, now: OriginTimestamp
  ) throws(StoreError) -> ClientFile {
    var result: ClientFile?
    _ = try write { (group) throws(StoreError) in
      let last = try StoreError.storing { () throws(StorageError) in
        try reader(.meta, ServerTables.metaKey, of: group)?.number("last_file") ?? 0
      }
      let ident = last + 1
      guard ident < ServerTables.identLimit else { throw .limit("a realm has no files left") }
      let file = ClientFile(
        ident: FileIdentifier(ident), salt: salt, user: user, lastSeen: now)
      try StoreError.storing { () throws(StorageError) -> Void in
        let key = ObjectKey(Int64(bitPattern: ident))
        try write(file, to: try ServerRow(.files, at: key, in: group, isNew: true))
        try ServerRow(.meta, at: ServerTables.metaKey, in: group, isNew: false)
          .set(ident, "last_file")
      }
      result = file
      return true
    }
    guard let result else { throw .damaged("a file was not allocated") }
    return result
  }
}
