// SPDX-License-Identifier: Apache-2.0

// Rows become entries, files and changes, and the other way round.

#if Postgres
import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

/// The row of a realm.
struct RealmRow: Hashable {
  let number: Int64
  let name: RealmName
  let head: RealmHead
  /// The token of the last append.
  let token: UInt64
  /// The version of the newest checkpoint; 0 for none.
  let checkpoint: UInt64
  let checkpointSalt: UInt64
  let checkpointID: Int64
  let checkpointByteCount: Int

  init(_ values: [DatabaseValue]) throws(StoredValueError) {
    let row = DatabaseRowReader(values)
    number = try row.integer(0)
    name = RealmName(app: try row.text(2), partition: row.optionalText(3))
    head = RealmHead(
      realm: RealmID(try row.text(1)), version: try row.bits(4), salt: try row.bits(5),
      totalByteCount: Int(try row.integer(6)), base: try row.bits(7), epoch: try row.bits(8))
    token = try row.bits(9)
    checkpoint = try row.bits(10)
    checkpointSalt = try row.bits(11)
    checkpointID = try row.integer(12)
    checkpointByteCount = Int(try row.integer(13))
  }
}

extension StoredEntry {
  /// The entry without its touches, and these as they are stored.
  static func reading(
    _ values: [DatabaseValue]
  ) throws(StoredValueError) -> (entry: StoredEntry, touches: [UInt8]) {
    let row = DatabaseRowReader(values)
    let entry = StoredEntry(
      version: try row.bits(0), salt: try row.bits(1), file: FileIdentifier(try row.bits(2)),
      clientVersion: try row.bits(3),
      timestamp: OriginTimestamp(milliseconds: try row.bits(4)),
      committed: OriginTimestamp(milliseconds: try row.bits(5)),
      originalByteCount: Int(try row.integer(6)), totalByteCount: Int(try row.integer(7)),
      changeset: try row.bytes(8))
    return (entry, try row.bytes(9))
  }

  func call(_ realm: Int64) -> DatabaseCall {
    Statements.addEntry(
      .int(realm), .bits(version), .bits(salt), .bits(file.rawValue), .bits(clientVersion),
      .bits(timestamp.milliseconds), .bits(committed.milliseconds),
      .int(Int64(originalByteCount)), .int(Int64(totalByteCount)), .bytes(changeset),
      .bytes(TouchWriter.encode(touches)))
  }
}

extension ClientFile {
  init(_ values: [DatabaseValue]) throws(StoredValueError) {
    let row = DatabaseRowReader(values)
    self.init(
      ident: FileIdentifier(try row.bits(0)), salt: try row.bits(1), user: try row.text(2),
      lastSeen: OriginTimestamp(milliseconds: try row.bits(6)))
    clientVersion = try row.bits(3)
    reciprocalBase = try row.bits(4)
    lockedServerVersion = try row.bits(5)
    expired = OriginTimestamp(milliseconds: try row.bits(7))
    firstDownloadVersion = try row.bits(8)
    firstDownloadBase = try row.bits(9)
    filters = try row.text(10)
  }

  func call(_ statement: DatabaseStatement, _ realm: Int64) -> DatabaseCall {
    statement(
      .int(realm), .bits(ident.rawValue), .bits(salt), .text(user), .bits(clientVersion),
      .bits(reciprocalBase), .bits(lockedServerVersion), .bits(lastSeen.milliseconds),
      .bits(expired.milliseconds), .bits(firstDownloadVersion), .bits(firstDownloadBase),
      .text(filters))
  }
}

extension PrivateChange {
  init(_ values: [DatabaseValue], of file: FileIdentifier) throws(StoredValueError) {
    let row = DatabaseRowReader(values)
    self.init(
      file: file, version: try row.bits(0),
      timestamp: OriginTimestamp(milliseconds: try row.bits(1)),
      objects: try Self.objects(row.bytes(2)), changeset: try row.bytes(3))
    guard let version = row.optionalInteger(4) else { return }
    refusal = Refusal(
      clientVersion: UInt64(bitPattern: version), sent: try row.bytes(5),
      objects: try Self.objects(row.optionalBytes(6) ?? []),
      outsideOfView: Set(try Self.objects(row.optionalBytes(7) ?? [])))
  }

  private static func objects(_ bytes: [UInt8]) throws(StoredValueError) -> [ObjectIdentity] {
    do throws(StorageError) {
      return try TouchReader.objects(bytes)
    } catch {
      throw StoredValueError(reason: "\(error)")
    }
  }

  func call(_ realm: Int64) -> DatabaseCall {
    let (realm, file, version) =
      (DatabaseValue.int(realm), DatabaseValue.bits(file.rawValue), DatabaseValue.bits(version))
    guard !isRemoval else { return Statements.removePrivate(realm, file, version) }
    let objects = TouchWriter.encode(objects: self.objects)
    guard let refusal else {
      return Statements.setPrivate(
        realm, file, version, .bits(timestamp.milliseconds), .bytes(objects), .bytes(changeset),
        .null, .null, .null, .null)
    }
    let refused = refusal.objects
    let unseen = refused.filter { refusal.outsideOfView.contains($0) }
    return Statements.setPrivate(
      realm, file, version, .bits(timestamp.milliseconds), .bytes(objects), .bytes(changeset),
      .bits(refusal.clientVersion), .bytes(refusal.sent),
      refused.isEmpty ? .null : .bytes(TouchWriter.encode(objects: refused)),
      refused.isEmpty ? .null : .bytes(TouchWriter.encode(objects: unseen)))
  }
}
#endif
