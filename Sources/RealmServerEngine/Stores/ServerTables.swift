// SPDX-License-Identifier: Apache-2.0

// The internal tables of a realm file (P4 G.2).
//
// Rows are found by their object keys: an entry under its version, a client file under its
// identifier, and what belongs to both under the identifier and the version.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// The internal tables of a realm file.
package enum ServerTables {
  static let meta = RecordLayout(
    "server_meta",
    [
      RecordField("layout", .int), RecordField("app", .string),
      RecordField("partition", .string, isNullable: true), RecordField("version", .int),
      RecordField("salt", .int), RecordField("total_size", .int), RecordField("base", .int),
      RecordField("epoch", .int), RecordField("last_file", .int),
    ])
  static let history = RecordLayout(
    "server_history",
    [
      RecordField("salt", .int), RecordField("file", .int), RecordField("client_version", .int),
      RecordField("timestamp", .int), RecordField("committed", .int),
      RecordField("original_size", .int), RecordField("total_size", .int),
      RecordField("changeset", .binary),
    ])
  static let touches = RecordLayout("server_touches", [RecordField("touches", .binary)])
  static let files = RecordLayout(
    "server_files",
    [
      RecordField("salt", .int), RecordField("user", .string), RecordField("client_version", .int),
      RecordField("reciprocal_base", .int), RecordField("locked_version", .int),
      RecordField("last_seen", .int), RecordField("first_download", .int),
      RecordField("first_download_base", .int),
      // Of these three the second alone is used, for the filters.
      RecordField("query_version", .int, isNullable: true), RecordField("query", .string),
      RecordField("fingerprint", .int), RecordField("expired", .int, isLater: true),
    ])
  /// The identifiers that were given, in ranges: each row is under the first one of its range. Made
  /// with the first of them, so files of older servers lack it.
  static let idents = RecordLayout("server_idents", [RecordField("last", .int)])
  static let reciprocals = RecordLayout("server_reciprocals", [RecordField("changeset", .binary)])
  static let privates = RecordLayout(
    "server_private",
    [
      RecordField("timestamp", .int), RecordField("objects", .binary, isLater: true),
      RecordField("changeset", .binary),
      RecordField("refused_version", .int, isNullable: true, isLater: true),
      RecordField("sent", .binary, isNullable: true, isLater: true),
      RecordField("refused_objects", .binary, isNullable: true, isLater: true),
      RecordField("unseen_objects", .binary, isNullable: true, isLater: true),
    ])

  private static let all = [meta, history, touches, files, reciprocals, privates]

  /// All tables beside the objects.
  static let kept = all + [idents]

  /// The number of the arrangement of tables; files with another are refused.
  static let layout: UInt64 = 1

  /// The key of the only row of `meta`.
  static let metaKey = ObjectKey(0)

  /// Exclusive upper bound of versions: 40 bits, so that a version and a file identifier fit in one
  /// object key.
  package static let versionLimit: UInt64 = 1 << 40
  /// A file identifier is below.
  package static let identLimit: UInt64 = 1 << 22

  /// Makes the tables of a new file.
  static func make(in group: WriteGroup, for name: RealmName) throws(StorageError) {
    for layout in all { try layout.make(in: group) }
    let row = try meta.table(in: group).create(under: metaKey)
    try row.set(layout, "layout")
    try row.set(name.app, "app")
    try row.set(name.partition, "partition")
    try row.set(FileIdentifier.server.rawValue, "last_file")
  }

  /// Whether the file is one of an older server.
  static func lackFields(in group: TableGroup) throws(StorageError) -> Bool {
    for layout in all where try layout.lacksFields(in: group) { return true }
    return false
  }

  /// Adds the properties that a file of an older server lacks.
  static func addLater(in group: WriteGroup) throws(StorageError) {
    for layout in all { _ = try layout.addLater(in: group) }
  }

  /// The only row of `meta`.
  static func meta(in group: TableGroup) throws(StorageError) -> RecordRow {
    try only(meta.table(in: group).record(metaKey))
  }

  static func meta(in group: WriteGroup) throws(StorageError) -> RecordRow {
    try only(meta.table(in: group).record(metaKey))
  }

  private static func only(_ row: RecordRow?) throws(StorageError) -> RecordRow {
    guard let row else { throw .corrupted("the file has no row in \(meta.name)") }
    return row
  }

  // MARK: Keys

  static func key(_ version: UInt64) -> ObjectKey { ObjectKey(Int64(bitPattern: version)) }

  static func key(_ ident: FileIdentifier) -> ObjectKey { key(ident.rawValue) }

  /// The key of a row that belongs to a file and a version.
  static func key(_ ident: FileIdentifier, _ version: UInt64) -> ObjectKey {
    key(ident.rawValue << 40 | version)
  }

  /// The keys of the rows that belong to a file and some versions.
  static func keys(
    _ ident: FileIdentifier, _ versions: ClosedRange<UInt64>
  ) -> ClosedRange<ObjectKey> {
    key(ident, versions.lowerBound)...key(ident, versions.upperBound)
  }

  /// The version in a key of that kind.
  static func version(in key: ObjectKey) -> UInt64 {
    UInt64(bitPattern: key.rawValue) & (versionLimit - 1)
  }
}

