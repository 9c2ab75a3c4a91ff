// SPDX-License-Identifier: Apache-2.0

// The options of the server's start.

#if Server
import Foundation
import RealmServerEngine
package import RealmServerServices

/// The options of a server, checked.
package struct ServerOptions: Hashable, Sendable {
  package let directory: String
  package let host: String
  package let port: Int
  /// Without a slash at its end.
  package let publicURL: String?
  package let certificate: String?
  package let key: String?
  package let appID: String?
  /// Whether the app is made if a folder in use lacks it.
  package let createsApp: Bool
  /// Whether the server starts without files that a folder in use lacks.
  package let replacesMissing: Bool
  /// Whether apps whose files name no mode are in development mode.
  package let isDevelopment: Bool
  package let limits: ServerLimits
  package let trustedProxies: TrustedProxies
  /// What programs of other machines have to know that ask for metrics; nil if none may.
  package let metricsToken: String?
  /// The port of the server's page on the loopback address, 0 for any free one; nil for no page.
  package let adminPort: Int?
  /// Whether the page changes objects, too.
  package let allowsEdits: Bool
  /// The connection string of the database with the realms; nil if they are in files of the folder.
  package let store: String?
  /// The time in which connections are ended before the shutdown; nil for none.
  package let drainSeconds: Int?
  /// The address where the other servers of the database reach this one, without a slash at its
  /// end; nil if it forwards nothing, and nothing is forwarded to it.
  package let nodeURL: String?

  package init(
    directory: String, listen: String, publicURL: String? = nil, certificate: String? = nil,
    key: String? = nil, appID: String? = nil, createsApp: Bool = false,
    replacesMissing: Bool = false, isDevelopment: Bool = false,
    limits: ServerLimits = ServerLimits(), trustedProxies: [String] = [],
    metricsToken: String? = nil, adminPort: Int? = nil, allowsEdits: Bool = false,
    store: String? = nil,
    drainSeconds: Int? = nil, nodeURL: String? = nil
  ) throws(ServerFailure) {
    guard let colon = listen.lastIndex(of: ":"),
      let port = Int(listen[listen.index(after: colon)...]), (0...65_535).contains(port),
      colon > listen.startIndex
    else {
      throw ServerFailure("--listen needs an address and a port, like 127.0.0.1:9090.")
    }
    guard (certificate == nil) == (key == nil) else {
      throw ServerFailure("--tls-cert and --tls-key belong together: give both.")
    }
    try Self.check(publicURL: publicURL)
    if let appID, !AppFile.isID(appID) {
      throw ServerFailure(
        "--app-id needs 1 to 64 lower-case letters, digits, \"-\" and \"_\".")
    }
    if createsApp, appID == nil {
      throw ServerFailure("--create needs --app-id, the id of the app to make.")
    }
    try Self.check(limits)
    self.trustedProxies = try Self.proxies(trustedProxies)
    if let metricsToken, metricsToken.utf8.count < 16 {
      throw ServerFailure("The token of --metrics-token-file needs 16 bytes at least.")
    }
    self.metricsToken = metricsToken
    try Self.check(adminPort: adminPort, allowsEdits)
    self.adminPort = adminPort
    self.allowsEdits = allowsEdits
    try Self.check(store: store)
    self.store = store
    if let drainSeconds, !(0...3_600).contains(drainSeconds) {
      throw ServerFailure("--drain-seconds has to be 0 to 3600.")
    }
    self.drainSeconds = drainSeconds
    if let nodeURL, !nodeURL.hasPrefix("http://"), !nodeURL.hasPrefix("https://") {
      throw ServerFailure("--node-url has to begin with http:// or https://.")
    }
    self.nodeURL = nodeURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    self.limits = limits
    self.directory =
      directory.count > 1 && directory.hasSuffix("/")
      ? String(directory.dropLast()) : directory
    var host = listen[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    self.host = String(host)
    self.port = port
    self.publicURL = publicURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    self.certificate = certificate
    self.key = key
    self.appID = appID
    self.createsApp = createsApp
    self.replacesMissing = replacesMissing
    self.isDevelopment = isDevelopment
  }

  private static func check(adminPort: Int?, _ allowsEdits: Bool) throws(ServerFailure) {
    if let adminPort, !(0...65_535).contains(adminPort) {
      throw ServerFailure("--admin-port needs the number of a port, like 9091.")
    }
    if allowsEdits, adminPort == nil {
      throw ServerFailure("--admin-edits needs --admin-port, the port of the page that edits.")
    }
  }

  private static func check(store: String?) throws(ServerFailure) {
    if let store, !["postgresql://", "postgres://"].contains(where: store.hasPrefix),
      !store.contains("=")
    {
      throw ServerFailure(
        "--store needs the address of a PostgreSQL database, like postgresql://host/name.")
    }
  }

  private static func check(_ limits: ServerLimits) throws(ServerFailure) {
    let positive = [
      ("--sockets-per-user", limits.socketsPerUser),
      ("--sockets-per-address", limits.socketsPerAddress),
      ("--registrations", limits.registrationsPerMinute),
      ("--open-partitions", limits.openRealms),
      ("--new-partitions", limits.newPartitionsPerHour),
    ]
    for (name, number) in positive where number <= 0 {
      throw ServerFailure("\(name) has to be 1 at least.")
    }
    guard limits.anonymousLoginsPerMinute > 0 else {
      throw ServerFailure(
        "--anonymous-logins has to be 1 at least. An app without anonymous users lacks "
          + "\"anon-user\" in its app.json.")
    }
    let days = [
      limits.upkeep.offlineDays, limits.upkeep.expiredDays, limits.upkeep.anonymousDays,
      limits.upkeep.unconfirmedDays,
    ]
    guard days.allSatisfy({ (1...36_500).contains($0) }) else {
      throw ServerFailure(
        "--offline-days, --expired-days, --anonymous-days and --unconfirmed-days have to be 1 to "
          + "36500.")
    }
    guard (128...1 << 24).contains(limits.memory) else {
      throw ServerFailure("--client-memory has to be 128 MiB at least.")
    }
  }

  private static func proxies(_ texts: [String]) throws(ServerFailure) -> TrustedProxies {
    guard !texts.isEmpty else { return .local }
    var ranges: [AddressRange] = []
    for text in texts {
      guard let range = AddressRange(text) else {
        throw ServerFailure(
          "--trusted-proxy needs an address or a network, like 10.0.0.0/8; \"\(text)\" is none.")
      }
      ranges.append(range)
    }
    return TrustedProxies(ranges)
  }

  package var isSecure: Bool { certificate != nil }

  /// Refuses an address that apps cannot use.
  private static func check(publicURL: String?) throws(ServerFailure) {
    if let publicURL, !isAddress(publicURL) {
      throw ServerFailure(
        "--public-url has to be an address like https://sync.example.org, with http:// or "
          + "https://, a host, a port if there is one, and nothing about users, queries or "
          + "fragments: apps get it as it is.")
    }
  }

  /// Whether a text is an address for apps.
  private static func isAddress(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty
    else { return false }
    return parts.user == nil && parts.password == nil && parts.query == nil
      && parts.fragment == nil && (parts.port.map { (1...65_535).contains($0) } ?? true)
  }
}
#endif
