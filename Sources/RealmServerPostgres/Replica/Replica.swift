// SPDX-License-Identifier: Apache-2.0

// The objects of a realm at a version, in a file of the node. The truth is in the database: a
// replica that is damaged, or of another database, is made again.
//
// Invariants:
// 1. One transaction moves the objects and their version.

#if Postgres
import RealmReplication
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// A node's copy of the objects of a realm.
final class Replica: Sendable {
  /// The version of the objects.
  struct State {
    let version: UInt64
    /// The salt of the version: a restored database has others.
    let salt: UInt64
  }

  /// What the entries of its realm are.
  enum Content: Sendable {
    /// Changesets of devices.
    case objects
    /// Journals of records, whose changes are news.
    case records(RecordNews)
  }

  /// An open file, with its caches.
  private struct Open {
    let file: DatabaseFile
    let schemas = SchemaCache()
    let keyBounds = KeyBoundCache()
  }

  /// The table with the version of a replica.
  static let meta = RecordLayout(
    "replica_meta",
    [
      RecordField("format", .int), RecordField("database", .string), RecordField("realm", .string),
      RecordField("version", .int), RecordField("salt", .int),
    ])
  private static let format: UInt64 = 1
  private static let key = ObjectKey(0)

  let realm: RealmID
  let content: Content
  private let database: String
  private let folder: ReplicaFolder
  private let open = Locked<Open?>(nil)

  init(
    of realm: RealmID, _ content: Content = .objects, in folder: ReplicaFolder, database: String
  ) {
    self.realm = realm
    self.content = content
    self.folder = folder
    self.database = database
  }

  // MARK: The file

  private func opened() throws(StorageError) -> Open {
    try open.withLock { (known) throws(StorageError) -> Open in
      if let known { return known }
      let path = try folder.path(of: realm)
      if CompleteFile.exists(path) {
        do throws(StorageError) {
          let found = Open(file: try openFile(path))
          if try isOurs(found) {
            known = found
            return found
          }
        } catch {
          // An unreadable cache is none; a full disk or a lack of memory stays an error.
          guard error.isDamage else { throw error }
        }
        remove(path)
      }
      try CompleteFile.make(
        path, options: DirectoryFiles.options(mustExist: false), system: folder.system
      ) { (file) throws(StorageError) in
        try WriteGroup(file.beginWrite()).commit { (group) throws(StorageError) in
          try makeMeta(in: group)
        }
      }
      let made = Open(file: try openFile(path))
      known = made
      return made
    }
  }

  private func openFile(_ path: String) throws(StorageError) -> DatabaseFile {
    try DatabaseFile.open(
      path: path, options: DirectoryFiles.options(mustExist: true), system: folder.system)
  }

  private func isOurs(_ found: Open) throws(StorageError) -> Bool {
    let group = try TableGroup(found.file.snapshot(), schemas: found.schemas)
    let row = try Self.row(Self.meta.table(in: group))
    let (database, realm) = (try row.text("database"), try row.text("realm"))
    let format = try row.bits("format")
    return format == Self.format && database == self.database && realm == self.realm.rawValue
  }

  private func remove(_ path: String) {
    folder.remove(path)
    folder.remove(path + ".lock")
  }

  /// Gives the file up. Snapshots of it stay.
  func discard() throws(StorageError) {
    try open.withLock { (known) throws(StorageError) -> Void in
      known = nil
      remove(try folder.path(of: realm))
    }
    if case .records(let news) = content { news.note(.ofAll) }
  }

  /// Closes the file; the next use opens it again.
  func close() { open.withLock { $0 = nil } }

  // MARK: Versions

  private static func row(_ meta: RecordTable) throws(StorageError) -> RecordRow {
    guard let row = try meta.record(key) else { throw .corrupted("a replica has no version") }
    return row
  }

  private static func state(_ meta: RecordTable) throws(StorageError) -> State {
    let row = try row(meta)
    return State(version: try row.bits("version"), salt: try row.bits("salt"))
  }

