// SPDX-License-Identifier: Apache-2.0

// A realm in a file of our own: reading and appending.
//
// Invariants:
// 1. One write transaction is one append: objects, entries, client files and what belongs to them
//    move together, and are on the disk when the call returns.
// 2. Versions and cursors never go back, and the versions of the entries have no gaps.
// 3. A version that is no longer the newest one is not kept for later reads: its space is needed.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The open file of a realm. Its calls block.
///
/// What is below its calls throws errors of the database alone, and refuses with a value.
final class EmbeddedRealm: RealmStore {
  /// The result, or the reason of a refusal.
  typealias Outcome<R> = Result<R, StoreError>

  let id: RealmID
  let name: RealmName
  let file: DatabaseFile
  private let schemas = SchemaCache()
  private let keyBounds = KeyBoundCache()
  private let recent = Locked(RecentEntries())
  /// The newest version, with the tables that were read of it.
  private let newest = Locked<TableGroup?>(nil)
  private let salts: SaltSource
  private let onProblem: @Sendable (String) -> Void
  private let onHead: @Sendable (RealmHead) -> Void
  private let onClose: @Sendable (EmbeddedRealm) -> Void
  /// The first identifier of a client file that this opening of the file gave.
  private let firstIdent = Locked<UInt64?>(nil)
  private let reported = Locked(OnceOnly<String>())

  /// Opens the file, which is made if it is missing. It may be another realm's: see `name`.
  ///
  /// - Parameters:
  ///   - salts: Those of new client files, whose identifiers are drawn from them, too.
  ///   - onProblem: Takes a sentence about rows that cannot be read, once for each row.
  ///   - onHead: Takes new versions.
  ///   - onClose: Is called when the realm is closed.
  convenience init(
    _ id: RealmID, named name: RealmName, in files: any RealmFiles,
    salts: SaltSource = SaltSource(), onProblem: @escaping @Sendable (String) -> Void = { _ in },
    onHead: @escaping @Sendable (RealmHead) -> Void = { _ in },
    onClose: @escaping @Sendable (EmbeddedRealm) -> Void = { _ in }
  ) throws(StorageError) {
    if !files.hasFile(of: id) {
      try files.make(id) { (file) throws(StorageError) in
        try Self.makeTables(in: file, for: name)
      }
    }
    try self.init(
      id, in: files, salts: salts, onProblem: onProblem, onHead: onHead, onClose: onClose)
    guard self.name == name, try ServerTables.lackFields(in: read()) else { return }
    try begin().commit { (group) throws(StorageError) in try ServerTables.addLater(in: group) }
  }

  /// Opens an existing file.
  init(
    _ id: RealmID, in files: any RealmFiles, salts: SaltSource = SaltSource(),
    onProblem: @escaping @Sendable (String) -> Void = { _ in },
    onHead: @escaping @Sendable (RealmHead) -> Void = { _ in },
    onClose: @escaping @Sendable (EmbeddedRealm) -> Void = { _ in }
  ) throws(StorageError) {
    self.salts = salts
    self.onProblem = onProblem
    self.onHead = onHead
    self.onClose = onClose
    self.id = id
    let file = try files.open(id)
    self.file = file
    let meta = try ServerTables.meta(in: TableGroup(file.snapshot(), schemas: SchemaCache()))
    let layout = try meta.bits("layout")
    guard layout == ServerTables.layout else {
      throw .corrupted("the file has layout \(layout) instead of \(ServerTables.layout)")
    }
    name = RealmName(app: try meta.text("app"), partition: try meta.optionalText("partition"))
  }

  private static func makeTables(in file: DatabaseFile, for name: RealmName) throws(StorageError) {
    try WriteGroup(file.beginWrite()).commit { (group) throws(StorageError) in
      try ServerTables.make(in: group, for: name)
    }
  }

  // MARK: Transactions

