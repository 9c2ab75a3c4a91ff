// SPDX-License-Identifier: Apache-2.0

// `App`: a program's access to its server.

#if Sync
import RealmSession
import RealmSync
import RealmSyncProtocol

/// The app of a program at its server: users, and the realms that they share.
///
/// ```swift
/// let configuration = AppConfiguration(baseURL: "http://localhost:9090")
/// let app = App(id: "todos", configuration: configuration)
/// let user = try await app.login(credentials: .anonymous)
/// let realm = try await Realm(configuration: user.flexibleSyncConfiguration())
/// ```
///
/// Thread-safe. All `App` values of one id and address are one app: they have the same users and
/// sessions. Users who are logged in stay so when the program starts again.
public final class App: Sendable {
  let core: AppCore

  /// The app of an id, with the server of `AppConfiguration()`.
  public convenience init(id: String) {
    self.init(id: id, configuration: UsualConfigurations.of(id))
  }

  /// The app of an id.
  ///
  /// - Parameters:
  ///   - id: The id that the server knows the app by.
  ///   - configuration: The server's address. The first `App` of an id and address decides about
  ///     the rest of it.
  public init(id: String, configuration: AppConfiguration) {
    core = AppCore.of(id, configuration)
  }

  init(_ core: AppCore) { self.core = core }

  /// The id of the app.
  public var appId: String { core.client.settings.id }

  /// The address of the server that the app uses.
  public var baseURL: String { core.client.settings.baseURL }

  /// What the app was made with. Changing the result changes nothing.
  public var configuration: AppConfiguration { core.configuration }

  /// The settings of all sessions of the app.
  public var syncManager: SyncManager { core.syncManager }

  /// The users of this device by their ids, without those who were removed.
  public var allUsers: [String: User] {
    Dictionary(
      core.client.users.map { ($0.id, core.user($0)) }, uniquingKeysWith: { first, _ in first })
  }

  /// The user who logged in, or was switched to, last; nil if none is logged in.
  public var currentUser: User? { core.client.currentUser.map { core.user($0) } }

  /// The accounts of users with e-mail addresses and passwords.
  public var emailPasswordAuth: EmailPasswordAuth { EmailPasswordAuth(core) }

  /// Logs a user in, who becomes the current one.
  ///
  /// While an anonymous user is logged in, another anonymous login gives the same one.
  ///
  /// - Throws: `AppError`, or `CancellationError` if the task is cancelled.
  @discardableResult
  public func login(credentials: Credentials) async throws -> User {
    let user = try await calling(await core.client.logIn(credentials.login))
    SyncSessionCore.resumeAll(of: user)
    return core.user(user)
  }

  /// Logs a user in, who becomes the current one.
  ///
  /// - Parameters:
  ///   - credentials: The proof of who the user is.
  ///   - completion: Called once, on any thread.
  public func login(
    credentials: Credentials,
    _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
  ) {
    complete(completion) { try await self.login(credentials: credentials) }
  }

  /// Makes a user the current one.
  ///
  /// Traps for a user who is not logged in, or of another app.
  @discardableResult
  public func `switch`(to user: User) -> User {
    do throws(AppFailure) {
      try core.client.select(user.user)
    } catch {
      throwRealmException("User is no longer valid or is logged out")
    }
    return user
  }

  /// Lets the app use the server at another address, as when a device leaves the network of a
  /// server beside it. The app stays where it is if the other server does not answer, or has no
  /// such app.
  ///
  /// Open sessions connect to the other server at once. If that is another server and not another
  /// address of the same one, users log in again, and files that it does not know get a client
  /// reset. The next start begins with the address of the configuration again.
  ///
  /// ```swift
  /// try await app.updateBaseUrl(to: "https://sync.example.org")
  /// ```
  ///
  /// - Parameter url: The address; nil for the default of `AppConfiguration`.
  /// - Throws: `AppError`, or `CancellationError` if the task is cancelled.
  public func updateBaseUrl(to url: String?) async throws {
    try await calling(await core.move(to: url ?? AppSettings.usualBaseURL))
  }

  /// See `updateBaseUrl(to:)`. The block is called once, on any thread.
  public func updateBaseUrl(
    to url: String?, _ completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    complete(completion) { try await self.updateBaseUrl(to: url) }
  }

  /// See `updateBaseUrl(to:)`. The block is called once, on any thread.
  @_disfavoredOverload
  public func updateBaseUrl(
    to url: String?, _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    complete(completion) { try await self.updateBaseUrl(to: url) }
  }

  /// The registration of devices for push messages.
  public func pushClient(serviceName: String) -> PushClient {
    PushClient(core, serviceName: serviceName)
  }
}

extension App: Equatable {
  /// Whether both are the app of one id and address.
  public static func == (left: App, right: App) -> Bool { left.core === right.core }
}

/// Runs an asynchronous call for a completion block.
func complete<R: Sendable>(
  _ completion: @escaping @Sendable (Result<R, any Error>) -> Void,
  _ body: @escaping @Sendable () async throws -> R
) {
  Task {
    do {
      completion(.success(try await body()))
    } catch {
      completion(.failure(error))
    }
  }
}

/// Runs an asynchronous call without result for a completion block.
func complete(
  _ completion: @escaping @Sendable ((any Error)?) -> Void,
  _ body: @escaping @Sendable () async throws -> Void
) {
  Task {
    do {
      try await body()
      completion(nil)
    } catch {
      completion(error)
    }
  }
}
#endif
