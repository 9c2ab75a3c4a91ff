// SPDX-License-Identifier: Apache-2.0

// The way from an app to its server.

/// How requests and sockets reach a server.
package struct NetworkRoute: Hashable, Sendable {
  /// A proxy for tunnels (the method CONNECT of HTTP).
  package struct Proxy: Hashable, Sendable {
    package var host: String
    package var port: Int
    /// The name and the password for the proxy; nil if it needs none.
    package var credentials: Credentials?

    package init(host: String, port: Int, credentials: Credentials? = nil) {
      self.host = host
      self.port = port
      self.credentials = credentials
    }
  }

  /// A name with its password.
  package struct Credentials: Hashable, Sendable {
    package var name: String
    package var password: String

    package init(name: String, password: String) {
      self.name = name
      self.password = password
    }
  }

  /// Nil for a direct connection.
  package var proxy: Proxy?
  /// Certificates in PEM form, trusted beside those of the system; empty for none.
  package var additionalTrustRoots: [UInt8]

  package init(proxy: Proxy? = nil, additionalTrustRoots: [UInt8] = []) {
    self.proxy = proxy
    self.additionalTrustRoots = additionalTrustRoots
  }
}
