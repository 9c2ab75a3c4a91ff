// SPDX-License-Identifier: Apache-2.0

// Users and their belongings, as they are stored.

#if Server
package import RealmFormats
import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// A user of an app.
package struct Account: Hashable, Sendable {
  /// 24 hexadecimal digits.
  package let id: String
  package var created: OriginTimestamp
  /// A disabled user can neither log in nor refresh tokens.
  package var isDisabled = false
  /// The document `user_data` of the user's tokens; nil if there is none.
  package var customData: BSONValue?
  /// The ways to log in, oldest first.
  package var identities: [IdentityName] = []
  /// The devices that get push messages, oldest first.
  package var pushDevices: [PushDevice] = []
}

/// A way to log in.
package struct Identity: Hashable, Sendable {
  package let name: IdentityName
  /// The identifier for clients: 24 hexadecimal digits.
  package let id: String
  /// The user of the identity; nil before the first login with it.
  package var account: String?
  /// Nil if the provider has no passwords.
  package var password: StoredPassword?
  /// Whether the user has proved the e-mail address.
  package var isConfirmed = true
  /// The time of the registration; nil if it is not known.
  package var created: OriginTimestamp?
  /// The data of the user at the provider, for the profile.
  package var profile: [BSONElement] = []

  package init(_ name: IdentityName, id: String) {
    self.name = name
    self.id = id
  }
}

extension [Identity] {
  /// The data of a user at all providers. That of an older identity counts.
  package var profile: [BSONElement] {
    var data: [BSONElement] = []
    for identity in self {
      var elements = identity.profile
      if identity.name.provider == AccountService.passwordProvider {
        elements.append(BSONElement("email", .string(identity.name.name)))
      }
      for element in elements where !data.contains(where: { $0.key == element.key }) {
        data.append(element)
      }
    }
    return data
  }
}

/// A user's name at a provider.
package struct IdentityName: Hashable, Sendable {
  /// The provider's name in requests, like `local-userpass`.
  package var provider: String
  /// The name among the users of the provider: an e-mail address, or a random identifier.
  package var name: String

  package init(provider: String, name: String) {
    self.provider = provider
    self.name = name
  }

  /// The two in one text. Names of providers have no spaces.
  var text: String { provider + " " + name }

  init?(text: String) {
    guard let space = text.firstIndex(of: " ") else { return nil }
    self.init(
      provider: String(text[..<space]), name: String(text[text.index(after: space)...]))
  }
}

/// A login of a user. Its refresh token is valid as long as the session is stored.
package struct AccountSession: Hashable, Sendable {
  /// 24 hexadecimal digits.
  package let id: String
  package let account: String
  package let device: String
  package let expires: OriginTimestamp
  /// The id of the API key of the login; nil for other logins.
  package var apiKey: String?
}

/// The hash of a password with its salt.
package struct StoredPassword: Hashable, Sendable {
  package var salt: [UInt8]
  package var hash: [UInt8]
}

/// A token for confirming an address, or for a new password.
package struct MailedToken: Hashable, Sendable {
  /// The purpose of a token.
  package enum Purpose: String, CaseIterable, Hashable, Sendable {
    case confirmation
    case passwordReset
  }

  /// 24 hexadecimal digits.
  package let id: String
  package let purpose: Purpose
  package let identity: IdentityName
  /// The signature of the token; the token does not follow from it.
  let signature: [UInt8]
  package let expires: OriginTimestamp
  /// The password of the registration to confirm; nil for other tokens.
  let password: StoredPassword?
}

/// A value as a row of a table of accounts.
protocol AccountRecord: Sendable {
  static var layout: RecordLayout { get }
  /// The primary key.
  var key: String { get }
  init?(_ row: RecordRow) throws(StorageError)
  /// Stores all but the primary key.
  func write(to row: RecordRow) throws(StorageError)
}

extension Account: AccountRecord {
  static var layout: RecordLayout { AccountTables.accounts }
  var key: String { id }

