// SPDX-License-Identifier: Apache-2.0

// What is read of a realm in a file: versions, entries, and what belongs to clients.

import RealmStorage
import RealmSyncProtocol
import RealmTables

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
