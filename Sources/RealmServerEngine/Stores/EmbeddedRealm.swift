// SPDX-License-Identifier: Apache-2.0

// A realm in a file of our own.
//
// Invariants:
// 1. One write transaction is one append: objects, entries, client files and what belongs to them
//    move together, and are on the disk when the call returns.
// 2. Versions and cursors never go back, and the versions of the entries have no gaps.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The open file of a realm. Its calls block.
final class EmbeddedRealm: Sendable {
  let id: RealmID
  let name: RealmName
  private let file: DatabaseFile
  private let schemas = SchemaCache()
  private let keyBounds = KeyBoundCache()
  private let recent = Locked(RecentEntries())
  private let onProblem: @Sendable (String) -> Void
  private let reported = Locked<Set<String>>([])

  /// Opens the file, which is made if it is missing.
  ///
  /// - Parameter onProblem: Is told of rows that cannot be read, without which all goes on.
  convenience init(
    _ id: RealmID, named name: RealmName, in files: any RealmFiles,
    onProblem: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(StoreError) {
    if !files.hasFile(of: id) {
      try files.make(id) { (file) throws(StoreError) in
        try StoreError.storing { () throws(StorageError) -> Void in
          try Self.makeTables(in: file, for: name)
        }
      }
    }
    try self.init(id, in: files, onProblem: onProblem)
    guard self.name == name else { throw .ambiguousName(self.name) }
    let isOld = try StoreError.storing { () throws(StorageError) in
      try table(.privates, of: read()).schema.column(named: "objects") == nil
    }
    guard isOld else { return }
    _ = try write { (group) throws(StoreError) in
      try StoreError.storing { () throws(StorageError) in
        try ServerTables.addMissing(in: group)
      }
    }
  }

  /// Opens a file that is there.
  init(
    _ id: RealmID, in files: any RealmFiles,
    onProblem: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(StoreError) {
    self.onProblem = onProblem
    self.id = id
    let file = try StoreError.storing { () throws(StorageError) in try files.open(id) }
    self.file = file
    let (layout, name) = try StoreError.storing {
      () throws(StorageError) -> (Int64?, RealmName) in
      let group = try TableGroup(file.snapshot(), schemas: SchemaCache())
      guard let table = try group.table(named: ServerTables.meta.rawValue),
        let row = try table.row(of: ServerTables.metaKey)
      else { throw .corrupted("the file has no row in \(ServerTables.meta.rawValue)") }
      let meta = ServerRowReader(row: row, schema: table.schema)
      return (
        try meta.optionalNumber("layout"),
        RealmName(
          app: try meta.optionalText("app") ?? "", partition: try meta.optionalText("partition"))
      )
    }
    guard layout == ServerTables.layout else {
      throw .damaged("the file has layout \(layout ?? 0) instead of \(ServerTables.layout)")
    }
    self.name = name
  }

  private static func makeTables(
    in file: DatabaseFile, for name: RealmName
  ) throws(StorageError) {
    let group = try WriteGroup(file.beginWrite())
    do throws(StorageError) {
      try ServerTables.make(in: group, for: name)
      _ = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
  }

  // MARK: Transactions

  private func read() throws(StorageError) -> TableGroup {
    try TableGroup(file.snapshot(), schemas: schemas)
  }

  /// Runs a transaction, which is rolled back if `body` throws or says false.
  private func write(
    _ body: (WriteGroup) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    let group = try StoreError.storing { () throws(StorageError) in
      try WriteGroup(file.beginWrite(), schemas: schemas, keyBounds: keyBounds)
    }
    do throws(StoreError) {
      guard try body(group) else {
        group.rollback()
        return false
      }
    } catch {
      group.rollback()
      throw error
    }
    _ = try StoreError.storing { () throws(StorageError) in try group.commit() }
    return true
  }

  private func table(
    _ kind: ServerTables, of group: TableGroup
  ) throws(StorageError) -> Table {
    guard let table = try group.table(named: kind.rawValue) else {
      throw .corrupted("the file has no table \(kind.rawValue)")
    }
    return table
  }

  private func reader(
    _ kind: ServerTables, _ key: ObjectKey, of group: WriteGroup
  ) throws(StorageError) -> ServerRowReader? {
    guard let table = try group.table(named: kind.rawValue) else {
      throw .corrupted("the file has no table \(kind.rawValue)")
    }
    return try table.row(of: key).map { ServerRowReader(row: $0, schema: table.schema) }
  }

  // MARK: The head

  private func meta(of group: TableGroup) throws(StorageError) -> ServerRowReader {
    let table = try table(.meta, of: group)
    guard let row = try table.row(of: ServerTables.metaKey) else {
      throw .corrupted("the file has no row in \(ServerTables.meta.rawValue)")
    }
    return ServerRowReader(row: row, schema: table.schema)
  }

  private func head(_ meta: ServerRowReader) throws(StorageError) -> RealmHead {
    RealmHead(
      realm: id, version: try meta.number("version"), salt: try meta.number("salt"),
      totalByteCount: Int(truncatingIfNeeded: try meta.number("total_size")),
      base: try meta.number("base"), epoch: try meta.number("epoch"))
  }

  private func head(of group: WriteGroup) throws(StorageError) -> RealmHead {
    guard let meta = try reader(.meta, ServerTables.metaKey, of: group) else {
      throw .corrupted("the file has no row in \(ServerTables.meta.rawValue)")
    }
    return try head(meta)
  }

  /// Makes the caller the owner.
  func own() throws(StoreError) -> RealmHead {
    var result = RealmHead(realm: id)
    _ = try write { (group) throws(StoreError) in
      try StoreError.storing { () throws(StorageError) -> Void in
        result = try head(of: group)
        result.epoch += 1
        let row = try ServerRow(.meta, at: ServerTables.metaKey, in: group, isNew: false)
        try row.set(result.epoch, "epoch")
      }
      return true
    }
    return result
  }

  // MARK: Appending

  func append(
    expecting version: UInt64, epoch: UInt64,
    _ build: (WriteGroup) throws(StoreError) -> Batch?
  ) throws(StoreError) -> RealmHead? {
    var result: RealmHead?
    var stored: Batch?
    _ = try write { (group) throws(StoreError) in
      var head = try StoreError.storing { () throws(StorageError) in try self.head(of: group) }
      guard head.epoch == epoch else { throw .fenced }
      guard head.version == version else { throw .conflict(head) }
      guard let batch = try build(group) else { return false }
      try check(batch, after: head)
      for file in batch.files { try store(file, in: group) }
      try StoreError.storing { () throws(StorageError) -> Void in
        for entry in batch.entries { try store(entry, in: group) }
        for change in batch.reciprocals {
          try store(change.changeset, .reciprocals, change.file, change.version, in: group)
        }
        for change in batch.privates { try store(change, in: group) }
        if let last = batch.entries.last {
          (head.version, head.salt) = (last.version, last.salt)
          head.totalByteCount = last.totalByteCount
        }
        if let through = batch.trimsThrough {
          try trimHistory(from: head.base, through: through, in: group)
          head.base = max(head.base, through)
        }
        if let through = batch.skipsThrough { head.base = max(head.base, through) }
        let row = try ServerRow(.meta, at: ServerTables.metaKey, in: group, isNew: false)
        try row.set(head.version, "version")
        try row.set(head.salt, "salt")
        try row.set(.int(Int64(head.totalByteCount)), "total_size")
        try row.set(head.base, "base")
      }
      result = head
      stored = batch
      return true
    }
    if let stored { recent.withLock { $0.append(stored) } }
    return result
  }

  private func check(_ batch: Batch, after head: RealmHead) throws(StoreError) {
    var version = head.version
    for entry in batch.entries {
      version += 1
      guard entry.version == version, entry.salt != 0 else {
        throw .outOfOrder("version \(entry.version) follows \(version - 1)")
      }
    }
    guard version < ServerTables.versionLimit else { throw .limit("a realm has no versions left") }
    if let through = batch.trimsThrough, through > version {
      throw .outOfOrder("version \(through) is trimmed before it exists")
    }
    for change in batch.reciprocals where change.version > version {
      throw .outOfOrder("version \(change.version) has a reciprocal before it exists")
    }
  }

  private func store(_ entry: StoredEntry, in group: WriteGroup) throws(StorageError) {
    let key = ObjectKey(Int64(bitPattern: entry.version))
    let row = try ServerRow(.history, at: key, in: group, isNew: true)
    try row.set(entry.salt, "salt")
    try row.set(entry.file.rawValue, "file")
    try row.set(entry.clientVersion, "client_version")
    try row.set(entry.timestamp.milliseconds, "timestamp")
    try row.set(entry.committed.milliseconds, "committed")
    try row.set(.int(Int64(entry.originalByteCount)), "original_size")
    try row.set(.int(Int64(entry.totalByteCount)), "total_size")
    try row.set(.binary(entry.changeset), "changeset")
    guard !entry.touches.isEmpty else { return }
    let touches = try ServerRow(.touches, at: key, in: group, isNew: true)
    try touches.set(.binary(TouchWriter.encode(entry.touches)), "touches")
  }

  private func store(
    _ changeset: [UInt8], _ kind: ServerTables, _ ident: FileIdentifier, _ version: UInt64,
    in group: WriteGroup
  ) throws(StorageError) {
    let key = ServerTables.key(ident, version)
    let isNew = try reader(kind, key, of: group) == nil
    try ServerRow(kind, at: key, in: group, isNew: isNew).set(.binary(changeset), "changeset")
  }

  private func store(_ change: PrivateChange, in group: WriteGroup) throws(StorageError) {
    guard !change.isRemoval else {
      return try trim(.privates, change.file, change.version...change.version, in: group)
    }
    try store(change.changeset, .privates, change.file, change.version, in: group)
    let key = ServerTables.key(change.file, change.version)
    let row = try ServerRow(.privates, at: key, in: group, isNew: false)
    try row.set(change.timestamp.milliseconds, "timestamp")
    try row.set(.binary(TouchWriter.encode(objects: change.objects)), "objects")
  }

  private func trimHistory(
    from base: UInt64, through version: UInt64, in group: WriteGroup
  ) throws(StorageError) {
    guard base < version else { return }
    for kind in [ServerTables.history, .touches] {
      guard let table = try group.table(named: kind.rawValue) else { continue }
      for version in base + 1...version {
        let key = ObjectKey(Int64(bitPattern: version))
        if try table.row(of: key) != nil { try table.delete(key) }
      }
    }
  }

  // MARK: Client files

  private func store(_ file: ClientFile, in group: WriteGroup) throws(StoreError) {
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
  }

  private func trim(
    _ kind: ServerTables, _ ident: FileIdentifier, _ versions: ClosedRange<UInt64>,
    in group: WriteGroup
  ) throws(StorageError) {
    guard let table = try group.table(named: kind.rawValue) else { return }
    let keys = try keys(of: table.table, ident, versions)
    for key in keys { try table.delete(key) }
  }

  /// The keys of a file's rows with versions in a range.
  private func keys(
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

  // MARK: Reading

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

  /// Tells of what cannot be read, once.
  private func report(_ problem: String) {
    guard reported.withLock({ $0.insert(problem).inserted }) else { return }
    onProblem("\(id.rawValue): \(problem)")
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
