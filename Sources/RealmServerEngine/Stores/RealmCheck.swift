// SPDX-License-Identifier: Apache-2.0

// Whether the file of a realm is whole: as a database, and as the history of a realm.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The findings about a version of a realm's file, as sentences without full stops.
///
/// The check never stops at the first finding: what can still be read is checked on.
struct RealmCheck {
  private static let findingCountMax = 1_000

  private(set) var findings: [String]
  private let group: TableGroup
  private var head = RealmHead(realm: RealmID(""))

  init(_ realm: RealmID, _ snapshot: Snapshot) throws(StorageError) {
    findings = try InspectedFiles.damage(in: snapshot)
    group = try TableGroup(snapshot, schemas: SchemaCache())
    do throws(StorageError) {
      let meta = try ServerTables.meta(in: group)
      head = try RealmHead(realm, meta)
      let layout = try meta.bits("layout")
      guard layout == ServerTables.layout else {
        report("it has layout \(layout) instead of \(ServerTables.layout)")
        return
      }
      let name = try RealmName(meta)
      if name.fileID != realm { report("it is the file of the realm \(name.fileID.rawValue)") }
      if head.base > head.version { report("it has lost versions that it never had") }
    } catch {
      report("\(error)")
      return
    }
    attempt("the history") { (check) throws(StorageError) in try check.checkHistory() }
    var files: Set<FileIdentifier> = []
    attempt("the client files") { (check) throws(StorageError) in
      files = try check.checkFiles()
    }
    for layout in [ServerTables.reciprocals, ServerTables.privates] {
      attempt("'\(layout.name)'") { (check) throws(StorageError) in
        try check.checkChanges(layout, of: files)
      }
    }
  }

  private mutating func report(_ finding: String) {
    if findings.count < Self.findingCountMax { findings.append(finding) }
  }

  /// Runs a part of the check, whose error is a finding.
  private mutating func attempt(
    _ part: String, _ body: (inout RealmCheck) throws(StorageError) -> Void
  ) {
    do throws(StorageError) {
      try body(&self)
    } catch {
      report("\(part): \(error)")
    }
  }

  // MARK: Versions

  private mutating func checkHistory() throws(StorageError) {
    var rows = try ServerTables.history.table(in: group).records(
      from: ServerTables.key(head.base + 1))
    let touches = try ServerTables.touches.table(in: group)
    var (expected, total) = (head.base + 1, 0)
    while let row = try rows.next() {
      let version = row.key.ordinal
      if version != expected { report("version \(version) follows version \(expected - 1)") }
      expected = version + 1
      var entry: StoredEntry?
      attempt("version \(version)") { (_) throws(StorageError) in entry = try StoredEntry(row) }
      guard let entry else { continue }
      check(entry, after: total)
      total = entry.totalByteCount
      attempt("the touches of version \(version)") { (_) throws(StorageError) in
        if let row = try touches.record(row.key) {
          _ = try TouchReader.decode(row.bytes("touches"))
        }
      }
    }
    if expected != head.version + 1 {
      report("it says that it is at version \(head.version), and has \(expected - 1)")
    }
  }

  private mutating func check(_ entry: StoredEntry, after total: Int) {
    if entry.salt == 0 || entry.version == head.version && entry.salt != head.salt {
      report("version \(entry.version) has a wrong salt")
    }
    if entry.totalByteCount < total {
      report("the size of version \(entry.version) is smaller than the one before")
    }
    check(entry.changeset, "version \(entry.version)")
  }

  private mutating func check(_ changeset: [UInt8], _ name: String) {
    do throws(ChangesetError) {
      _ = try ChangesetParser.parse(changeset)
    } catch {
      report("\(name) has a changeset that cannot be read: \(error)")
    }
  }

  // MARK: Clients

  private mutating func checkFiles() throws(StorageError) -> Set<FileIdentifier> {
    var files: Set<FileIdentifier> = []
    var rows = try ServerTables.files.table(in: group).records()
    while let row = try rows.next() {
      let ident = UInt64(bitPattern: row.key.rawValue)
      guard ident > 0, ident < ServerTables.identLimit else {
        report("a client file has the identifier \(ident)")
        continue
      }
      attempt("the client file \(ident)") { (check) throws(StorageError) in
        let file = try ClientFile(row)
        files.insert(file.ident)
        if file.salt == 0 { check.report("the client file \(ident) has no salt") }
        if file.reciprocalBase > check.head.version {
          check.report("the client file \(ident) is at a version that is not there")
        }
      }
    }
    return files
  }

  /// Checks what is kept for clients and versions.
  private mutating func checkChanges(
    _ layout: RecordLayout, of files: Set<FileIdentifier>
  ) throws(StorageError) {
    var rows = try layout.table(in: group).records()
    while let row = try rows.next() {
      let file = FileIdentifier(UInt64(bitPattern: row.key.rawValue) >> 40)
      let version = ServerTables.version(in: row.key)
      let name = "'\(layout.name)' of file \(file.rawValue) at version \(version)"
      if !files.contains(file) { report("\(name) is of no client file") }
      if version > head.version { report("\(name) is of no version") }
      var changeset: [UInt8]?
      attempt(name) { (_) throws(StorageError) in
        changeset = try row.bytes("changeset")
        if layout === ServerTables.privates {
          _ = try TouchReader.objects(row.optionalBytes("objects") ?? [])
        }
      }
      if let changeset { check(changeset, name) }
    }
  }
}
