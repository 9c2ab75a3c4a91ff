// SPDX-License-Identifier: Apache-2.0

// The keys with which programs log in.
//
// The text of a key is its id, 24 hexadecimal digits, and 64 random ones; its digest is stored. It
// has 256 random bits, so a slow hash would add nothing.

#if Server
import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// A key of a user, or of the app.
package struct APIKey: Hashable, Sendable {
  private static let secretDigitCount = 64
  package static let nameCountMax = 64
  /// The most keys of a user, and of an app.
  package static let countMax = 20

  /// 24 hexadecimal digits.
  package let id: String
  /// The user; nil for a key of the app, whose user is made by its first login.
  package let account: String?
  package let name: String
  /// The digest of the text.
  let digest: [UInt8]
  package var isDisabled = false
  package let created: OriginTimestamp

  /// A new key, and its text, which is not stored.
  package static func make(
    named name: String, for account: String?, now: OriginTimestamp, _ random: RandomBytes,
    _ cryptography: any LoginCryptography
  ) -> (key: APIKey, text: String) {
    let id = random.identifier()
    let text = id + random.digits(secretDigitCount)
    let key = APIKey(
      id: id, account: account, name: name, digest: cryptography.digest(of: Array(text.utf8)),
      created: now)
    return (key, text)
  }

  /// The id in a text; nil if the text is no key.
  static func id(in text: String) -> String? {
    guard text.utf8.count == 24 + secretDigitCount else { return nil }
    let id = String(text.prefix(24))
    return RandomBytes.isIdentifier(id) ? id : nil
  }

  /// Whether a text can be the name of a key: ASCII letters, digits, "_" and "-".
  package static func isName(_ text: String) -> Bool {
    (1...nameCountMax).contains(text.utf8.count)
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
  }
}

extension Account {
  /// Whether it is the user of a key of the app.
  var isServer: Bool {
    !identities.isEmpty && identities.allSatisfy { $0.provider == AccountService.keyProvider }
  }
}

extension APIKey: AccountRecord {
  static var layout: RecordLayout { AccountTables.keys }
  var key: String { id }

  init?(_ row: RecordRow) throws(StorageError) {
    self.init(
      id: try row.text("key"), account: try row.optionalText("account"),
      name: try row.text("name"), digest: try row.bytes("digest"),
      isDisabled: try row.integer("is_disabled") != 0, created: try row.time("created"))
  }

  func write(to row: RecordRow) throws(StorageError) {
    try row.set(account, "account")
    try row.set(name, "name")
    try row.set(digest, "digest")
    try row.set(isDisabled ? 1 : 0 as Int64, "is_disabled")
    try row.set(created.milliseconds, "created")
  }
}
#endif