  /// The newest version. An upload asks for it some six times, so its tables are read once for all.
  func read() throws(StorageError) -> TableGroup {
    if let known = newest.withLock({ $0 }), known.version == file.newestVersion { return known }
    let group = try TableGroup(file.snapshot(), schemas: schemas)
    newest.withLock { $0 = group }
    return group
  }

  private func begin() throws(StorageError) -> WriteGroup {
    try WriteGroup(file.beginWrite(), schemas: schemas, keyBounds: keyBounds)
  }

  /// Runs a transaction, which is rolled back if `body` throws, refuses or gives nil.
  private func write<R>(
    _ body: (WriteGroup) throws(StorageError) -> Outcome<R?>
  ) throws(StorageError) -> Outcome<R?> {
    // `EmbeddedRealm` 3: neither the version before nor what others read meanwhile.
    newest.withLock { $0 = nil }
    defer { newest.withLock { $0 = nil } }
    let group = try begin()
    let outcome = try group.orRollback { () throws(StorageError) in try body(group) }
    guard case .success(_?) = outcome else {
      group.rollback()
      return outcome
    }
    _ = try group.commit()
    return outcome
  }

  // MARK: The head

  private func head(of group: TableGroup) throws(StorageError) -> RealmHead {
    try RealmHead(id, ServerTables.meta(in: group))
  }

  func own() throws(StoreError) -> RealmHead {
    let head = try StoreError.storing(
      write { (group) throws(StorageError) -> Outcome<RealmHead?> in
        let meta = try ServerTables.meta(in: group)
        var head = try RealmHead(id, meta)
        head.epoch += 1
        try meta.set(head.epoch, "epoch")
        return .success(head)
      }
    ).get()
    guard let head else { throw .damaged("a realm got no owner") }
    return head
  }

  func close() { onClose(self) }

  /// Reports an unreadable part, once.
  private func report(_ problem: String) {
    guard reported.withLock({ $0.insert(problem) }) else { return }
    onProblem("\(id.rawValue): \(problem)")
  }
}

// MARK: Reading

extension EmbeddedRealm {
  func snapshot() throws(StorageError) -> RealmSnapshot {
    let group = try read()
    return RealmSnapshot(head: try head(of: group), objects: group)
  }

  func snapshot(atLeast version: UInt64) throws(StoreError) -> RealmSnapshot {
    let snapshot = try StoreError.storing(snapshot())
    guard snapshot.head.version >= version else { throw .conflict(snapshot.head) }
    return snapshot
  }

  func entries(in range: Range<UInt64>) throws(StoreError) -> [StoredEntry] {
    try StoreError.storing(storedEntries(in: range)).get()
  }

  private func storedEntries(
    in range: Range<UInt64>
  ) throws(StorageError) -> Outcome<[StoredEntry]> {
    if !range.isEmpty,
      let known = recent.withLock({ $0.entries(in: range.lowerBound...range.upperBound - 1) })
    {
      return .success(Array(known))
    }
    let group = try read()
    let head = try head(of: group)
    guard range.lowerBound <= head.version, !range.isEmpty else { return .success([]) }
    let first = max(range.lowerBound, 1)
    guard first > head.base else { return .failure(.trimmed(through: head.base)) }
    let last = min(range.upperBound - 1, head.version)
    guard first <= last else { return .success([]) }
    var entries: [StoredEntry] = []
    var unreadable: StoreError?
    var rows = try ServerTables.history.table(in: group).records(from: ServerTables.key(first))
    while let row = try rows.next(), row.key.ordinal <= last {
      do throws(StorageError) {
        entries.append(try StoredEntry(row))
      } catch {
        // The newest of the unreadable ones counts: what is before it cannot be used.
        unreadable = .unreadableEntry(version: row.key.ordinal, "\(error)")
      }
    }
    if let unreadable { return .failure(unreadable) }
    guard entries.count == Int(last - first + 1) else {
      throw .corrupted("entries are missing between versions \(first) and \(last)")
    }
    let touches = try ServerTables.touches.table(in: group)
    guard try touches.count() > 0 else { return .success(entries) }
    for index in entries.indices {
      if let refusal = readTouches(of: &entries[index], touches) { return .failure(refusal) }
    }
    return .success(entries)
  }

