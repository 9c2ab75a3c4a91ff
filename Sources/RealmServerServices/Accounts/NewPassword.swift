// SPDX-License-Identifier: Apache-2.0

// A password that the operator gives to a user, as a command gives it to a server.

#if Server
package import RealmFormats
import RealmText

/// The hash of a password, and the user that it is for.
package struct NewPassword: Hashable, Sendable {
  /// The id of the user: 24 hexadecimal digits.
  package let user: String
  /// No password is written anywhere (`AccountService` 2).
  let password: StoredPassword

  /// The form for a request to a server.
  package var json: JSONValue { .object([JSONMember("user", .string(user))] + password.members) }

  init(user: String, password: StoredPassword) {
    self.user = user
    self.password = password
  }

  /// What is said of a user without a password.
  package static func unused(_ user: String) -> String {
    "The user \(user) does not log in by a password."
  }

  /// Reads what `json` has written; nil for everything else.
  package init?(_ json: JSONValue) {
    guard let user = json["user"]?.string, RandomBytes.isIdentifier(user),
      let password = StoredPassword(json)
    else { return nil }
    self.init(user: user, password: password)
  }
}

extension StoredPassword {
  /// Salt and hash as members of a request.
  var members: [JSONMember] {
    [
      JSONMember("salt", .string(Base64.encode(salt))),
      JSONMember("hash", .string(Base64.encode(hash))),
    ]
  }

  /// Reads what `members` has written; nil for everything else.
  init?(_ json: JSONValue) {
    guard let salt = json["salt"]?.string.flatMap({ Base64.decode($0) }),
      let hash = json["hash"]?.string.flatMap({ Base64.decode($0) })
    else { return nil }
    self.init(salt: salt, hash: hash)
  }
}
#endif
