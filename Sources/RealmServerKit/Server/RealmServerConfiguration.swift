// SPDX-License-Identifier: Apache-2.0

// The place of a server, and its limits.

#if Server
public import CoreMetrics
package import RealmServerEngine
package import RealmServerServices
public import Tracing

/// The folder of a server, its place in the network, and its limits.
public struct RealmServerConfiguration: Sendable {
  /// The folder with the apps, their data and the keys; it is made if it is missing.
  public var folder: String
  /// The address to listen on.
  public var host: String
  /// The port to listen on; 0 for any free one.
  public var port: Int
  /// The address under which clients reach the server, if it is another; behind a proxy, say.
  public var publicURL: String?
  /// A file with the certificates of the server, in PEM form; nil to listen without TLS.
  public var certificateFile: String?
  /// A file with the private key of the certificate, in PEM form.
  public var keyFile: String?
  /// The networks of proxies that are believed, like `10.0.0.0/8`; this machine if there is none.
  public var trustedProxies: [String] = []
  /// Makes the counters of the server; nil for the factory that the program has bootstrapped.
  public var metrics: (any MetricsFactory)?
  /// Makes the spans of the server; nil for the tracer that the program has bootstrapped.
  public var tracer: (any Tracer)?
  /// Writes the metrics of the program for requests of `/metrics`; nil for none.
  public var metricsText: (@Sendable () -> String)?
  /// The token with which other machines get `/metrics`; nil if this machine alone does.
  public var metricsToken: String?
  /// The port of the page for the operator on this machine alone, 0 for any free one; nil for none.
  /// `realm-server admin` prints its address.
  public var adminPort: Int?
  /// Whether the page for the operator changes objects, too. It needs `adminPort`.
  public var adminEdits = false
  /// Whether files of users, realms or keys that are missing from a folder in use are made anew.
  /// Devices may lose what they have not uploaded.
  public var replacesMissing = false
  /// The address of a PostgreSQL database in which realms are kept, like
  /// `postgresql://host1,host2/name`, in place of files of the folder. It needs the trait
  /// `Postgres`. A password is better in `PGPASSWORD` or a password file.
  public var store: String?
  /// The seconds in which connections are ended one after the other before a shutdown, while
  /// `/ready` says that the server ends: a load balancer brings the devices to others meanwhile.
  public var drainSeconds = 0
  /// The address where the other servers of the database reach this one, like
  /// `https://10.0.0.7:9090`; nil if it forwards no sessions to them and they forward none to it.
  public var nodeURL: String?
  /// Has the addresses of the other servers; nil for those in the database.
  package var nodeDirectory: (any NodeDirectory)?
  /// The time of day of a server whose realms are in files.
  package var clock = ServerClock.machine
  /// The limits of users and addresses.
  public var limits = Limits()

  /// The limits of one user or address.
  public struct Limits: Hashable, Sendable {
    /// The open sockets of a user at a time, on all devices together.
    public var socketsPerUser = ServerLimits.standard.socketsPerUser
    /// The open sockets of an address at a time.
    public var socketsPerAddress = ServerLimits.standard.socketsPerAddress
    /// The anonymous users that an address, this machine apart, may make in a minute.
    public var anonymousLoginsPerMinute = ServerLimits.standard.anonymousLoginsPerMinute
    /// The registrations and mails that an address may ask for in a minute.
    public var registrationsPerMinute = ServerLimits.standard.registrationsPerMinute
    /// The memory of clients together, in MiB.
    public var clientMemory = ServerLimits.standard.memory
    /// The partitions that an app has open at a time; idle ones are closed for others.
    public var openPartitions = ServerLimits.standard.openRealms
    /// The new partitions of a user in an hour.
    public var newPartitionsPerHour = ServerLimits.standard.newPartitionsPerHour
    /// The days after which a device that was away has to reset its realms.
    public var offlineDays = ServerLimits.standard.upkeep.offlineDays

    /// The limits that realm-server has without options.
    public init() {}
  }

  /// A place on this machine.
  ///
  /// - Parameters:
  ///   - folder: The folder with the apps, their data and the keys; it is made if it is missing.
  ///   - host: The address to listen on.
  ///   - port: The port to listen on; 0 for any free one.
  public init(folder: String, host: String = "127.0.0.1", port: Int = 9090) {
    self.folder = folder
    self.host = host
    self.port = port
  }

  func options() throws(ServerFailure) -> ServerOptions {
    var all = ServerLimits()
    all.socketsPerUser = limits.socketsPerUser
    all.socketsPerAddress = limits.socketsPerAddress
    all.anonymousLoginsPerMinute = limits.anonymousLoginsPerMinute
    all.registrationsPerMinute = limits.registrationsPerMinute
    all.memory = limits.clientMemory
    all.openRealms = limits.openPartitions
    all.newPartitionsPerHour = limits.newPartitionsPerHour
    all.upkeep.offlineDays = limits.offlineDays
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    return try ServerOptions(
      directory: folder, listen: "\(name):\(port)", publicURL: publicURL,
      certificate: certificateFile, key: keyFile, replacesMissing: replacesMissing, limits: all,
      trustedProxies: trustedProxies, metricsToken: metricsToken, adminPort: adminPort,
      allowsEdits: adminEdits, store: store, drainSeconds: drainSeconds, nodeURL: nodeURL)
  }
}
#endif
