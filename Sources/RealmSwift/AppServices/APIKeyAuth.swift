// SPDX-License-Identifier: Apache-2.0

// Making and managing API keys.

#if Sync
import RealmSync

/// The API keys of a user.
///
/// Not available in this release: all calls throw `AppError.notCallable`.
public struct APIKeyAuth: Sendable {
  init(_ app: AppCore, _ user: AppUser) {}

  private var unavailable: AppError { UnavailableService.error("APIKeyAuth") }

  /// Makes a key; it shows its secret this once.
  public func createAPIKey(named name: String) async throws -> UserAPIKey { throw unavailable }

  /// The key of an id.
  public func fetchAPIKey(_ objectId: ObjectId) async throws -> UserAPIKey { throw unavailable }

  /// All keys of the user.
  public func fetchAPIKeys() async throws -> [UserAPIKey] { throw unavailable }

  /// Removes a key.
  public func deleteAPIKey(_ objectId: ObjectId) async throws { throw unavailable }

  /// Lets a key be used again.
  public func enableAPIKey(_ objectId: ObjectId) async throws { throw unavailable }

  /// Keeps a key from being used.
  public func disableAPIKey(_ objectId: ObjectId) async throws { throw unavailable }

  // MARK: Completion blocks, which are called once, on any thread

  /// See `createAPIKey(named:)`.
  public func createAPIKey(
    named name: String, completion: @escaping @Sendable (UserAPIKey?, (any Error)?) -> Void
  ) {
    completion(nil, unavailable)
  }

  /// See `fetchAPIKey(_:)`.
  public func fetchAPIKey(
    _ objectId: ObjectId, _ completion: @escaping @Sendable (UserAPIKey?, (any Error)?) -> Void
  ) {
    completion(nil, unavailable)
  }

  /// See `fetchAPIKeys()`.
  public func fetchAPIKeys(
    _ completion: @escaping @Sendable ([UserAPIKey]?, (any Error)?) -> Void
  ) {
    completion(nil, unavailable)
  }

  /// See `deleteAPIKey(_:)`.
  public func deleteAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completion(unavailable)
  }

  /// See `enableAPIKey(_:)`.
  public func enableAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completion(unavailable)
  }

  /// See `disableAPIKey(_:)`.
  public func disableAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completion(unavailable)
  }
}
#endif
