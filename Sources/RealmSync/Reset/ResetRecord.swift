// SPDX-License-Identifier: Apache-2.0

// The memory of a reset that has not led to a complete synchronisation yet (P3 C.3, P5 7): the
// guard against resets that follow each other without end.
//
// 1. There is at most one record. Deployed clients read it, too, so what they do not know is in a
//    table of its own.
// 2. It is stored before the transaction of its reset, and goes when everything was uploaded and
//    then downloaded, or when the reset has failed and left the file as it was.
// 3. A server that was restored from a backup again asks for no cycle: each reset leads to another
//    history. So many of them may follow each other.

package import RealmStorage
import RealmSyncProtocol
package import RealmTables
import RealmText

/// The record of a reset.
package struct ResetRecord: Hashable, Sendable {
  /// How many resets may follow each other as the server has another history each time. A server
  /// that says so for ever is none that was restored.
  package static let restoresMax = 8

  /// The version of the library that made it.
  package var libraryVersion: String
  package var time: Timestamp
  package var recovers: Bool
  package var action: Action
  package var errorCode: Int64
  package var errorMessage: String
  /// The resets before this one that the server asked for as it had another history, since the
  /// last complete synchronisation.
  package var restores = 0

  /// What the server has asked for, with its number in files.
  package enum Action: Int64, Hashable, Sendable {
    case clientReset = 1
    case clientResetWithoutRecovery = 2
    case migrateToFlexible = 3
    case revertToPartition = 4
  }

  /// The record of a reset that is about to begin.
  ///
  /// - Parameter last: The record of the reset before it; nil if the file was synchronised since.
  package init(
    _ cause: ResetCause, recovers: Bool, at time: Timestamp, after last: ResetRecord? = nil
  ) {
    libraryVersion = LibraryVersion.text
    self.time = time
    self.recovers = recovers
    action = cause.mayRecover ? .clientReset : .clientResetWithoutRecovery
    errorCode = Int64(cause.code.rawValue)
    errorMessage = cause.document.message
    if let last { restores = last.restores + (cause.isOfAnotherHistory ? 1 : 0) }
  }

  /// The mode of the next reset, which follows this one.
  ///
  /// - Throws: `ResetError.repeated` if it would be done in vain.
  package func next(_ wanted: ResetMode, _ cause: ResetCause) throws(ResetError) -> ResetMode {
    guard libraryVersion == LibraryVersion.text,
      action == .clientReset || action == .clientResetWithoutRecovery
    else { return wanted }
    if cause.isOfAnotherHistory, restores < Self.restoresMax { return wanted }
    switch (recovers, wanted) {
    case (true, .discard), (true, .recoverOrDiscard): return .discard
    case (false, _), (true, .recover):
      let last = recovers ? ResetMode.recover : .discard
      throw .repeated(
        "A previous '\(last.name)' mode reset from \(time.text) did not succeed, giving up on "
          + "'\(wanted.name)' mode to prevent a cycle")
    }
  }
}

// MARK: Storing

extension ResetRecord {
  private static let layout = RecordLayout(
    "client_reset_metadata",
    [
      RecordField("core_version", .string), RecordField("time", .timestamp),
      RecordField("mode", .int), RecordField("action", .int), RecordField("error_code", .int),
      RecordField("error_msg", .string),
    ])

  /// The number that deployed clients do not know.
  private static let chain = RecordLayout(
    "openrealm_reset_chain", [RecordField("restores", .int)])

  /// The record of a version; nil if there is none, or one in a form that is not known.
  package static func stored(in group: TableGroup) throws(StorageError) -> ResetRecord? {
    guard let table = try? layout.find(in: group) else { return nil }
    var rows = try table.records()
    guard let row = try rows.next(), var record = try ResetRecord(row) else { return nil }
    if let table = try chain.find(in: group) {
      var rows = try table.records()
      record.restores = try Int(clamping: rows.next()?.integer("restores") ?? 0)
    }
    return record
  }

  private init?(_ row: RecordRow) throws(StorageError) {
    guard let action = Action(rawValue: try row.integer("action")) else { return nil }
    self.action = action
    libraryVersion = try row.text("core_version")
    time = try row.timestamp("time")
    recovers = try row.integer("mode") == 1
    errorCode = try row.integer("error_code")
    errorMessage = try row.text("error_msg")
  }

  /// Stores the record, in place of another one.
  package func store(in group: WriteGroup) throws(StorageError) {
    try Self.remove(in: group)
    try Self.layout.makeIfMissing(in: group)
    let row = try Self.layout.table(in: group).create()
    try row.set(libraryVersion, "core_version")
    try row.set(.timestamp(time), "time")
    try row.set(recovers ? 1 : 0, "mode")
    try row.set(action.rawValue, "action")
    try row.set(errorCode, "error_code")
    try row.set(errorMessage, "error_msg")
    guard restores > 0 else { return }
    try Self.chain.makeIfMissing(in: group)
    try Self.chain.table(in: group).create().set(clamping: restores, "restores")
  }

  /// Removes the record, and a table of another form.
  package static func remove(in group: WriteGroup) throws(StorageError) {
    try chain.remove(from: group)
    guard let table = try group.table(named: layout.name) else { return }
    guard let records = try? layout.table(in: group),
      table.schema.columns.count == layout.fields.count
    else { return try group.removeTable(table.key) }
    try records.delete(records.keys())
  }
}

extension Timestamp {
  /// The time as texts have it, in UTC.
  fileprivate var text: String {
    guard let time = CalendarTime(seconds: seconds, nanoseconds: nanoseconds) else {
      return "an unknown time"
    }
    return "\(time.day.text) \(time.timeOfDay) UTC"
  }
}
