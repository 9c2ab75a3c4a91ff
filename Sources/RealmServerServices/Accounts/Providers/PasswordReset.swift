// SPDX-License-Identifier: Apache-2.0

// What a new password leaves of the other ways to log in.

#if Server
package import RealmFormats

/// The outcome of a change of the password.
package struct PasswordReset: Hashable, Sendable {
  /// The names of the user's API keys, which are disabled now.
  package var keys: [String] = []
  /// The other ways to log in.
  package var others: [IdentityName] = []
  /// Whether these have ended.
  package var hasEndedOthers = false

  init(hasEndedOthers: Bool = false) { self.hasEndedOthers = hasEndedOthers }

  /// The answer to the user.
  package var json: JSONValue {
    .object([
      JSONMember("disabledKeys", .array(keys.map { .string($0) })),
      JSONMember(
        "otherLogins",
        .array(
          others.map { name in
            ["provider_type": .string(name.provider), "name": .string(name.name)]
          })),
      JSONMember("otherLoginsEnded", .bool(hasEndedOthers)),
    ])
  }
}
#endif
