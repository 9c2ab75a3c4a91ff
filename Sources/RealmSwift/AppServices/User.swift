// SPDX-License-Identifier: Apache-2.0

// `User`: a user of an app, and the realms that the user can open.

#if Sync
import RealmFormats
import RealmSync

/// A user of an app.
///
/// Thread-safe. There is one object of each user of an app.
public final class User: Sendable {
  let app: AppCore
  let user: AppUser

  init(_ app: AppCore, _ user: AppUser) {
    self.app = app
    self.user = user
  }

  /// The id that the server gave the user.
  public var id: String { user.id }

  /// The ways in which the user can log in.
  public var identities: [UserIdentity] {
    user.record.identities.map { UserIdentity(providerType: $0.provider, identifier: $0.id) }
  }

  /// The token with which access tokens are made; nil after a logout.
  public var refreshToken: String? { user.record.refreshToken?.text }

  /// The token of calls and connections; nil after a logout.
  public var accessToken: String? { user.record.accessToken?.text }

  /// Whether the user is logged in.
  public var state: UserState {
    switch user.record.state {
    case .loggedOut: .loggedOut
    case .loggedIn: .loggedIn
    case .removed: .removed
    }
  }

  /// Whether the user is logged in, and can synchronise.
  public var isLoggedIn: Bool { user.isLoggedIn }

  /// What the user's provider tells of the user.
  public var profile: UserProfile { UserProfile(Document(user.record.profile)) }

  /// The data that the app's server keeps of the user, as the newest access token has them.
  public var customData: Document {
    guard case .document(let elements)? = user.record.accessToken?.userData else { return [:] }
    return Document(elements)
  }

  /// The API keys of the user.
  public var apiKeysAuth: APIKeyAuth { APIKeyAuth(app, user) }

  /// The functions of the app.
  public var functions: Functions { Functions(app: app, user: user) }

  /// The sessions of the user's realms that are open.
  public var allSessions: [SyncSession] { SyncSessionCore.all(of: user).map { SyncSession($0) } }

  /// The session of a partition's realm, if it is open.
  public func session(forPartitionValue value: any PartitionValue) -> SyncSession? {
    let bson = value.anyBSON
    return allSessions.first { $0.core?.configuration.partitionValue == bson }
  }

  /// A client for the collections of a service.
  public func mongoClient(_ serviceName: String) -> MongoClient {
    MongoClient(app, user, serviceName: serviceName)
  }

  // MARK: Logging out

  /// Ends the user's session on this device. An anonymous user, who cannot log in again, is
  /// removed.
  ///
  /// - Throws: `AppError` if the users cannot be stored.
  public func logOut() async throws {
    SyncSessionCore.stopAll(of: user)
    try await calling(await app.client.logOut(user))
  }

  /// See `logOut()`.
  public func logOut(completion: @escaping @Sendable ((any Error)?) -> Void) {
    complete(completion) { try await self.logOut() }
  }

  /// Forgets the user on this device.
  ///
  /// - Throws: `AppError` if the users cannot be stored.
  @discardableResult
  public func remove() async throws -> User {
    SyncSessionCore.stopAll(of: user)
    try await calling(await app.client.remove(user))
    return self
  }

  /// See `remove()`.
  public func remove(completion: @escaping @Sendable ((any Error)?) -> Void) {
    complete(completion) { try await self.remove() }
  }

  /// Removes the user's account from the server, and the user from this device.
  ///
  /// - Throws: `AppError`.
  public func delete() async throws {
    // The server ends the user's connections, which is no error of the sessions then.
    SyncSessionCore.stopAll(of: user)
    do {
      try await calling(await app.client.delete(user))
    } catch {
      SyncSessionCore.resumeAll(of: user)
      throw error
    }
  }

  /// See `delete()`.
  public func delete(completion: @escaping @Sendable ((any Error)?) -> Void) {
    complete(completion) { try await self.delete() }
  }

  // MARK: Other calls

  /// Adds another way to log in.
  ///
  /// - Throws: `AppError`.
  @discardableResult
  public func linkUser(credentials: Credentials) async throws -> User {
    try await calling(await app.client.link(credentials.login, to: user))
    return self
  }

  /// See `linkUser(credentials:)`.
  public func linkUser(
    credentials: Credentials,
    _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
  ) {
    complete(completion) { try await self.linkUser(credentials: credentials) }
  }

  /// Gets the newest custom data from the server.
  ///
  /// - Throws: `AppError`.
  @discardableResult
  public func refreshCustomData() async throws -> Document {
    _ = try await calling(await app.client.refreshToken(of: user))
    return customData
  }

  /// See `refreshCustomData()`. The block gets the data as values of Foundation and the standard
  /// library: numbers as `Int`, `Double` and `Decimal128`, null as `NSNull`, documents as
  /// dictionaries.
  public func refreshCustomData(
    _ completion: @escaping @Sendable (Result<[AnyHashable: Any], any Error>) -> Void
  ) {
    let done = { @Sendable (result: Result<Document, any Error>) in
      completion(result.map { data in data.mapValues(\.plain) as [AnyHashable: Any] })
    }
    complete(done) { try await self.refreshCustomData() }
  }
}

extension User: Hashable {
  /// Whether both are the same user of the same app.
  public static func == (left: User, right: User) -> Bool { left === right }

  /// Hashes the identity of the user.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
#endif
