// SPDX-License-Identifier: Apache-2.0

// What all `App` values of one id and address share.
//
// 1. There is one core of an id and address in a process, and it stays. One that has moved has two
//    addresses here.
// 2. There is one `User` of a user.

#if Sync
import Foundation
import RealmSession
import RealmStorage
import RealmSync
import RealmSyncProtocol

/// An app: its client, its users, and the connections of their sessions.
final class AppCore: Sendable {
  private struct Key: Hashable {
    let id: String
    let baseURL: String
    let directory: String
  }

  private struct ConnectionKey: Hashable {
    let user: String
    let mode: SyncMode
  }

  private static let registry = Locked<[Key: AppCore]>([:])

  let client: AppClient
  let syncManager: SyncManager
  let paths: SyncPaths
  private let options: Options
  private let users = Locked<[ObjectIdentifier: User]>([:])
  private let connections = Locked<[ConnectionKey: ClientDriver]>([:])

  /// The configuration, which itself is not `Sendable`.
  private struct Options: @unchecked Sendable {
    // Sendable: `RLMNetworkTransportProtocol` requires thread-safe implementations; the rest is
    // `Sendable`.
    let baseURL: String
    let isMultiplexing: Bool
    let transport: (any RLMNetworkTransportProtocol)?
    let sockets: any SyncSocketProvider
    let requestTimeout: UInt
    let timeouts: SyncTimeouts
    let network: NetworkSettings
    let encryptionKey: Data?
  }

  static func of(_ id: String, _ configuration: AppConfiguration) -> AppCore {
    if id.isEmpty { throwRealmException("The app's id must not be empty") }
    let usersKey = Realm.Configuration.storageKey(configuration.encryptionKey)
    let directory = configuration.directory ?? Realm.Configuration.defaultDirectory.path
    let settings = AppSettings(
      id: id, baseURL: configuration.baseURL ?? AppSettings.usualBaseURL,
      requestTimeout: Milliseconds(configuration.defaultRequestTimeoutMS),
      device: DeviceDescription(
        platform: Networking.platform,
        platformVersion: ProcessInfo.processInfo.operatingSystemVersionString,
        bundleID: Bundle.main.bundleIdentifier ?? ""))
    let key = Key(id: id, baseURL: settings.baseURL, directory: directory)
    return registry.withLock { registry in
      if let core = registry[key] { return core }
      let core = AppCore(settings, configuration, directory, usersKey)
      registry[key] = core
      return core
    }
  }

  /// All apps of the process; one that has moved counts once.
  static var all: [AppCore] {
    let cores = registry.withLock { Array($0.values) }
    return Array(Dictionary(cores.map { (ObjectIdentifier($0), $0) }) { $1 }.values)
  }

  private init(
    _ settings: AppSettings, _ configuration: AppConfiguration, _ directory: String,
    _ usersKey: EncryptionKey?
  ) {
    let network = Networking(configuration.network)
    options = Options(
      baseURL: settings.baseURL, isMultiplexing: configuration.enableSessionMultiplexing,
      transport: configuration.transport,
      sockets: configuration.socketProvider ?? network.sockets,
      requestTimeout: configuration.defaultRequestTimeoutMS,
      timeouts: configuration.syncTimeouts.timeouts, network: configuration.network,
      encryptionKey: configuration.encryptionKey)
    paths = SyncPaths(base: directory, app: settings.id)
    let manager = SyncManager(settings.id, configuration.syncTimeouts.timeouts)
    syncManager = manager
    let transport: any HTTPTransport =
      configuration.requests ?? configuration.transport.map { CustomTransport($0) }
      ?? network.transport
    client = AppCore.client(settings, transport, { manager.customHeaders }, paths, usersKey)
    PendingFileActions(client: client).carryOutAll()
    Networking.onChange { [weak self] in self?.reconnect() }
  }

  /// A client whose users are stored, or are not if the file of users cannot be used: the program
  /// can run without it, and its users log in again.
  private static func client(
    _ settings: AppSettings, _ transport: any HTTPTransport,
    _ headers: @escaping @Sendable () -> [HTTPHeader], _ paths: SyncPaths, _ key: EncryptionKey?
  ) -> AppClient {
    do {
      try PrivatePlace.makeMissingFolders(paths.directory)
      for folder in paths.privateFolders { try PrivatePlace.makeFolder(folder) }
      return try AppClient(
        settings, transport: transport, headers: headers,
        store: UserStore(path: paths.users, key: key))
    } catch {
      Logger.log(
        .error, "The users of app '\(settings.id)' cannot be stored in '\(paths.users)': \(error)")
      return AppClient(forgetting: settings, transport: transport, headers: headers)
    }
  }

  /// What the app was made with.
  var configuration: AppConfiguration {
    let configuration = AppConfiguration(
      baseURL: options.baseURL, transport: options.transport,
      defaultRequestTimeoutMS: options.requestTimeout,
      enableSessionMultiplexing: options.isMultiplexing)
    configuration.syncTimeouts = SyncTimeoutOptions(options.timeouts)
    configuration.network = options.network
    configuration.encryptionKey = options.encryptionKey
    return configuration
  }

  /// The public object of a user.
  func user(_ user: AppUser) -> User {
    users.withLock { users in
      if let known = users[ObjectIdentifier(user)] { return known }
      let made = User(self, user)
      users[ObjectIdentifier(user)] = made
      return made
    }
  }

  /// Lets the app use the server at another address, once that has answered.
  func move(to baseURL: String) async throws(AppFailure) {
    try await client.move(to: baseURL)
    let (address, directory) = (client.settings.baseURL, paths.base)
    // Who makes the app with its present address gets this one (`AppCore` 1).
    AppCore.registry.withLock { registry in
      let key = Key(id: client.settings.id, baseURL: address, directory: directory)
      if registry[key] == nil { registry[key] = self }
    }
    for driver in connections.withLock({ Array($0.values) }) {
      driver.send(.locationRefreshed)
      driver.send(.reconnect)
    }
  }

  /// Ends the delays of connections that wait for their next attempt (P1 D.5).
  private func reconnect() {
    for driver in connections.withLock({ Array($0.values) }) { driver.send(.reconnect) }
  }

  /// The connection of a user's sessions of a mode. One that no session needs closes its socket
  /// after a while and stays.
  func connection(_ user: AppUser, _ mode: SyncMode) -> ClientDriver {
    let key = ConnectionKey(user: user.id, mode: mode)
    return connections.withLock { connections in
      if let connection = connections[key] { return connection }
      let (client, manager) = (client, syncManager)
      let connection = ClientDriver(
        mode: mode, timeouts: manager.timeouts, provider: options.sockets,
        authority: UserAuthority(
          client, user, headers: { manager.headers },
          report: { manager.take($0, endsSession: $1, of: user, at: client.settings.baseURL) }),
        observer: { manager.take($0, of: user, mode) })
      connections[key] = connection
      return connection
    }
  }
}
#endif
