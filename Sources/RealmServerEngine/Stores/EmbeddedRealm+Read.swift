// SPDX-License-Identifier: Apache-2.0

// What is read of a realm in a file: versions, entries, and what belongs to clients.

import RealmStorage
import RealmSyncProtocol
import RealmTables

extension EmbeddedRealm {
  func snapshot() throws(StoreError) -> ObjectSnapshot {
    try StoreError.storing { () throws(StorageError) -> ObjectSnapshot in
      let group = try read()
      return ObjectSnapshot(head: try head(meta(of: group)), objects: group)
    }
  }

  func file(_ ident: FileIdentifier) throws(StoreError) -> ClientFile? {
    guard ident.rawValue < ServerTables.identLimit else { return nil }
    return try StoreError.storing { () throws(StorageError) -> ClientFile? in
      let table = try table(.files, of: read())
      let key = ObjectKey(Int64(bitPattern: ident.rawValue))
      guard let row = try table.row(of: key) else { return nil }
      return try ServerRowReader(row: row, schema: table.schema).clientFile(key)
    }
  }

  func files() throws(StoreError) -> [ClientFile] {
    try StoreError.storing { () throws(StorageError) -> [ClientFile] in
      let table = try table(.files, of: read())
      var files: [ClientFile] = []
      var cursor = table.clusterCursor()
      while let cluster = try cursor.next() {
        for index in 0..<cluster.count {
          let reader = ServerRowReader(row: cluster.row(at: index), schema: table.schema)
          files.append(try reader.clientFile(cluster.key(at: index)))
        }
      }
      return files
    }
  }

  func entries(in range: Range<UInt64>) throws(StoreError) -> [StoredEntry] {
    if !range.isEmpty,
      let known = recent.withLock({ $0.entries(in: range.lowerBound...range.upperBound - 1) })
    {
      return Array(known)
    }
    let group = try StoreError.storing { () throws(StorageError) in try read() }
    let head = try StoreError.storing { () throws(StorageError) in try self.head(meta(of: group)) }
    guard range.lowerBound <= head.version, !range.isEmpty else { return [] }
    let first = max(range.lowerBound, 1)
    guard first > head.base else { throw .trimmed(through: head.base) }
    let last = min(range.upperBound - 1, head.version)
    guard first <= last else { return [] }
    var entries: [StoredEntry] = []
    var unreadable: (UInt64, String)?
    var touches: Table?
    try StoreError.storing { () throws(StorageError) -> Void in
      let table = try table(.history, of: group)
      touches = try self.table(.touches, of: group)
      var cursor = table.clusterCursor()
      try cursor.seek(ObjectKey(Int64(bitPattern: first)))
      reading: while let cluster = try cursor.next() {
        for index in 0..<cluster.count {
          let key = cluster.key(at: index)
          if key.ordinal > last { break reading }
          guard key.ordinal >= first else { continue }
          let reader = ServerRowReader(row: cluster.row(at: index), schema: table.schema)
          do throws(StorageError) {
            entries.append(try reader.entry(key))
          } catch {
            // The newest of the unreadable ones counts: what is before it cannot be used.
            unreadable = (key.ordinal, "\(error)")
          }
        }
      }
    }
    if let unreadable { throw .unreadableEntry(version: unreadable.0, unreadable.1) }
    guard entries.count == Int(last - first + 1) else {
      throw .damaged("entries are missing between versions \(first) and \(last)")
    }
    guard let touches,
      try StoreError.storing({ () throws(StorageError) in
        try touches.objectCount() > 0
      })
    else { return entries }
    for index in entries.indices { try readTouches(of: &entries[index], touches) }
    return entries
  }

  /// Adds the touches of an entry. Where they cannot be read it is known at least which objects it
  /// is about.
  private func readTouches(of entry: inout StoredEntry, _ table: Table) throws(StoreError) {
    let key = ObjectKey(Int64(bitPattern: entry.version))
    var bytes: [UInt8]?
    do throws(StorageError) {
      guard let row = try table.row(of: key) else { return }
      bytes = try ServerRowReader(row: row, schema: table.schema).bytes("touches")
    } catch {
      report("the touches of version \(entry.version): \(error)")
    }
    if let bytes {
      do throws(StoreError) {
        entry.touches = try TouchReader.decode(bytes)
        return
      } catch {
        report("the touches of version \(entry.version): \(error)")
      }
    }
    do throws(ChangesetError) {
      entry.touches = try Touch.unknown(in: ChangesetParser.parse(entry.changeset))
    } catch {
      throw .unreadableEntry(version: entry.version, "\(error)")
    }
  }

  /// The forms of entries for a client after a version, by the versions.
  func reciprocals(
    of ident: FileIdentifier, after version: UInt64
  ) throws(StoreError) -> [UInt64: [UInt8]] {
    var found: [UInt64: [UInt8]] = [:]
    try forEachRow(.reciprocals, of: ident, after: version) { (version, row) throws(StoreError) in
      found[version] = try Self.reading(ident, version) { () throws(StorageError) in
        try row.bytes("changeset")
      }
    }
    return found
  }

  func privates(
    of ident: FileIdentifier, after version: UInt64
  ) throws(StoreError) -> [PrivateChange] {
    var found: [PrivateChange] = []
    try forEachRow(.privates, of: ident, after: version) { (version, row) throws(StoreError) in
      var names: [UInt8] = []
      var change = try Self.reading(ident, version) { () throws(StorageError) in
        names = try row.bytes("objects")
        return PrivateChange(
          file: ident, version: version,
          timestamp: OriginTimestamp(milliseconds: try row.number("timestamp")),
          changeset: try row.bytes("changeset"))
      }
      do throws(StoreError) {
        change.objects = try TouchReader.objects(names)
      } catch {
        throw .unreadableFile(ident, "the private change of version \(version): \(error)")
      }
      found.append(change)
    }
    return found
  }

  private static func reading<R>(
    _ ident: FileIdentifier, _ version: UInt64, _ body: () throws(StorageError) -> R
  ) throws(StoreError) -> R {
    do throws(StorageError) {
      return try body()
    } catch {
      throw .unreadableFile(ident, "what belongs to version \(version): \(error)")
    }
  }

  /// Reads the rows that belong to a client and a version after one, in the order of versions.
  private func forEachRow(
    _ kind: ServerTables, of ident: FileIdentifier, after version: UInt64,
    _ body: (UInt64, ServerRowReader) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard ident.rawValue < ServerTables.identLimit, version + 1 < ServerTables.versionLimit
    else { return }
    let table = try StoreError.storing { () throws(StorageError) -> Table in
      try self.table(kind, of: read())
    }
    let keys = try StoreError.storing { () throws(StorageError) -> [ObjectKey] in
      try self.keys(of: table, ident, version + 1...ServerTables.versionLimit - 1)
    }
    for key in keys {
      let row = try StoreError.storing { () throws(StorageError) in try table.row(of: key) }
      guard let row else { continue }
      try body(ServerTables.version(in: key), ServerRowReader(row: row, schema: table.schema))
    }
  }
}
