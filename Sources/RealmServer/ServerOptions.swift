// SPDX-License-Identifier: Apache-2.0

// What the server is started with.

#if Server
import RealmServerEngine

/// The options of a server, checked.
struct ServerOptions: Hashable, Sendable {
  let directory: String
  let host: String
  let port: Int
  /// Without a slash at its end.
  let publicURL: String?
  let certificate: String?
  let key: String?
  let appID: String?
  let limits: ServerLimits

  init(
    directory: String, listen: String, publicURL: String? = nil, certificate: String? = nil,
    key: String? = nil, appID: String? = nil, limits: ServerLimits = ServerLimits()
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
    if let publicURL, !publicURL.hasPrefix("http://"), !publicURL.hasPrefix("https://") {
      throw ServerFailure("--public-url has to begin with http:// or https://.")
    }
    if let appID, !AppFile.isID(appID) {
      throw ServerFailure(
        "--app-id needs 1 to 64 lower-case letters, digits, \"-\" and \"_\".")
    }
    guard limits.socketsPerUser > 0 else {
      throw ServerFailure("--sockets-per-user has to be 1 at least.")
    }
    guard limits.anonymousLoginsPerMinute > 0 else {
      throw ServerFailure(
        "--anonymous-logins has to be 1 at least. An app without anonymous users lacks "
          + "\"anon-user\" in its app.json.")
    }
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
  }

  var isSecure: Bool { certificate != nil }
}
#endif
