// SPDX-License-Identifier: Apache-2.0

// The API keys of users.

#if Sync
import RealmSync

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

  /// A key without name and text, that is none of the server.
  public init() { self.init(name: "", key: nil, objectId: ObjectId(), disabled: false) }

  init(name: String, key: String?, objectId: ObjectId, disabled: Bool) {
    self.name = name
    self.key = key
    self.objectId = objectId
    self.disabled = disabled
  }

  /// - Throws: `AppError` for an id that is none.
  init(_ key: UserKey) throws {
    guard let id = try? ObjectId(string: key.id) else {
      throw AppError(.unknown, "The server's id of an API key is none.")
    }
    self.init(name: key.name, key: key.key, objectId: id, disabled: key.isDisabled)
  }
}
#endif