  init?(_ row: RecordRow) throws(StorageError) {
    self.init(id: try row.text("key"), created: try row.time("created"))
    isDisabled = try row.integer("is_disabled") != 0
    if let text = try row.optionalText("custom_data") {
      customData = try? ExtendedJSONReader.parse(text)
    }
    let names = try? JSONParser.parse(row.text("identities")).array
    identities = (names ?? []).compactMap { $0.string.flatMap { IdentityName(text: $0) } }
    if let text = try row.optionalText("push_devices") {
      pushDevices = ((try? JSONParser.parse(text))?.array ?? []).compactMap { PushDevice($0) }
    }
  }

  func write(to row: RecordRow) throws(StorageError) {
    try row.set(created.milliseconds, "created")
    try row.set(isDisabled ? 1 : 0 as Int64, "is_disabled")
    try row.set(customData.map { ExtendedJSONWriter.text($0) }, "custom_data")
    try row.set(JSONWriter.text(.array(identities.map { .string($0.text) })), "identities")
    try row.set(
      pushDevices.isEmpty ? nil : JSONWriter.text(.array(pushDevices.map(\.json))), "push_devices")
  }
}

extension Identity: AccountRecord {
  static var layout: RecordLayout { AccountTables.identities }
  var key: String { name.text }

  init?(_ row: RecordRow) throws(StorageError) {
    guard let name = IdentityName(text: try row.text("key")) else { return nil }
    self.init(name, id: try row.text("id"))
    account = try row.optionalText("account")
    password = try row.password()
    isConfirmed = try row.integer("is_confirmed") != 0
    created = try row.optionalTime("created")
    if let text = try row.optionalText("profile"),
      case .document(let elements)? = try? ExtendedJSONReader.parse(text)
    {
      profile = elements
    }
  }

  func write(to row: RecordRow) throws(StorageError) {
    try row.set(id, "id")
    try row.set(account, "account")
    try row.set(password)
    try row.set(isConfirmed ? 1 : 0 as Int64, "is_confirmed")
    try row.set(created.map { Int64(bitPattern: $0.milliseconds) }, "created")
    try row.set(
      profile.isEmpty ? nil : ExtendedJSONWriter.text(.document(profile)), "profile")
  }
}

extension AccountSession: AccountRecord {
  static var layout: RecordLayout { AccountTables.sessions }
  var key: String { id }

  init?(_ row: RecordRow) throws(StorageError) {
    self.init(
      id: try row.text("key"), account: try row.text("account"), device: try row.text("device"),
      expires: try row.time("expires"), apiKey: try row.optionalText("api_key"))
  }

  func write(to row: RecordRow) throws(StorageError) {
    try row.set(account, "account")
    try row.set(device, "device")
    try row.set(expires.milliseconds, "expires")
    try row.set(apiKey, "api_key")
  }
}

extension MailedToken: AccountRecord {
  static var layout: RecordLayout { AccountTables.tokens }
  var key: String { id }

  init?(_ row: RecordRow) throws(StorageError) {
    guard let purpose = Purpose(rawValue: try row.text("purpose")),
      let identity = IdentityName(text: try row.text("identity"))
    else { return nil }
    self.init(
      id: try row.text("key"), purpose: purpose, identity: identity,
      signature: try row.bytes("signature"), expires: try row.time("expires"),
      password: try row.password())
  }

  func write(to row: RecordRow) throws(StorageError) {
    try row.set(purpose.rawValue, "purpose")
    try row.set(identity.text, "identity")
    try row.set(signature, "signature")
    try row.set(expires.milliseconds, "expires")
    try row.set(password)
  }
}

extension RecordRow {
  func time(_ name: String) throws(StorageError) -> OriginTimestamp {
    OriginTimestamp(milliseconds: try bits(name))
  }

  func optionalTime(_ name: String) throws(StorageError) -> OriginTimestamp? {
    try optionalInteger(name).map { OriginTimestamp(milliseconds: UInt64(bitPattern: $0)) }
  }

  fileprivate func password() throws(StorageError) -> StoredPassword? {
    guard let salt = try optionalBytes("salt"), let hash = try optionalBytes("hash") else {
      return nil
    }
    return StoredPassword(salt: salt, hash: hash)
  }

  fileprivate func set(_ password: StoredPassword?) throws(StorageError) {
    try set(password?.salt, "salt")
    try set(password?.hash, "hash")
  }
}
#endif