  /// Adds the touches of an entry. Where they cannot be read it is known at least which objects it
  /// is about; returns why not even that.
  private func readTouches(of entry: inout StoredEntry, _ touches: RecordTable) -> StoreError? {
    do throws(StorageError) {
      guard let row = try touches.record(ServerTables.key(entry.version)) else { return nil }
      entry.touches = try TouchReader.decode(row.bytes("touches"))
      return nil
    } catch {
      report("the touches of version \(entry.version): \(error)")
    }
    do throws(ChangesetError) {
      entry.touches = try Touch.unknown(in: ChangesetParser.parse(entry.changeset))
      return nil
    } catch {
      return .unreadableEntry(version: entry.version, "\(error)")
    }
  }

  // MARK: Clients

  func file(_ ident: FileIdentifier) throws(StoreError) -> ClientFile? {
    try StoreError.storing(storedFile(ident))
  }

  private func storedFile(_ ident: FileIdentifier) throws(StorageError) -> ClientFile? {
    guard ident.rawValue < ServerTables.identLimit else { return nil }
    let row = try ServerTables.files.table(in: read()).record(ServerTables.key(ident))
    guard let row else { return nil }
    return try ClientFile(row)
  }

  func files() throws(StoreError) -> [ClientFile] { try StoreError.storing(storedFiles()) }

  func storedFiles() throws(StorageError) -> [ClientFile] {
    var files: [ClientFile] = []
    var rows = try ServerTables.files.table(in: read()).records()
    while let row = try rows.next() { files.append(try ClientFile(row)) }
    return files
  }

  func reciprocals(
    of ident: FileIdentifier, after version: UInt64
  ) throws(StoreError) -> [UInt64: [UInt8]] {
    try StoreError.storing(storedReciprocals(of: ident, after: version)).get()
  }

  private func storedReciprocals(
    of ident: FileIdentifier, after version: UInt64
  ) throws(StorageError) -> Outcome<[UInt64: [UInt8]]> {
    var found: [UInt64: [UInt8]] = [:]
    guard let keys = Self.keys(ident, after: version) else { return .success(found) }
    var rows = try ServerTables.reciprocals.table(in: read()).records(from: keys.lowerBound)
    while let row = try rows.next(), row.key <= keys.upperBound {
      do throws(StorageError) {
        found[ServerTables.version(in: row.key)] = try row.bytes("changeset")
      } catch {
        return .failure(Self.unreadable(row, of: ident, error))
      }
    }
    return .success(found)
  }

  func privates(
    of ident: FileIdentifier, after version: UInt64
  ) throws(StoreError) -> [PrivateChange] {
    try StoreError.storing(storedPrivates(of: ident, after: version)).get()
  }

  private func storedPrivates(
    of ident: FileIdentifier, after version: UInt64
  ) throws(StorageError) -> Outcome<[PrivateChange]> {
    var found: [PrivateChange] = []
    guard let keys = Self.keys(ident, after: version) else { return .success(found) }
    var rows = try ServerTables.privates.table(in: read()).records(from: keys.lowerBound)
    while let row = try rows.next(), row.key <= keys.upperBound {
      do throws(StorageError) {
        found.append(
          PrivateChange(
            file: ident, version: ServerTables.version(in: row.key),
            timestamp: OriginTimestamp(milliseconds: try row.bits("timestamp")),
            objects: try TouchReader.objects(row.optionalBytes("objects") ?? []),
            changeset: try row.bytes("changeset"), refusal: try PrivateChange.Refusal(row)))
      } catch {
        return .failure(Self.unreadable(row, of: ident, error))
      }
    }
    return .success(found)
  }

