// SPDX-License-Identifier: Apache-2.0

// The API keys of users.

#if Sync
/// A key with which a user can log in instead of other credentials.
public struct UserAPIKey: Sendable {
  /// The name that the user gave it.
  public let name: String
  /// The secret, which the server shows once: when it makes the key.
  public let key: String?
  /// The id of the key.
  public let objectId: ObjectId
  /// Whether it cannot be used.
  public let disabled: Bool
}
#endif
