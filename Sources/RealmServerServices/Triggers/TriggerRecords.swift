// SPDX-License-Identifier: Apache-2.0

// The triggers of an app, as records.
//
// Invariants:
// 1. What a call has changed is durable when it returns; a call that throws changes nothing, as far
//    as the records promise it (`RecordStore` 1).
// 2. Where several servers share the records, the one with the lease alone writes them, but for the
//    wishes of operators.

#if Server
package import RealmServerEngine
package import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// Stores the states and positions of triggers as records.
///
/// An actor whose executor is a thread of its own, as it waits for the disk or the database.
package actor TriggerRecords: TriggerStore {
  private static let meta = RecordLayout(
    "server_triggers_meta", [RecordField("layout", .int), RecordField("app", .string)])
  private static let triggers = RecordLayout(
    "server_triggers", hasPrimaryKey: true,
    [
      RecordField("name", .string), RecordField("subject", .string), RecordField("state", .string),
      RecordField("error", .string, isNullable: true),
      RecordField("error_time", .int, isNullable: true),
      RecordField("stopped", .int, isNullable: true), RecordField("number", .int),
      RecordField("request", .string, isNullable: true),
    ])
  /// The key is the name of the trigger, a line feed, and the realm.
  private static let positions = RecordLayout(
    "server_trigger_positions", hasPrimaryKey: true,
    [
      RecordField("key", .string), RecordField("trigger", .string), RecordField("version", .int),
      RecordField("salt", .int), RecordField("events", .int),
    ])
  private static let layout: Int64 = 1

  /// What another store of the same triggers has.
  static let copied = [triggers, positions]

  /// The first layout whose servers can share records of this one with later servers.
  private static let usableSince: Int64 = 1
  /// The row of `meta` with the layout of the records, and that with `usableSince`.
  private static let (layoutKey, usableKey) = (ObjectKey(0), ObjectKey(1))

  private let store: any RecordStore
  private nonisolated let thread: ThreadExecutor

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// Opens records, whose tables are made if there are none.
  package init(
    _ records: any RecordStore, app: String, thread: ThreadExecutor = ThreadExecutor()
  ) throws(StoreError) {
    store = records
    self.thread = thread
    let isShared = records.isShared
    try records.change { (group) throws(StorageError) in
      try Self.prepare(group, app, isShared)
    }
  }

  /// Opens a file, whose tables are made if it is new.
  package init(
    _ file: DatabaseFile, app: String, thread: ThreadExecutor = ThreadExecutor()
  ) throws(StoreError) {
    try self.init(LocalRecords(file), app: app, thread: thread)
  }

  /// Opens the file at a path; makes it if it is missing.
  package static func open(_ path: String, app: String) throws(StoreError) -> TriggerRecords {
    if !CompleteFile.exists(path) {
      try StoreError.storing(
        CompleteFile.make(path) { (file) throws(StorageError) in
          try WriteGroup(file.beginWrite()).commit { (group) throws(StorageError) in
            _ = try prepare(group, app, false)
          }
        })
    }
    return try TriggerRecords(LocalRecords.open(path), app: app)
  }

  /// Opens the file at a path, on a thread of its own.
  package static func opening(
    _ path: String, app: String
  ) async throws(StoreError) -> TriggerRecords {
    try await Opener().run { () throws(StoreError) in try open(path, app: app) }
  }

  /// Opens records on a thread of its own.
  ///
  /// - Parameter records: Gives the records; nil where there are none and none are made.
  package static func opening(
    app: String, _ records: @Sendable () throws(StoreError) -> (any RecordStore)?
  ) async throws(StoreError) -> TriggerRecords? {
    try await Opener().run { () throws(StoreError) -> TriggerRecords? in
      guard let records = try records() else { return nil }
      return try TriggerRecords(records, app: app)
    }
  }

  private actor Opener {
    private nonisolated let thread = ThreadExecutor(named: "realm-triggers")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe thread.asUnownedSerialExecutor()
    }

    func run<R: Sendable>(_ body: @Sendable () throws(StoreError) -> R) throws(StoreError) -> R {
      try body()
    }
  }

  /// Makes the tables, or checks them. Returns whether anything was written.
  private static func prepare(
    _ group: WriteGroup, _ app: String, _ isShared: Bool
  ) throws(StorageError) -> Bool {
    guard try group.table(named: meta.name) == nil else {
      try check(group, app, isShared)
      return false
    }
    for layout in [meta, triggers, positions] { try layout.make(in: group) }
    let table = try meta.table(in: group)
    for (key, number) in [(layoutKey, layout), (usableKey, usableSince)]
    where key == layoutKey || isShared {
      let row = try table.create(under: key)
      try row.set(number, "layout")
      try row.set(app, "app")
    }
    return true
  }

  private static func check(
    _ group: WriteGroup, _ app: String, _ isShared: Bool
  ) throws(StorageError) {
    let table = try meta.table(in: group)
    let other = StorageError.corrupted("the triggers have another layout")
    guard let row = try table.record(layoutKey) else { throw other }
    if try row.integer("layout") != layout {
      // A later server beside this one has made them.
      guard isShared, let usable = try table.record(usableKey),
        try usable.integer("layout") <= layout
      else { throw other }
    }
    let known = try row.text("app")
    guard known == app else { throw .corrupted("the triggers are those of the app \"\(known)\"") }
  }

  // MARK: Reading

  package func records() throws(StoreError) -> [TriggerRecord] {
    // Nothing else asks what other servers have changed.
    let newest = try store.takeChanges().newest
    return try StoreError.storing(Self.storedRecords(in: newest))
  }

  private static func storedRecords(
    in group: TableGroup
  ) throws(StorageError) -> [TriggerRecord] {
    var records: [TriggerRecord] = []
    var rows = try triggers.table(in: group).records()
    while let row = try rows.next() { records.append(try TriggerRecord(row)) }
    return records.sorted { $0.name < $1.name }
  }

  package func position(
    of trigger: String, in realm: RealmID
  ) throws(StoreError) -> TriggerPosition? {
    let group = try store.snapshot()
    return try StoreError.storing(Self.storedPosition(Self.key(trigger, realm), in: group))
  }

  private static func storedPosition(
    _ key: String, in group: TableGroup
  ) throws(StorageError) -> TriggerPosition? {
    guard let row = try positions.table(in: group).find(.string(key)) else { return nil }
    return TriggerPosition(
      version: try row.bits("version"), salt: try row.bits("salt"),
      eventCount: Int(try row.integer("events")))
  }

  private static func key(_ trigger: String, _ realm: RealmID) -> String {
    trigger + "\n" + realm.rawValue
  }

  // MARK: Changing

  package func put(
    _ record: TriggerRecord, positions: [RealmID: TriggerPosition]?
  ) throws(StoreError) {
    try change { (group) throws(StorageError) in
      let row = try Self.triggers.table(in: group).findOrCreate(.string(record.name))
      try record.write(to: row)
      guard let positions else { return }
      try Self.removePositions(of: record.name, in: group)
      try Self.write(positions, of: record.name, in: group)
    }
  }

  package func remove(_ trigger: String) throws(StoreError) {
    try change { (group) throws(StorageError) in
      let table = try Self.triggers.table(in: group)
      if let row = try table.find(.string(trigger)) { try table.delete(row.key) }
      try Self.removePositions(of: trigger, in: group)
    }
  }

  package func set(
    _ positions: [RealmID: TriggerPosition], of trigger: String
  ) throws(StoreError) {
    try change { (group) throws(StorageError) in
      try Self.write(positions, of: trigger, in: group)
    }
  }

  package func ask(
    _ request: TriggerRecord.Request, of trigger: String
  ) throws(StoreError) -> Bool {
    var isKnown = false
    try change(by: .anyServer) { (group) throws(StorageError) in
      let row = try Self.triggers.table(in: group).find(.string(trigger))
      try row?.set(request.rawValue, "request")
      isKnown = row != nil
    }
    return isKnown
  }

  package func set(number: Int64, of trigger: String) throws(StoreError) {
    try change { (group) throws(StorageError) in
      try Self.triggers.table(in: group).find(.string(trigger))?.set(number, "number")
    }
  }

  private func change(
    by author: RecordAuthor = .leaseholder, _ body: (WriteGroup) throws(StorageError) -> Void
  ) throws(StoreError) {
    try store.change(by: author) { (group) throws(StorageError) in
      try body(group)
      return true
    }
  }

  private static func write(
    _ positions: [RealmID: TriggerPosition], of trigger: String, in group: WriteGroup
  ) throws(StorageError) {
    let table = try Self.positions.table(in: group)
    for (realm, position) in positions.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let row = try table.findOrCreate(.string(key(trigger, realm)))
      try row.set(trigger, "trigger")
      try row.set(position.version, "version")
      try row.set(position.salt, "salt")
      try row.set(Int64(position.eventCount), "events")
    }
  }

  /// Reads all positions.
  private static func removePositions(
    of trigger: String, in group: WriteGroup
  ) throws(StorageError) {
    try positions.table(in: group).removeAll("trigger", in: [trigger])
  }
}