  private static func unreadable(
    _ row: RecordRow, of ident: FileIdentifier, _ error: StorageError
  ) -> StoreError {
    let version = ServerTables.version(in: row.key)
    return .unreadableFile(ident, "what belongs to version \(version): \(error)")
  }

  /// The keys of what belongs to a client and the versions after one; nil if there can be none.
  private static func keys(
    _ ident: FileIdentifier, after version: UInt64
  ) -> ClosedRange<ObjectKey>? {
    guard ident.rawValue < ServerTables.identLimit, version + 1 < ServerTables.versionLimit
    else { return nil }
    return ServerTables.keys(ident, version + 1...ServerTables.versionLimit - 1)
  }
}

// MARK: Appending

extension EmbeddedRealm {
  func append(
    expecting version: UInt64, epoch: UInt64,
    _ build: (WriteGroup) throws(StorageError) -> Batch?
  ) throws(StoreError) -> RealmHead? {
    var stored: Batch?
    let outcome = try StoreError.storing(write(expecting: version, epoch: epoch, build, &stored))
    if let stored { recent.withLock { $0.append(stored) } }
    let head = try outcome.get()
    if let head, stored?.hasChanges == true { onHead(head) }
    return head
  }

  private func write(
    expecting version: UInt64, epoch: UInt64,
    _ build: (WriteGroup) throws(StorageError) -> Batch?, _ stored: inout Batch?
  ) throws(StorageError) -> Outcome<RealmHead?> {
    try write { (group) throws(StorageError) -> Outcome<RealmHead?> in
      let meta = try ServerTables.meta(in: group)
      let head = try RealmHead(id, meta)
      guard head.epoch == epoch else { return .failure(.fenced) }
      guard head.version == version else { return .failure(.conflict(head)) }
      guard let batch = try build(group) else { return .success(nil) }
      if let refusal = batch.refusal(after: head) { return .failure(refusal) }
      for file in batch.files {
        if let refusal = try store(file, in: group) { return .failure(refusal) }
      }
      for file in batch.forgotten { try forget(file, in: group) }
      try store(batch.entries, in: group)
      for change in batch.reciprocals {
        try row(ServerTables.reciprocals, change.file, change.version, in: group)
          .set(change.changeset, "changeset")
      }
      for change in batch.privates { try store(change, in: group) }
      if let through = batch.trimsThrough {
        try trimHistory(from: head.base, through: through, in: group)
      }
      let newer = batch.head(after: head)
      try meta.set(newer.version, "version")
      try meta.set(newer.salt, "salt")
      try meta.set(Int64(newer.totalByteCount), "total_size")
      try meta.set(newer.base, "base")
      stored = batch
      return .success(newer)
    }
  }

  private func store(_ entries: [StoredEntry], in group: WriteGroup) throws(StorageError) {
    guard !entries.isEmpty else { return }
    let history = try ServerTables.history.table(in: group)
    let touches = try ServerTables.touches.table(in: group)
    for entry in entries {
      let key = ServerTables.key(entry.version)
      try entry.write(to: history.create(under: key))
      guard !entry.touches.isEmpty else { continue }
      try touches.create(under: key).set(TouchWriter.encode(entry.touches), "touches")
    }
  }

  /// The row that belongs to a file and a version, which is made if there is none.
  private func row(
    _ layout: RecordLayout, _ ident: FileIdentifier, _ version: UInt64, in group: WriteGroup
  ) throws(StorageError) -> RecordRow {
    let table = try layout.table(in: group)
    let key = ServerTables.key(ident, version)
    if let known = try table.record(key) { return known }
    return try table.create(under: key)
  }