  /// The newest version of the file.
  func read() throws(StorageError) -> (state: State, objects: TableGroup) {
    let open = try opened()
    let group = try TableGroup(open.file.snapshot(), schemas: open.schemas)
    return (try Self.state(Self.meta.table(in: group)), group)
  }

  /// Begins a transaction, whose commit does not wait for the disk: the database has the versions
  /// lost by a crash.
  func begin() throws(StorageError) -> (state: State, group: WriteGroup) {
    let open = try opened()
    let group = try WriteGroup(
      open.file.beginWrite(), schemas: open.schemas, keyBounds: open.keyBounds)
    group.transaction.durability = .deferred
    let state = try group.orRollback { () throws(StorageError) -> State in
      try Self.state(Self.meta.table(in: group))
    }
    return (state, group)
  }

  /// Ends a transaction whose objects are those of a version.
  func commit(_ group: WriteGroup, version: UInt64, salt: UInt64) throws(StorageError) {
    try group.orRollback { () throws(StorageError) in
      let row = try Self.row(Self.meta.table(in: group))
      try row.set(version, "version")
      try row.set(salt, "salt")
    }
    _ = try group.commit()
  }

  /// Carries out the entries after the version of the file; others do nothing.
  func apply(_ entries: [StoredEntry]) throws(StoreError) {
    guard let last = entries.last else { return }
    let (state, group) = try StoreError.storing(begin())
    guard state.version + 1 == entries[0].version else { return group.rollback() }
    let changes = try group.orRollback { () throws(StoreError) -> RecordChanges in
      switch content {
      case .objects: try Self.carryOut(changesets: entries, in: group)
      case .records: return try Self.carryOut(journals: entries, in: group)
      }
      return RecordChanges()
    }
    try StoreError.storing(commit(group, version: last.version, salt: last.salt))
    if case .records(let news) = content { news.note(changes) }
  }

  private static func carryOut(
    changesets entries: [StoredEntry], in group: WriteGroup
  ) throws(StoreError) {
    var applier = InstructionApplier(group, file: .server, limits: ApplyLimits())
    for entry in entries where !entry.changeset.isEmpty {
      applier.renewWork()
      let changeset = try changeset(of: entry)
      do throws(ApplyError) {
        try applier.apply(changeset)
      } catch {
        if case .storage(let cause) = error { throw .storage(cause) }
        throw .damaged("version \(entry.version) cannot be carried out: \(error)")
      }
    }
  }

  private static func carryOut(
    journals entries: [StoredEntry], in group: WriteGroup
  ) throws(StoreError) -> RecordChanges {
    var changes = RecordChanges()
    for entry in entries {
      do throws(StoreError) {
        let journal = try RecordJournalReader.decode(entry.changeset)
        try journal.apply(to: group)
        changes.formUnion(journal.changes)
      } catch {
        guard case .damaged(let reason) = error else { throw error }
        throw .damaged("version \(entry.version) cannot be carried out: \(reason)")
      }
    }
    return changes
  }

  private static func changeset(of entry: StoredEntry) throws(StoreError) -> Changeset {
    do throws(ChangesetError) {
      return try ChangesetParser.parse(entry.changeset, origin: entry.origin)
    } catch {
      throw .damaged("the changeset of version \(entry.version) cannot be read: \(error)")
    }
  }

  /// Makes the file from the objects of a realm in a file, which are those of a version.
  func install(
    _ export: RealmExport, version: UInt64, salt: UInt64
  ) throws(StorageError) {
    try discard()
    let path = try folder.path(of: realm)
    let unfinished = path + ".unfinished"
    remove(unfinished)
    defer { remove(unfinished) }
    try export.copyObjects(
      to: unfinished, options: DirectoryFiles.options(mustExist: true), system: folder.system
    ) { (group) throws(StorageError) in
      try makeMeta(in: group, version: version, salt: salt)
    }
    try folder.move(unfinished, to: path)
    try folder.system.syncDirectory(of: path)
  }

