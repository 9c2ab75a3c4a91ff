// SPDX-License-Identifier: Apache-2.0

// What an app's client is made with.

#if Sync
public import Foundation
package import RealmSyncProtocol

/// The address of an app's server, and the times that its client waits.
///
/// Not `Sendable`, as custom transports are not.
public final class AppConfiguration {
  /// The address of the server; nil for the default.
  public var baseURL: String?
  /// What carries requests in place of the library's own networking.
  public var transport: (any RLMNetworkTransportProtocol)?
  /// How long the answer to a request may take.
  public var defaultRequestTimeoutMS: UInt
  /// Whether all sessions of a user share one connection, as they always do here.
  public var enableSessionMultiplexing: Bool
  /// The times that sessions and connections wait.
  public var syncTimeouts: SyncTimeoutOptions
  /// The proxy and the certificates of the library's own networking. A `transport` of the program
  /// decides itself; sync connections follow these settings in any case.
  public var network = NetworkSettings()
  /// The key of the file with the users and their tokens, 64 bytes; nil, as at first, for a plain
  /// file. Only the user of the process can read that file in any case.
  ///
  /// A plain file is encrypted with the key at the next start. With another key than before, or
  /// none, users are not found: they log in again, and are not stored until the file
  /// `mongodb-realm/<app id>/server-utility/metadata/sync_metadata.realm` is deleted. Realms have
  /// keys of their own, `Realm.Configuration.encryptionKey`.
  ///
  /// Traps if it has not exactly 64 bytes when the `App` is made.
  public var encryptionKey: Data?
  /// What carries requests in place of the library's own networking, and of `transport`.
  package var requests: (any HTTPTransport)?
  /// What opens sockets in place of the library's own networking.
  package var socketProvider: (any SyncSocketProvider)?
  /// Where the app's files are; nil for the default directory.
  package var directory: String?

  /// - Parameters:
  ///   - baseURL: The address of the server; `https://services.cloud.mongodb.com` by default, where
  ///     nothing answers any more.
  ///   - transport: What carries requests in place of the library's own networking.
  ///   - defaultRequestTimeoutMS: How long the answer to a request may take; 60,000 ms by default.
  ///   - enableSessionMultiplexing: Whether all sessions of a user share one connection.
  ///   - syncTimeouts: The times that sessions and connections wait.
  public init(
    baseURL: String? = nil, transport: (any RLMNetworkTransportProtocol)? = nil,
    defaultRequestTimeoutMS: UInt? = nil, enableSessionMultiplexing: Bool? = nil,
    syncTimeouts: SyncTimeoutOptions? = nil
  ) {
    self.baseURL = baseURL
    self.transport = transport
    self.defaultRequestTimeoutMS = defaultRequestTimeoutMS ?? 60_000
    self.enableSessionMultiplexing = enableSessionMultiplexing ?? true
    self.syncTimeouts = syncTimeouts ?? SyncTimeoutOptions()
  }

  /// See `init(baseURL:transport:defaultRequestTimeoutMS:enableSessionMultiplexing:syncTimeouts:)`.
  @available(*, deprecated, message: "localAppName and localAppVersion are not used for anything.")
  public convenience init(
    baseURL: String? = nil, transport: (any RLMNetworkTransportProtocol)? = nil,
    localAppName: String?, localAppVersion: String?, defaultRequestTimeoutMS: UInt? = nil,
    enableSessionMultiplexing: Bool? = nil, syncTimeouts: SyncTimeoutOptions? = nil
  ) {
    self.init(
      baseURL: baseURL, transport: transport, defaultRequestTimeoutMS: defaultRequestTimeoutMS,
      enableSessionMultiplexing: enableSessionMultiplexing, syncTimeouts: syncTimeouts)
  }
}
#endif