  private func store(_ change: PrivateChange, in group: WriteGroup) throws(StorageError) {
    guard !change.isRemoval else {
      return try trim(
        ServerTables.privates, change.file, change.version...change.version, in: group)
    }
    let row = try row(ServerTables.privates, change.file, change.version, in: group)
    try row.set(change.changeset, "changeset")
    try row.set(change.timestamp.milliseconds, "timestamp")
    try row.set(TouchWriter.encode(objects: change.objects), "objects")
    guard let refusal = change.refusal else { return }
    try row.set(refusal.clientVersion, "refused_version")
    try row.set(refusal.sent, "sent")
    guard !refusal.objects.isEmpty else { return }
    try row.set(TouchWriter.encode(objects: refusal.objects), "refused_objects")
    let unseen = refusal.objects.filter { refusal.outsideOfView.contains($0) }
    try row.set(TouchWriter.encode(objects: unseen), "unseen_objects")
  }

  private func trimHistory(
    from base: UInt64, through version: UInt64, in group: WriteGroup
  ) throws(StorageError) {
    guard base < version else { return }
    for layout in [ServerTables.history, ServerTables.touches] {
      let table = try layout.table(in: group)
      try table.delete(table.keys(in: ServerTables.key(base + 1)...ServerTables.key(version)))
    }
  }

  // MARK: Client files

  func allocateFile(for user: String, now: OriginTimestamp) throws(StoreError) -> ClientFile {
    var first = firstIdent.withLock { $0 }
    let file = try StoreError.storing(
      write { (group) throws(StorageError) -> Outcome<ClientFile?> in
        guard let ident = try GivenIdents(in: group).next(after: &first, salts) else {
          return .failure(.limit("a realm has no files left"))
        }
        let file = ClientFile(
          ident: FileIdentifier(ident), salt: salts.next(), user: user, lastSeen: now)
        try file.write(
          to: ServerTables.files.table(in: group).create(under: ServerTables.key(file.ident)))
        return .success(file)
      }
    ).get()
    guard let file else { throw .damaged("a file was not allocated") }
    firstIdent.withLock { $0 = first }
    return file
  }

  /// Stores a file in its new state; returns why not.
  private func store(_ file: ClientFile, in group: WriteGroup) throws(StorageError) -> StoreError? {
    let row = try ServerTables.files.table(in: group).record(ServerTables.key(file.ident))
    guard let row else { return .unknownFile(file.ident) }
    let old = try ClientFile(row)
    guard file.follows(old) else {
      return .outOfOrder("a cursor of file \(file.ident.rawValue) goes back")
    }
    try file.write(to: row)
    let last = file.isExpired ? ServerTables.versionLimit - 1 : file.reciprocalBase
    guard old.reciprocalBase < last else { return nil }
    for layout in [ServerTables.reciprocals, ServerTables.privates] {
      try trim(layout, file.ident, old.reciprocalBase...last, in: group)
    }
    return nil
  }

  /// Removes the row of a file that is expired; nothing else of it was left.
  private func forget(_ ident: FileIdentifier, in group: WriteGroup) throws(StorageError) {
    let table = try ServerTables.files.table(in: group)
    guard let row = try table.record(ServerTables.key(ident)), try ClientFile(row).isExpired
    else { return }
    try table.delete(row.key)
  }

  private func trim(
    _ layout: RecordLayout, _ ident: FileIdentifier, _ versions: ClosedRange<UInt64>,
    in group: WriteGroup
  ) throws(StorageError) {
    let table = try layout.table(in: group)
    try table.delete(table.keys(in: ServerTables.keys(ident, versions)))
  }
}

extension PrivateChange.Refusal {
  /// The refusal of a private change; nil if it is none. Files of older servers lack it, until they
  /// are opened for writing.
  fileprivate init?(_ row: RecordRow) throws(StorageError) {
    guard let version = try row.optionalInteger("refused_version") else { return nil }
    self.init(
      clientVersion: UInt64(bitPattern: version), sent: try row.bytes("sent"),
      objects: try TouchReader.objects(row.optionalBytes("refused_objects") ?? []),
      outsideOfView: Set(try TouchReader.objects(row.optionalBytes("unseen_objects") ?? [])))
  }
}
