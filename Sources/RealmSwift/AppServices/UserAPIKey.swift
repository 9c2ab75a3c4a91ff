// SPDX-License-Identifier: Apache-2.0

// The API keys of users.

/// A key with which a user can log in instead of other credentials.
public struct UserAPIKey: Sendable {
  public let name: String
  /// The secret, which the server shows once: when it makes the key.
  public let key: String?
  public let objectId: ObjectId
  public let disabled: Bool
}
