// SPDX-License-Identifier: Apache-2.0

// A user whom the operator makes, as a command gives it to a server.

#if Server
package import RealmFormats
import RealmServerEngine

/// A user with an address and a password.
package struct NewUser: Hashable, Sendable {
  /// The id of the user: 24 hexadecimal digits.
  package let id: String
  /// The address, or another name where the app needs no addresses.
  package let name: String
  /// No password is written anywhere (`AccountService` 2).
  let password: StoredPassword
  package let customData: BSONValue?

  /// The form for a request to a server.
  package var json: JSONValue {
    .object(
      [JSONMember("id", .string(id)), JSONMember("name", .string(name))] + password.members
        + [JSONMember("customData", customData.map { ExtendedJSONWriter.json($0) } ?? .null)])
  }

  init(id: String, name: String, password: StoredPassword, customData: BSONValue?) {
    self.id = id
    self.name = name
    self.password = password
    self.customData = customData
  }

  /// Reads what `json` has written; nil for everything else.
  package init?(_ json: JSONValue) {
    guard let id = json["id"]?.string, RandomBytes.isIdentifier(id),
      let name = json["name"]?.string, let password = StoredPassword(json),
      let data = json["customData"]
    else { return nil }
    self.init(
      id: id, name: name, password: password,
      customData: data == .null ? nil : try? ExtendedJSONReader.value(data))
  }
}

extension NewUser {
  /// The text for an operator whose user is there already.
  package static func inUse(in app: String) -> String {
    "The app \(app) has a user with this address. Enable or delete that one, or give another "
      + "address."
  }

  /// The text for an operator whose user is refused.
  ///
  /// - Parameters:
  ///   - app: The id of the app.
  ///   - needsAddress: Whether the app confirms addresses by mails.
  package static func refusal(
    _ error: AccountError, in app: String, needsAddress: Bool
  ) -> String {
    switch error {
    case .unknownProvider:
      "The app \(app) has no passwords: its app.json lacks the provider \"local-userpass\"."
    case .badName:
      needsAddress
        ? "This is no address, and the app \(app) confirms addresses by mails."
        : "A user needs an address, or a name without blanks at its ends."
    case .badPassword(let text): "The \(text)."
    case .nameInUse: inUse(in: app)
    default: "The user cannot be made: \(error)"
    }
  }
}
#endif
