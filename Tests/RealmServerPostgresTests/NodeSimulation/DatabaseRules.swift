// SPDX-License-Identifier: Apache-2.0

// The rules of a realm in the database, whichever nodes write to it.
//
// 1. Version, epoch and base never go back.
// 2. The node that took an epoch is the only one that appends with it.
// 3. Versions follow each other without a gap, and none is written twice.
// 4. A change of a client is there once, and after its earlier ones; what the client's file says
//    the database has, is there.

#if Postgres
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol

@testable import RealmServerPostgres

/// Follows the row of a realm and its history.
struct DatabaseRules {
  let realm: RealmName
  private var row: RealmRow?
  /// The processes by the epochs that they took.
  private var owners: [UInt64: Int] = [:]
  /// The salts of all versions.
  private var salts: [UInt64: UInt64] = [:]
  /// The newest change of each client file.
  private var newest: [FileIdentifier: UInt64] = [:]
  private var stored: [FileIdentifier: Set<UInt64>] = [:]
  /// The number of stored changes.
  private(set) var changeCount = 0
  /// What the history makes of nothing.
  private(set) var content = ClientContent()
  private(set) var problems: [String] = []

  init(of realm: RealmName) { self.realm = realm }

  /// Whether a change of a client is stored.
  func isStored(_ file: FileIdentifier, _ version: UInt64) -> Bool {
    stored[file]?.contains(version) ?? false
  }

  /// Whether a version was stored with a salt.
  func has(_ version: UInt64, _ salt: UInt64) -> Bool {
    version == 0 || salts[version] == salt
  }

  var head: (version: UInt64, epoch: UInt64) {
    (version: row?.head.version ?? 0, epoch: row?.head.epoch ?? 0)
  }

  /// The process that took the newest epoch.
  var owner: Int? { owners[row?.head.epoch ?? 0] }

  private mutating func fail(_ problem: String) { problems.append("the database: \(problem)") }

  /// Notes that a process took an epoch.
  mutating func own(_ epoch: UInt64, by process: Int) {
    if let known = owners[epoch] {
      return fail("the epoch \(epoch) is taken by \(process), after \(known)")
    }
    owners[epoch] = process
  }

  /// Compares what is committed with what was, after statements of a process.
  mutating func check(_ database: SimulatedDatabase, after process: Int) throws {
    let id = realm.fileID.rawValue
    guard let values = try database.committed(Statements.realmByID(.text(id))).first else { return }
    let new = try RealmRow(values)
    defer { row = new }
    guard let old = row?.head, new != row else { return }
    let head = new.head
    if head.version < old.version || head.epoch < old.epoch || head.base < old.base {
      fail("the head goes back from \(old) to \(head)")
    }
    guard head.version > old.version else { return }
    if owners[head.epoch] != process {
      fail(
        """
        process \(process) appends with the epoch \(head.epoch), which process \
        \(owners[head.epoch] ?? 0) took
        """)
    }
    let rows = try database.committed(
      Statements.entries(
        .int(new.number), .bits(old.version + 1), .bits(head.version), .int(1 << 30)))
    try add(rows.map { try StoredEntry.reading($0).entry }, after: old.version, through: head)
    try checkFiles(database, new.number)
  }

  private mutating func add(
    _ entries: [StoredEntry], after version: UInt64, through head: RealmHead
  ) throws {
    let versions = entries.map(\.version)
    if versions != Array(version + 1..<head.version + 1) {
      fail("after version \(version) come \(versions), not those up to \(head.version)")
    }
    for entry in entries {
      if salts.updateValue(entry.salt, forKey: entry.version) != nil {
        fail("the version \(entry.version) is written twice")
      }
      try content.apply(entry.changeset)
      guard entry.file > .server else { continue }
      if entry.clientVersion <= newest[entry.file] ?? 0 {
        fail("the change \(entry.clientVersion) of file \(entry.file.rawValue) is there twice")
      }
      newest[entry.file] = entry.clientVersion
      stored[entry.file, default: []].insert(entry.clientVersion)
      changeCount += 1
    }
    if entries.last?.salt != head.salt { fail("the head has another salt than its version") }
  }

  private mutating func checkFiles(_ database: SimulatedDatabase, _ number: Int64) throws {
    for values in try database.committed(Statements.files(.int(number), .int(0))) {
      let file = try ClientFile(values)
      guard file.clientVersion > 0 else { continue }
      for version in 1...file.clientVersion where !isStored(file.ident, version) {
        fail("the file \(file.ident.rawValue) has \(file.clientVersion), and \(version) is missing")
      }
      if let last = newest[file.ident], last > file.clientVersion {
        fail("the file \(file.ident.rawValue) has \(file.clientVersion), and \(last) is there")
      }
    }
  }
}
#endif