  private func makeMeta(
    in group: WriteGroup, version: UInt64 = 0, salt: UInt64 = 0
  ) throws(StorageError) {
    let row = try Self.meta.make(in: group).create(under: Self.key)
    try row.set(Self.format, "format")
    try row.set(database, "database")
    try row.set(realm.rawValue, "realm")
    try row.set(version, "version")
    try row.set(salt, "salt")
  }

  // MARK: Checkpoints

  /// The size of a part of a checkpoint.
  static let partByteCount = 4 << 20

  /// Writes a version to a file of its own, and passes it on in parts.
  ///
  /// - Returns: The size of all parts.
  func copy(
    _ objects: TableGroup, _ take: (Int64, [UInt8]) throws(StoreError) -> Void
  ) throws(StoreError) -> Int {
    let path = try StoreError.storing(folder.path(of: realm)) + ".checkpoint"
    folder.remove(path)
    defer { folder.remove(path) }
    let file = try StoreError.storing(
      folder.system.open(path: path, mode: .readWriteCreating))
    try StoreError.storing(objects.snapshot.write(to: file, history: HistoryCopy.none))
    let byteCount = try StoreError.storing(file.byteCount())
    var offset = 0
    var number: Int64 = 0
    while offset < byteCount {
      let count = min(Self.partByteCount, byteCount - offset)
      try take(number, try StoreError.storing(file.bytes(offset..<offset + count)))
      offset += count
      number += 1
    }
    return byteCount
  }

  /// Makes the file from the parts of a checkpoint, in place of an earlier one.
  ///
  /// - Parameter next: Gives a part; nil if it is not there.
  /// - Returns: False if a part is missing: the checkpoint was replaced meanwhile.
  func install(
    byteCount: Int, _ next: (Int64) throws(StoreError) -> [UInt8]?
  ) throws(StoreError) -> Bool {
    try StoreError.storing(discard())
    let path = try StoreError.storing(folder.path(of: realm))
    let unfinished = path + ".unfinished"
    folder.remove(unfinished)
    defer { folder.remove(unfinished) }
    let file = try StoreError.storing(
      folder.system.open(path: unfinished, mode: .readWriteCreating))
    var offset = 0
    var number: Int64 = 0
    while offset < byteCount {
      guard let part = try next(number), !part.isEmpty else { return false }
      try StoreError.storing(file.write(part, at: offset))
      offset += part.count
      number += 1
    }
    // A file has its name only once its content is on the disk.
    try StoreError.storing(file.sync())
    try StoreError.storing(folder.move(unfinished, to: path))
    try StoreError.storing(folder.system.syncDirectory(of: path))
    return true
  }
}

extension StorageError {
  /// Whether the content of a file is at fault, and not the machine.
  var isDamage: Bool {
    switch self {
    case .corrupted, .notADatabase, .unsupportedFormat, .formatUpgradeRequired,
      .incompatibleHistory, .unsupportedHistory, .differentKey:
      true
    default: false
    }
  }
}

extension StorageFile {
  func bytes(_ range: Range<Int>) throws(StorageError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let result = unsafe bytes.withUnsafeMutableBytes { buffer -> Result<Int, StorageError> in
      do throws(StorageError) {
        return .success(try unsafe read(into: buffer, at: range.lowerBound))
      } catch {
        return .failure(error)
      }
    }
    guard try result.get() == range.count else {
      throw .corrupted("a copy is shorter than it was")
    }
    return bytes
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(StorageError) {
    let result = unsafe bytes.withUnsafeBytes { buffer -> StorageError? in
      do throws(StorageError) {
        try unsafe write(buffer, at: offset)
        return nil
      } catch {
        return error
      }
    }
    if let result { throw result }
  }
}
#endif
