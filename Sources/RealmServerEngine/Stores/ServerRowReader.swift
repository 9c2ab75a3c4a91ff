// SPDX-License-Identifier: Apache-2.0

// Reading rows of internal tables.

import RealmStorage
import RealmSyncProtocol
import RealmTables

/// Reads the properties of a row of an internal table.
struct ServerRowReader {
  let row: Row
  let schema: TableSchema

  private func value(_ name: String) throws(StorageError) -> TableValue {
    guard let column = schema.column(named: name) else {
      throw .corrupted("table \(schema.name) has no column \(name)")
    }
    return try row.value(of: column)
  }

  func optionalNumber(_ name: String) throws(StorageError) -> Int64? {
    switch try value(name) {
    case .int(let number): return number
    case .null: return nil
    default: throw .corrupted("\(schema.name).\(name) is no number")
    }
  }

  func number(_ name: String) throws(StorageError) -> UInt64 {
    UInt64(bitPattern: try optionalNumber(name) ?? 0)
  }

  func optionalText(_ name: String) throws(StorageError) -> String? {
    switch try value(name) {
    case .string(let text): return text
    case .null: return nil
    default: throw .corrupted("\(schema.name).\(name) is no text")
    }
  }

  func bytes(_ name: String) throws(StorageError) -> [UInt8] {
    switch try value(name) {
    case .binary(let bytes): return bytes
    default: throw .corrupted("\(schema.name).\(name) is no binary")
    }
  }

  func optionalBytes(_ name: String) throws(StorageError) -> [UInt8]? {
    switch try value(name) {
    case .binary(let bytes): return bytes
    case .null: return nil
    default: throw .corrupted("\(schema.name).\(name) is no binary")
    }
  }

  func clientFile(_ key: ObjectKey) throws(StorageError) -> ClientFile {
    var file = ClientFile(
      ident: FileIdentifier(UInt64(bitPattern: key.rawValue)), salt: try number("salt"),
      user: try optionalText("user") ?? "",
      lastSeen: OriginTimestamp(milliseconds: try number("last_seen")))
    file.clientVersion = try number("client_version")
    file.reciprocalBase = try number("reciprocal_base")
    file.lockedServerVersion = try number("locked_version")
    file.firstDownloadVersion = try number("first_download")
    file.firstDownloadBase = try number("first_download_base")
    file.queryVersion = try optionalNumber("query_version")
    file.query = try optionalText("query") ?? ""
    file.fingerprint = try number("fingerprint")
    // Files of older servers lack it, until they are opened for writing.
    if schema.column(named: "expired") != nil {
      file.expired = OriginTimestamp(milliseconds: try number("expired"))
    }
    return file
  }

  /// The entry without its touches.
  func entry(_ key: ObjectKey) throws(StorageError) -> StoredEntry {
    StoredEntry(
      version: UInt64(bitPattern: key.rawValue), salt: try number("salt"),
      file: FileIdentifier(try number("file")), clientVersion: try number("client_version"),
      timestamp: OriginTimestamp(milliseconds: try number("timestamp")),
      committed: OriginTimestamp(milliseconds: try number("committed")),
      originalByteCount: Int(truncatingIfNeeded: try number("original_size")),
      totalByteCount: Int(truncatingIfNeeded: try number("total_size")),
      changeset: try bytes("changeset"))
  }
}
