// SPDX-License-Identifier: Apache-2.0

// The settings of a route for TLS and for proxies of HTTP.

#if Sync
import AsyncHTTPClient
import NIOSSL
import RealmSyncProtocol
import RealmText

extension NetworkRoute {
  /// The settings of TLS: the system's trusted certificates, and the route's.
  func tls() throws(AppFailure) -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    guard !additionalTrustRoots.isEmpty else { return configuration }
    let certificates: [NIOSSLCertificate]
    do {
      certificates = try NIOSSLCertificate.fromPEMBytes(additionalTrustRoots)
    } catch {
      throw Self.badCertificates("\(error)")
    }
    if certificates.isEmpty { throw Self.badCertificates("there is none") }
    configuration.additionalTrustRoots = [.certificates(certificates)]
    return configuration
  }

  private static func badCertificates(_ reason: String) -> AppFailure {
    .invalidCall(
      "NetworkSettings.additionalTrustRoots has no certificates in PEM form: \(reason).")
  }
}

extension NetworkRoute.Proxy {
  /// The header `Proxy-Authorization`; nil without credentials.
  var authorization: String? {
    credentials.map { "Basic " + Base64.encode(Array("\($0.name):\($0.password)".utf8)) }
  }

  /// The proxy as AsyncHTTPClient takes it.
  var configuration: HTTPClient.Configuration.Proxy {
    .server(
      host: host, port: port,
      authorization: credentials.map { .basic(username: $0.name, password: $0.password) })
  }
}
#endif
