// SPDX-License-Identifier: Apache-2.0

// Making and managing API keys.

#if Sync
import RealmSync

/// The API keys of a user.
///
/// A program logs in with the text of a key as `Credentials.userAPIKey(_:)`. Anonymous users, and
/// the user of a key of the app, have none.
///
/// ```swift
/// let key = try await user.apiKeysAuth.createAPIKey(named: "importer")
/// let robot = try await app.login(credentials: .userAPIKey(key.key!))
/// ```
///
/// All calls throw `AppError`, or `CancellationError` if the task is cancelled.
public struct APIKeyAuth: ProviderClient {
  private let core: AppCore
  private let user: AppUser

  init(_ app: AppCore, _ user: AppUser) {
    core = app
    self.user = user
  }

  /// The app whose server has the keys.
  public var app: App { App(core) }

  /// Makes a key. Its text, `UserAPIKey.key`, is known this once.
  ///
  /// - Parameter name: 1 to 64 ASCII letters, digits, `_` and `-`; each key of a user has another.
  public func createAPIKey(named name: String) async throws -> UserAPIKey {
    try UserAPIKey(await calling(await core.client.makeKey(named: name, of: user)))
  }

  /// The key of an id.
  public func fetchAPIKey(_ objectId: ObjectId) async throws -> UserAPIKey {
    try UserAPIKey(await calling(await core.client.key(objectId.stringValue, of: user)))
  }

  /// All keys of the user, the oldest first.
  public func fetchAPIKeys() async throws -> [UserAPIKey] {
    try await calling(await core.client.keys(of: user)).map { try UserAPIKey($0) }
  }

  /// Removes a key, and ends the sessions of programs that logged in with it.
  public func deleteAPIKey(_ objectId: ObjectId) async throws {
    try await calling(await core.client.removeKey(objectId.stringValue, of: user))
  }

  /// Lets a key be used again.
  public func enableAPIKey(_ objectId: ObjectId) async throws {
    try await calling(await core.client.setKeyDisabled(false, objectId.stringValue, of: user))
  }

  /// Keeps a key from being used, and ends the sessions of programs that logged in with it.
  public func disableAPIKey(_ objectId: ObjectId) async throws {
    try await calling(await core.client.setKeyDisabled(true, objectId.stringValue, of: user))
  }

  // MARK: Completion blocks, which are called once, on any thread

  /// See `createAPIKey(named:)`.
  public func createAPIKey(
    named name: String, completion: @escaping @Sendable (UserAPIKey?, (any Error)?) -> Void
  ) {
    complete(parts(completion)) { try await self.createAPIKey(named: name) }
  }

  /// See `fetchAPIKey(_:)`.
  public func fetchAPIKey(
    _ objectId: ObjectId, _ completion: @escaping @Sendable (UserAPIKey?, (any Error)?) -> Void
  ) {
    complete(parts(completion)) { try await self.fetchAPIKey(objectId) }
  }

  /// See `fetchAPIKeys()`.
  public func fetchAPIKeys(
    _ completion: @escaping @Sendable ([UserAPIKey]?, (any Error)?) -> Void
  ) {
    complete(parts(completion)) { try await self.fetchAPIKeys() }
  }

  /// See `deleteAPIKey(_:)`.
  public func deleteAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    complete(completion) { try await self.deleteAPIKey(objectId) }
  }

  /// See `enableAPIKey(_:)`.
  public func enableAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    complete(completion) { try await self.enableAPIKey(objectId) }
  }

  /// See `disableAPIKey(_:)`.
  public func disableAPIKey(
    _ objectId: ObjectId, completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    complete(completion) { try await self.disableAPIKey(objectId) }
  }
}
#endif
