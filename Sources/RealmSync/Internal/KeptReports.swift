// SPDX-License-Identifier: Apache-2.0

// What the program has not heard of yet: reports of refused writes, and a reset (P3 C.3).
//
// 1. A report is stored before the cursor reaches the version that undoes its writes: until then
//    the server sends it again, and from then on nobody else has it. A reset is noted by its
//    commit.
// 2. It goes when the program has it: a crash in between lets the next start report it again.

import RealmFormats
package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// The reports that a file keeps for its program.
package enum KeptReports {
  private static let layout = RecordLayout(
    "openrealm_reports", hasPrimaryKey: true,
    [RecordField("version", .int), RecordField("document", .string)])

  /// The reports of a version, in the order of their server versions. What cannot be read is left
  /// out.
  package static func stored(in group: TableGroup) throws(StorageError) -> [ErrorDocument] {
    guard let table = try layout.find(in: group) else { return [] }
    var documents: [ErrorDocument] = []
    var rows = try table.records()
    while let row = try rows.next() {
      guard let json = try? JSONParser.parse(Array(try row.text("document").utf8)),
        let document = try? ErrorDocument(json: json), document.compensatingWrite != nil
      else { continue }
      documents.append(document)
    }
    return documents.sorted { serverVersion($0) < serverVersion($1) }
  }

  private static func serverVersion(_ document: ErrorDocument) -> UInt64 {
    document.compensatingWrite?.serverVersion ?? 0
  }

  /// Stores reports. One of the same server version is replaced; one that is too large for a value
  /// is not kept.
  static func store(
    _ documents: [ErrorDocument], in group: WriteGroup
  ) throws(StorageError) {
    if documents.isEmpty { return }
    try layout.makeIfMissing(in: group)
    let table = try layout.table(in: group)
    for document in documents {
      guard let version = Int64(exactly: serverVersion(document)) else { continue }
      let text = JSONWriter.text(document.json)
      guard text.utf8.count <= BootstrapStore.changesetByteCountMax else { continue }
      try table.findOrCreate(.int(version)).set(text, "document")
    }
  }

  /// Forgets the report of a server version.
  ///
  /// - Returns: Whether there was one.
  static func remove(_ version: UInt64, in group: WriteGroup) throws(StorageError) -> Bool {
    guard let table = try layout.find(in: group),
      let row = try table.find(.int(Int64(clamping: version)))
    else { return false }
    try table.delete(row.key)
    return true
  }
}

// MARK: - Resets

extension KeptReports {
  /// The key of the row of a reset, which is no server version.
  private static let reset = TableValue.int(-1)

  /// Notes that the program is to hear of a reset.
  static func noteReset(in group: WriteGroup) throws(StorageError) {
    try layout.makeIfMissing(in: group)
    try layout.table(in: group).findOrCreate(reset).set("{}", "document")
  }

  static func hasReset(in group: TableGroup) throws(StorageError) -> Bool {
    try layout.find(in: group)?.find(reset) != nil
  }

  /// Notes that the program has heard of the reset.
  static func removeReset(in group: WriteGroup) throws(StorageError) {
    guard let table = try layout.find(in: group), let row = try table.find(reset) else { return }
    try table.delete(row.key)
  }
}
