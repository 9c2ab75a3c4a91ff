// SPDX-License-Identifier: Apache-2.0

// The file of an app's triggers.
//
// Invariants:
// 1. What a call has changed is on the disk when it returns; a call that throws changes nothing.

package import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Stores the records and positions of triggers in a realm file.
///
/// An actor whose executor is a thread of its own, as it waits for the disk.
package actor TriggerFile: TriggerStore {
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

  private let file: DatabaseFile
  private nonisolated let thread: ThreadExecutor
  private let schemas = SchemaCache()
  private let keyBounds = KeyBoundCache()

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// Opens a file, whose tables are made if it is new.
  package init(
    _ file: DatabaseFile, app: String, thread: ThreadExecutor = ThreadExecutor()
  ) throws(StoreError) {
    self.file = file
    self.thread = thread
    try StoreError.storing(Self.prepare(file, app))
  }

  /// Opens the file at a path; makes it if it is missing.
  package static func open(_ path: String, app: String) throws(StoreError) -> TriggerFile {
    if !CompleteFile.exists(path) {
      try StoreError.storing(
        CompleteFile.make(path) { (file) throws(StorageError) in try prepare(file, app) })
    }
    let file = try StoreError.storing(
      DatabaseFile.open(
        path: path, options: OpenOptions(mustExist: true), system: SystemFiles(isPrivate: true)))
    return try TriggerFile(file, app: app)
  }

  /// Opens the file at a path, on a thread of its own.
  package static func opening(
    _ path: String, app: String
  ) async throws(StoreError) -> TriggerFile {
    try await Opener().open(path, app)
  }

  private actor Opener {
    private nonisolated let thread = ThreadExecutor(named: "realm-triggers")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe thread.asUnownedSerialExecutor()
    }

    func open(_ path: String, _ app: String) throws(StoreError) -> TriggerFile {
      try TriggerFile.open(path, app: app)
    }
  }

  private static func prepare(_ file: DatabaseFile, _ app: String) throws(StorageError) {
    let group = try WriteGroup(file.beginWrite())
    try group.orRollback { () throws(StorageError) in
      guard try group.table(named: meta.name) == nil else {
        try check(group, app)
        return group.rollback()
      }
      for layout in [meta, triggers, positions] { try layout.make(in: group) }
      let row = try meta.table(in: group).create(under: ObjectKey(0))
      try row.set(layout, "layout")
      try row.set(app, "app")
      _ = try group.commit()
    }
  }

  private static func check(_ group: WriteGroup, _ app: String) throws(StorageError) {
    guard let row = try meta.table(in: group).record(ObjectKey(0)),
      try row.integer("layout") == layout
    else { throw .corrupted("the triggers have another layout") }
    let known = try row.text("app")
    guard known == app else { throw .corrupted("the triggers are those of the app \"\(known)\"") }
  }

  // MARK: Reading

  package func records() throws(StoreError) -> [TriggerRecord] {
    try StoreError.storing(storedRecords())
  }

  private func storedRecords() throws(StorageError) -> [TriggerRecord] {
    var records: [TriggerRecord] = []
    var rows = try Self.triggers.table(in: snapshot()).records()
    while let row = try rows.next() { records.append(try TriggerRecord(row)) }
    return records.sorted { $0.name < $1.name }
  }

  package func position(
    of trigger: String, in realm: RealmID
  ) throws(StoreError) -> TriggerPosition? {
    try StoreError.storing(storedPosition(Self.key(trigger, realm)))
  }

  private func storedPosition(_ key: String) throws(StorageError) -> TriggerPosition? {
    guard let row = try Self.positions.table(in: snapshot()).find(.string(key)) else { return nil }
    return TriggerPosition(
      version: try row.bits("version"), salt: try row.bits("salt"),
      eventCount: Int(try row.integer("events")))
  }

  private func snapshot() throws(StorageError) -> TableGroup {
    try TableGroup(file.snapshot(), schemas: schemas)
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
    try change { (group) throws(StorageError) in
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

  private func change(_ body: (WriteGroup) throws(StorageError) -> Void) throws(StoreError) {
    try StoreError.storing(
      WriteGroup(file.beginWrite(), schemas: schemas, keyBounds: keyBounds).commit(after: body))
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
