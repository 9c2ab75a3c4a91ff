// SPDX-License-Identifier: Apache-2.0

// Making and managing API keys.

import RealmSync

/// The API keys of a user.
///
/// Not available in this release: all calls throw `AppError.notCallable`.
public struct APIKeyAuth: Sendable {
  init(_ app: AppCore, _ user: AppUser) {}

  private var unavailable: AppError { UnavailableService.error("APIKeyAuth") }

  public func createAPIKey(named name: String) async throws -> UserAPIKey { throw unavailable }

  public func fetchAPIKey(_ objectId: ObjectId) async throws -> UserAPIKey { throw unavailable }

  public func fetchAPIKeys() async throws -> [UserAPIKey] { throw unavailable }

  public func deleteAPIKey(_ objectId: ObjectId) async throws { throw unavailable }

  public func enableAPIKey(_ objectId: ObjectId) async throws { throw unavailable }

  public func disableAPIKey(_ objectId: ObjectId) async throws { throw unavailable }

  // MARK: Completion blocks, which are called once, on any thread

  public func createAPIKey(
    named name: String, completion: @escaping @Sendable (UserAPIKey?, (any Error)?) -> Void
  ) {
    completion(nil, unavailable)
  }

  public func fetchAPIKey(
    _ objectId: ObjectId, _ completion: @escaping @Sendable (UserAPIKey?, (any Error)?) -> Void
  ) {
    completion(nil, unavailable)
  }

  public func fetchAPIKeys(
    _ completion: @escaping @Sendable ([UserAPIKey]?, (any Error)?) -> Void
  ) {
    completion(nil, unavailable)
  }

  public func deleteAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completion(unavailable)
  }

  public func enableAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completion(unavailable)
  }

  public func disableAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completion(unavailable)
  }
}