// MARK: The lease

extension TriggerRecords: TriggerLease {
  package nonisolated var lease: (any TriggerLease)? { store.lease == nil ? nil : self }

  package nonisolated func news() -> AsyncStream<Void> { store.news() }

  package nonisolated var isHeld: Bool { store.lease?.isHeld ?? true }

  /// Often enough that one failure does not end the lease.
  package nonisolated var interval: Milliseconds {
    Milliseconds((store.lease?.milliseconds ?? 0) / 3)
  }

  package func take() throws(StoreError) -> Bool { try store.lease?.take() ?? true }

  package func renew() -> Bool { store.lease?.renew() ?? true }

  package func giveUp() { store.lease?.giveUp() }
}

extension TriggerRecord {
  fileprivate init(_ row: RecordRow) throws(StorageError) {
    self.init(try row.text("name"), subject: try row.text("subject"))
    guard let state = State(rawValue: try row.text("state")) else {
      throw .corrupted("the trigger \"\(name)\" has an unknown state")
    }
    self.state = state
    error = try row.optionalText("error")
    errorTime = try row.optionalTime("error_time")
    stopped = try row.optionalTime("stopped")
    number = try row.integer("number")
    request = try row.optionalText("request").flatMap { Request(rawValue: $0) }
  }

  fileprivate func write(to row: RecordRow) throws(StorageError) {
    try row.set(subject, "subject")
    try row.set(state.rawValue, "state")
    try row.set(error, "error")
    try row.set(errorTime.map { Int64(bitPattern: $0.milliseconds) }, "error_time")
    try row.set(stopped.map { Int64(bitPattern: $0.milliseconds) }, "stopped")
    try row.set(number, "number")
    try row.set(request?.rawValue, "request")
  }
}
#endif
