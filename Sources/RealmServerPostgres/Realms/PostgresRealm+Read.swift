// SPDX-License-Identifier: Apache-2.0

// Reading a realm in a database: entries, client files and their changes. Long answers are
// read in portions.

#if Postgres
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

extension PostgresRealm {
  func entries(in range: Range<UInt64>) throws(StoreError) -> [StoredEntry] {
    guard !range.isEmpty else { return [] }
    if let known = recentEntries(in: range.lowerBound...range.upperBound - 1) { return known }
    let row = try newestRow()
    learn(row.head)
    guard range.lowerBound <= row.head.version else { return [] }
    let first = max(range.lowerBound, 1)
    guard first > row.head.base else { throw .trimmed(through: row.head.base) }
    let last = min(range.upperBound - 1, row.head.version)
    guard first <= last else { return [] }
    var found: [StoredEntry] = []
    var next = first
    while next <= last {
      let portion = try entries(
        from: next, through: last, byteCount: database.settings.portionByteCount)
      guard portion.first?.version == next else {
        let base = try newestRow().head.base
        if next <= base { throw .trimmed(through: base) }
        throw .damaged("entries are missing between versions \(next) and \(last)")
      }
      found += portion
      next += UInt64(portion.count)
    }
    return found
  }

  private func recentEntries(in range: ClosedRange<UInt64>) -> [StoredEntry]? {
    guard range.lowerBound > known.base else { return nil }
    return recent.withLock { $0.entries(in: range).map { Array($0) } }
  }

  /// A portion of consecutive entries.
  func entries(
    from first: UInt64, through last: UInt64, byteCount: Int
  ) throws(StoreError) -> [StoredEntry] {
    let rows = try database.repeating([
      Statements.entries(key, .bits(first), .bits(last), .int(Int64(byteCount)))
    ])[0]
    var entries: [StoredEntry] = []
    for values in rows {
      let read = try StoreError.reading(StoredEntry.reading(values))
      var entry = read.entry
      if let previous = entries.last, entry.version != previous.version + 1 { break }
      entry.touches = try touches(read.touches, of: entry)
      entries.append(entry)
    }
    return entries
  }

  /// The touches of an entry. Where they cannot be read, its changeset has the objects at least.
  private func touches(
    _ bytes: [UInt8], of entry: StoredEntry
  ) throws(StoreError) -> [Touch] {
    do throws(StorageError) {
      return try TouchReader.decode(bytes)
    } catch {
      events.onProblem("\(id.rawValue): the touches of version \(entry.version): \(error)")
    }
    do throws(ChangesetError) {
      return try Touch.unknown(in: ChangesetParser.parse(entry.changeset))
    } catch {
      throw .unreadableEntry(version: entry.version, "\(error)")
    }
  }

  // MARK: Clients

  func file(_ ident: FileIdentifier) throws(StoreError) -> ClientFile? {
    guard ident.rawValue < ServerTables.identLimit else { return nil }
    let known = withClients { (file: $0[ident].file, count: $0.appendCount) }
    if let file = known?.file { return file }
    let rows = try database.repeating([Statements.file(key, .bits(ident.rawValue))])[0]
    guard let values = rows.first else { return nil }
    let file = try StoreError.reading(ClientFile(values))
    if let known { withClients { $0.note(ident, after: known.count) { $0.file = file } } }
    return file
  }

  func files() throws(StoreError) -> [ClientFile] {
    var files: [ClientFile] = []
    while true {
      let after = DatabaseValue.bits(files.last?.ident.rawValue ?? 0)
      let rows = try database.repeating([Statements.files(key, after)])[0]
      for values in rows { files.append(try StoreError.reading(ClientFile(values))) }
      guard rows.count >= 1_000 else { return files }
    }
  }

  func reciprocals(
    of ident: FileIdentifier, after version: UInt64
  ) throws(StoreError) -> [UInt64: [UInt8]] {
    let known = withClients { (after: $0[ident].noReciprocalsAfter, count: $0.appendCount) }
    if let after = known?.after, after <= version { return [:] }
    var found: [UInt64: [UInt8]] = [:]
    try forEach(Statements.reciprocals, of: ident, after: version) {
      (values) throws(StoredValueError) -> UInt64 in
      let row = DatabaseRowReader(values)
      let version = try row.bits(0)
      found[version] = try row.bytes(1)
      return version
    }
    if let known, found.isEmpty {
      withClients { $0.note(ident, after: known.count) { $0.noReciprocalsAfter = version } }
    }
    return found
  }

  func privates(
    of ident: FileIdentifier, after version: UInt64
  ) throws(StoreError) -> [PrivateChange] {
    let known = withClients { (after: $0[ident].noPrivatesAfter, count: $0.appendCount) }
    if let after = known?.after, after <= version { return [] }
    var found: [PrivateChange] = []
    try forEach(Statements.privates, of: ident, after: version) {
      (values) throws(StoredValueError) -> UInt64 in
      let change = try PrivateChange(values, of: ident)
      found.append(change)
      return change.version
    }
    if let known, found.isEmpty {
      withClients { $0.note(ident, after: known.count) { $0.noPrivatesAfter = version } }
    }
    return found
  }

  /// Reads the rows of a client for the versions after one.
  private func forEach(
    _ statement: DatabaseStatement, of ident: FileIdentifier, after version: UInt64,
    _ body: ([DatabaseValue]) throws(StoredValueError) -> UInt64
  ) throws(StoreError) {
    guard ident.rawValue < ServerTables.identLimit, version < ServerTables.versionLimit
    else { return }
    var last = version
    while true {
      let rows = try database.repeating([
        statement(key, .bits(ident.rawValue), .bits(last))
      ])[0]
      for values in rows {
        do throws(StoredValueError) {
          last = try body(values)
        } catch {
          throw .unreadableFile(ident, "what belongs to a version after \(last): \(error.reason)")
        }
      }
      guard rows.count >= 1_000 else { return }
    }
  }
}
#endif
