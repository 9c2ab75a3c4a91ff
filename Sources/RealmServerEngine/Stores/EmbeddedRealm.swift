// SPDX-License-Identifier: Apache-2.0

// A realm in a file of our own.
//
// Invariants:
// 1. One write transaction is one append: objects, entries, client files and what belongs to them
//    move together, and are on the disk when the call returns.
// 2. Versions and cursors never go back, and the versions of the entries have no gaps.

import RealmStorage
import RealmTables

/// The open file of a realm. Its calls block.
///
/// What is below its calls throws errors of the database alone, and refuses with a value.
final class EmbeddedRealm: RealmStore {
  /// What is found, or why it is refused.
  typealias Outcome<R> = Result<R, StoreError>

  let id: RealmID
  let name: RealmName
  let file: DatabaseFile
  private let schemas = SchemaCache()
  private let keyBounds = KeyBoundCache()
  let recent = Locked(RecentEntries())
  let salts: SaltSource
  private let onProblem: @Sendable (String) -> Void
  let onHead: @Sendable (RealmHead) -> Void
  private let onClose: @Sendable (EmbeddedRealm) -> Void
  /// The first identifier of a client file that this opening of the file gave.
  let firstIdent = Locked<UInt64?>(nil)
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

  /// Opens a file that is there.
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

  func read() throws(StorageError) -> TableGroup {
    try TableGroup(file.snapshot(), schemas: schemas)
  }

  private func begin() throws(StorageError) -> WriteGroup {
    try WriteGroup(file.beginWrite(), schemas: schemas, keyBounds: keyBounds)
  }

  /// Runs a transaction, which is rolled back if `body` throws, refuses or gives nil.
  func write<R>(
    _ body: (WriteGroup) throws(StorageError) -> Outcome<R?>
  ) throws(StorageError) -> Outcome<R?> {
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

  func head(of group: TableGroup) throws(StorageError) -> RealmHead {
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

  /// Reports what cannot be read, once.
  func report(_ problem: String) {
    guard reported.withLock({ $0.insert(problem) }) else { return }
    onProblem("\(id.rawValue): \(problem)")
  }
}
