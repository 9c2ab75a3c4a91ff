// SPDX-License-Identifier: Apache-2.0

// The name of a way to log in.

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
