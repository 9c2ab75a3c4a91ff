// SPDX-License-Identifier: Apache-2.0

// Making and managing API keys.

import RealmSync

/// The API keys of a user.
///
/// Not available in this release: all calls throw `AppError.notCallable`.
public struct APIKeyAuth: Sendable {
  init(_ app: AppCore, _ user: AppUser) {}

  private var unavailable: AppError { UnavailableService.error("APIKeyAuth") }

  /// Makes a key, whose secret is in the result alone.
  public func createAPIKey(named name: String) async throws -> UserAPIKey { throw unavailable }

  /// Gets a key, without its secret.
  public func fetchAPIKey(_ objectId: ObjectId) async throws -> UserAPIKey { throw unavailable }

  /// Gets all keys of the user, without their secrets.
  public func fetchAPIKeys() async throws -> [UserAPIKey] { throw unavailable }

  /// Removes a key for good.
  public func deleteAPIKey(_ objectId: ObjectId) async throws { throw unavailable }

  /// Lets a key log in again.
  public func enableAPIKey(_ objectId: ObjectId) async throws { throw unavailable }

  /// Refuses logins with a key.
  public func disableAPIKey(_ objectId: ObjectId) async throws { throw unavailable }

  // MARK: Completion blocks, which are called once, on any thread

  /// Makes a key, whose secret is in the result alone.
  public func createAPIKey(
    named name: String, completion: @escaping @Sendable (UserAPIKey?, (any Error)?) -> Void
  ) {
    completion(nil, unavailable)
  }

  /// Gets a key, without its secret.
  public func fetchAPIKey(
    _ objectId: ObjectId, _ completion: @escaping @Sendable (UserAPIKey?, (any Error)?) -> Void
  ) {
    completion(nil, unavailable)
  }

  /// Gets all keys of the user, without their secrets.
  public func fetchAPIKeys(
    _ completion: @escaping @Sendable ([UserAPIKey]?, (any Error)?) -> Void
  ) {
    completion(nil, unavailable)
  }

  /// Removes a key for good.
  public func deleteAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completion(unavailable)
  }

  /// Lets a key log in again.
  public func enableAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completion(unavailable)
  }

  /// Refuses logins with a key.
  public func disableAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completion(unavailable)
  }
}
