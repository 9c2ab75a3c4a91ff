// SPDX-License-Identifier: Apache-2.0

// Accounts and their belongings as rows of tables.

import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTables

/// A value as a row of a table of accounts.
protocol AccountRecord: Sendable {
  static var table: AccountTable { get }
  /// The primary key.
  var key: String { get }
  /// The row has the primary key.
  init?(_ reader: ServerRowReader, key: String) throws(StorageError)
  /// The properties besides the primary key, in the order of the table.
  var values: [TableValue] { get }
}

extension Account: AccountRecord {
  static var table: AccountTable { .accounts }
  var key: String { id }

  init?(_ reader: ServerRowReader, key: String) throws(StorageError) {
    self.init(id: key, created: OriginTimestamp(milliseconds: try reader.number("created")))
    isDisabled = try reader.number("is_disabled") != 0
    if let text = try reader.optionalText("custom_data") {
      customData = try? ExtendedJSONReader.parse(text)
    }
    let names = try? JSONParser.parse(reader.optionalText("identities") ?? "[]").array
    identities = (names ?? []).compactMap { $0.string.flatMap { IdentityName(text: $0) } }
  }

  var values: [TableValue] {
    [
      .int(Int64(bitPattern: created.milliseconds)), .int(isDisabled ? 1 : 0),
      customData.map { .string(ExtendedJSONWriter.text($0)) } ?? .null,
      .string(JSONWriter.text(.array(identities.map { .string($0.text) }))),
    ]
  }
}

extension Identity: AccountRecord {
  static var table: AccountTable { .identities }
  var key: String { name.text }

  init?(_ reader: ServerRowReader, key: String) throws(StorageError) {
    guard let name = IdentityName(text: key), let id = try reader.optionalText("id") else {
      return nil
    }
    self.init(name, id: id)
    account = try reader.optionalText("account")
    password = try reader.password()
    isConfirmed = try reader.number("is_confirmed") != 0
    created = try reader.optionalNumber("created").map {
      OriginTimestamp(milliseconds: UInt64(bitPattern: $0))
    }
  }

  var values: [TableValue] {
    [
      .string(id), account.map { .string($0) } ?? .null,
      password.map { .binary($0.salt) } ?? .null, password.map { .binary($0.hash) } ?? .null,
      .int(isConfirmed ? 1 : 0),
      created.map { .int(Int64(bitPattern: $0.milliseconds)) } ?? .null,
    ]
  }
}

extension AccountSession: AccountRecord {
  static var table: AccountTable { .sessions }
  var key: String { id }

  init?(_ reader: ServerRowReader, key: String) throws(StorageError) {
    guard let account = try reader.optionalText("account") else { return nil }
    self.init(
      id: key, account: account, device: try reader.optionalText("device") ?? "",
      expires: OriginTimestamp(milliseconds: try reader.number("expires")))
  }

  var values: [TableValue] {
    [.string(account), .string(device), .int(Int64(bitPattern: expires.milliseconds))]
  }
}

extension MailedToken: AccountRecord {
  static var table: AccountTable { .tokens }
  var key: String { id }

  init?(_ reader: ServerRowReader, key: String) throws(StorageError) {
    guard let purpose = try reader.optionalText("purpose").flatMap({ Purpose(rawValue: $0) }),
      let identity = try reader.optionalText("identity").flatMap({ IdentityName(text: $0) })
    else { return nil }
    self.init(
      id: key, purpose: purpose, identity: identity, signature: try reader.bytes("signature"),
      expires: OriginTimestamp(milliseconds: try reader.number("expires")),
      password: try reader.password())
  }

  var values: [TableValue] {
    [
      .string(purpose.rawValue), .string(identity.text), .binary(signature),
      .int(Int64(bitPattern: expires.milliseconds)),
      password.map { .binary($0.salt) } ?? .null, password.map { .binary($0.hash) } ?? .null,
    ]
  }
}

extension ServerRowReader {
  /// The password of a row; nil if it has none.
  fileprivate func password() throws(StorageError) -> StoredPassword? {
    guard let salt = try optionalBytes("salt"), let hash = try optionalBytes("hash") else {
      return nil
    }
    return StoredPassword(salt: salt, hash: hash)
  }
}
