// SPDX-License-Identifier: Apache-2.0

// The identities of users.

#if Sync
/// A way in which a user can log in.
public struct UserIdentity: Hashable, Sendable {
  /// The server's name of the provider, like `local-userpass`.
  public let providerType: String
  /// The provider's id of the user.
  public let identifier: String

  /// The identity of a provider.
  public init(providerType: String, identifier: String) {
    self.providerType = providerType
    self.identifier = identifier
  }
}
#endif
