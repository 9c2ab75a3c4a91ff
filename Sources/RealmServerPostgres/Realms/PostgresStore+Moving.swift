// SPDX-License-Identifier: Apache-2.0

// Realms of a server's files become realms of the database.
//
// Invariants:
// 1. The head of a realm is there last: what was interrupted before is no realm with versions, and
//    begins again.

#if Postgres
package import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

extension PostgresStore {
  /// The end of the move of one realm.
  package enum MoveOutcome: Hashable, Sendable {
    case moved
    /// The database has the same realm already.
    case wasThere
  }

  /// Takes a realm of a file, with its history and its clients. Blocks the thread.
  ///
  /// The file is not changed, and must have no writer meanwhile. A call that was interrupted can be
  /// made again.
  ///
  /// - Throws: `StoreError.ambiguousName` if the database has another realm of the name.
  package func take(_ export: RealmExport) throws(StoreError) -> MoveOutcome {
    let head = try export.head()
    let realm = try opened(export.name)
    let found = try realm.newestRow()
    guard found.head.version == 0 || found.head.latest == head.latest else {
      throw .ambiguousName(export.name)
    }
    if found.head.latest == head.latest {
      // One without versions may have clients.
      let isWhole =
        head.version > 0 ? found.checkpoint > 0 : try realm.files().count == export.files().count
      if isWhole { return .wasThere }
    }
    if found.head.version == 0 {
      _ = try database.repeating(Statements.clear.map { $0(realm.key) })
      try copyClients(of: export, to: realm)
      try copyEntries(of: export, head, to: realm)
      try setHead(head, of: realm, found)
    }
    guard head.version > 0 else { return .moved }
    try StoreError.storing(
      realm.replica.install(export, version: head.version, salt: head.salt))
    defer { realm.replica.close() }
    // The entries alone do not make the objects: the history of a file is trimmed.
    if try realm.makeCheckpoint() { return .moved }
    guard try realm.newestRow().checkpoint >= head.version else {
      throw .unavailable(
        "another server has removed the objects of the realm \(realm.id.rawValue) while they came")
    }
    return .moved
  }

  private func copyClients(
    of export: RealmExport, to realm: PostgresRealm
  ) throws(StoreError) {
    var portion = Portion(database)
    for range in try export.idents() {
      try portion.add(
        Statements.setIdents(realm.key, .bits(range.lowerBound), .bits(range.upperBound)), 16)
    }
    for file in try export.files() {
      for text in [file.user, file.filters] {
        if let refusal = PostgresRealm.refusal(of: text) { throw refusal }
      }
      try portion.add(file.call(Statements.addFile, realm.number), 200 + file.filters.utf8.count)
      for change in try export.reciprocals(of: file.ident) {
        try portion.add(
          Statements.setReciprocal(
            realm.key, .bits(change.file.rawValue), .bits(change.version),
            .bytes(change.changeset)), change.changeset.count)
      }
      for change in try export.privates(of: file.ident) {
        try portion.add(change.call(realm.number), change.changeset.count)
      }
    }
    try portion.store()
  }

  private func copyEntries(
    of export: RealmExport, _ head: RealmHead, to realm: PostgresRealm
  ) throws(StoreError) {
    var portion = Portion(database)
    var next = head.base + 1
    while next <= head.version {
      let end = min(next + 200, head.version + 1)
      for entry in try export.entries(in: next..<end) {
        try portion.add(entry.call(realm.number), entry.changeset.count)
      }
      next = end
    }
    try portion.store()
  }

  private func setHead(
    _ head: RealmHead, of realm: PostgresRealm, _ found: RealmRow
  ) throws(StoreError) {
    guard head.version > 0 else { return }
    let rows = try database.repeating([
      Statements.claim(
        realm.key, .bits(0), .bits(found.head.epoch), .bits(head.version), .bits(head.salt),
        .int(Int64(head.totalByteCount)), .bits(head.base), .bits(salts.next()), .int(0),
        .text(node)),
      Statements.realm(realm.key),
    ])
    guard let values = rows[1].first,
      try StoreError.reading(RealmRow(values)).head.latest == head.latest
    else { throw .ambiguousName(realm.name) }
    _ = try database.repeating([
      Statements.giveUpLease(realm.key, .text(node), .bits(found.head.epoch))
    ])
    realm.learn(try realm.newestRow().head)
  }

  /// Statements that are carried out together, in one transaction of limited size.
  private struct Portion {
    private let database: Database
    private var calls: [DatabaseCall] = []
    private var byteCount = 0

    init(_ database: Database) { self.database = database }

    mutating func add(_ call: DatabaseCall, _ byteCount: Int) throws(StoreError) {
      calls.append(call)
      self.byteCount += byteCount
      if calls.count >= 1_000 || self.byteCount >= database.settings.portionByteCount {
        try store()
      }
    }

    /// Carries the statements out, or none of them. One that broke may be there: what it has added
    /// is removed when the move begins again.
    mutating func store() throws(StoreError) {
      guard !calls.isEmpty else { return }
      do throws(DatabaseError) {
        _ = try database.once([Statements.begin()] + calls + [Statements.commit()])
      } catch {
        throw StoreError(error)
      }
      (calls, byteCount) = ([], 0)
    }
  }
}
#endif
