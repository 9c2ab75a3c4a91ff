// SPDX-License-Identifier: Apache-2.0

// The tokens of users (P1 A.2).

package import RealmFormats

/// The parts of a JSON Web Token for clients. The signature is the server's business.
package struct AppToken: Hashable, Sendable {
  package let text: String
  /// Seconds since 1970.
  package let expires: Int64
  package let issued: Int64
  /// The custom data of the user; nil if the token has none.
  package let userData: BSONValue?

  /// The token of a text; nil if it is none.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Base64.decode(String(parts[1])),
      let json = try? JSONParser.parse(payload), let expires = json["exp"]?.integer,
      let issued = json["iat"]?.integer
    else { return nil }
    self.text = text
    self.expires = expires
    self.issued = issued
    userData = json["user_data"].flatMap { try? ExtendedJSONReader.value($0) }
  }
}
