// SPDX-License-Identifier: Apache-2.0

// The way from an app to its server, as programs describe it.

#if Sync
import RealmSyncProtocol

/// How an app's requests and sync connections reach its server: through a proxy, or with
/// certificates that the system does not know.
///
/// ```swift
/// let configuration = AppConfiguration(baseURL: "https://sync.example.org")
/// configuration.network.proxy = NetworkSettings.Proxy(host: "proxy.example.org", port: 3128)
/// configuration.network.additionalTrustRoots = try String(contentsOf: url, encoding: .utf8)
/// let app = App(id: "todos", configuration: configuration)
/// ```
public struct NetworkSettings: Hashable, Sendable {
  /// An HTTP proxy, through which all connections go in tunnels (`CONNECT`).
  public struct Proxy: Hashable, Sendable {
    /// The name or address of the proxy.
    public var host: String
    /// The port of the proxy.
    public var port: Int
    /// The user name that the proxy asks for; nil if it asks for none.
    public var username: String?
    /// The password that the proxy asks for.
    public var password: String?

    /// A proxy, with a user name and password if it asks for them.
    public init(host: String, port: Int, username: String? = nil, password: String? = nil) {
      self.host = host
      self.port = port
      self.username = username
      self.password = password
    }
  }

  /// The proxy; nil for direct connections.
  public var proxy: Proxy?
  /// Certificates in PEM form that are trusted beside those of the system, like that of a
  /// company's own authority; nil for none.
  ///
  /// Calls of an app with a text that is no certificate throw an `AppError` that says so.
  public var additionalTrustRoots: String?

  /// The settings of direct connections that trust what the system trusts, unless others are
  /// given.
  public init(proxy: Proxy? = nil, additionalTrustRoots: String? = nil) {
    self.proxy = proxy
    self.additionalTrustRoots = additionalTrustRoots
  }

  var route: NetworkRoute {
    NetworkRoute(
      proxy: proxy.map { proxy in
        NetworkRoute.Proxy(
          host: proxy.host, port: proxy.port,
          credentials: proxy.username.map {
            NetworkRoute.Credentials(name: $0, password: proxy.password ?? "")
          })
      }, additionalTrustRoots: Array((additionalTrustRoots ?? "").utf8))
  }
}
#endif