// MARK: Values

extension RealmHead {
  init(_ realm: RealmID, _ meta: RecordRow) throws(StorageError) {
    self.init(
      realm: realm, version: try meta.bits("version"), salt: try meta.bits("salt"),
      totalByteCount: Int(try meta.integer("total_size")), base: try meta.bits("base"),
      epoch: try meta.bits("epoch"))
  }
}

extension StoredEntry {
  /// The entry without its touches.
  init(_ row: RecordRow) throws(StorageError) {
    self.init(
      version: row.key.ordinal, salt: try row.bits("salt"),
      file: FileIdentifier(try row.bits("file")), clientVersion: try row.bits("client_version"),
      timestamp: OriginTimestamp(milliseconds: try row.bits("timestamp")),
      committed: OriginTimestamp(milliseconds: try row.bits("committed")),
      originalByteCount: Int(try row.integer("original_size")),
      totalByteCount: Int(try row.integer("total_size")), changeset: try row.bytes("changeset"))
  }

  func write(to row: RecordRow) throws(StorageError) {
    try row.set(salt, "salt")
    try row.set(file.rawValue, "file")
    try row.set(clientVersion, "client_version")
    try row.set(timestamp.milliseconds, "timestamp")
    try row.set(committed.milliseconds, "committed")
    try row.set(Int64(originalByteCount), "original_size")
    try row.set(Int64(totalByteCount), "total_size")
    try row.set(changeset, "changeset")
  }
}

extension ClientFile {
  init(_ row: RecordRow) throws(StorageError) {
    self.init(
      ident: FileIdentifier(UInt64(bitPattern: row.key.rawValue)), salt: try row.bits("salt"),
      user: try row.text("user"),
      lastSeen: OriginTimestamp(milliseconds: try row.bits("last_seen")))
    clientVersion = try row.bits("client_version")
    reciprocalBase = try row.bits("reciprocal_base")
    lockedServerVersion = try row.bits("locked_version")
    firstDownloadVersion = try row.bits("first_download")
    firstDownloadBase = try row.bits("first_download_base")
    filters = try row.text("query")
    // Files of older servers lack it, until they are opened for writing.
    if let time = try row.optionalInteger("expired") {
      expired = OriginTimestamp(milliseconds: UInt64(bitPattern: time))
    }
  }

  func write(to row: RecordRow) throws(StorageError) {
    try row.set(salt, "salt")
    try row.set(user, "user")
    try row.set(clientVersion, "client_version")
    try row.set(reciprocalBase, "reciprocal_base")
    try row.set(lockedServerVersion, "locked_version")
    try row.set(lastSeen.milliseconds, "last_seen")
    try row.set(firstDownloadVersion, "first_download")
    try row.set(firstDownloadBase, "first_download_base")
    try row.set(filters, "query")
    try row.set(expired.milliseconds, "expired")
  }
}
