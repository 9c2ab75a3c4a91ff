// SPDX-License-Identifier: Apache-2.0

// Where an app's server is (P1 A.1).

/// The addresses of an app's server.
package struct AppLocation: Hashable, Sendable {
  /// Scheme and host for requests.
  package var host: String
  /// Scheme and host for sockets.
  package var socketHost: String
  /// The whole address for sockets, if the server names one.
  package var syncRoute: String?

  package init(host: String, socketHost: String, syncRoute: String? = nil) {
    self.host = host
    self.socketHost = socketHost
    self.syncRoute = syncRoute
  }

  /// The location to begin with, before the server has been asked.
  init(guessedFrom baseURL: String) {
    var socketHost = baseURL
    if baseURL.hasPrefix("http") { socketHost = "ws" + baseURL.dropFirst(4) }
    if let range = socketHost.firstRange(of: "://") {
      let host = socketHost[range.upperBound...]
      if host.hasSuffix("realm.mongodb.com") || host == "services.cloud.mongodb.com" {
        socketHost = socketHost[..<range.upperBound] + "ws." + host
      }
    }
    self.init(host: baseURL, socketHost: socketHost)
  }

  /// The address of sockets for an app, without the token.
  package func socketURL(app id: String) -> String {
    syncRoute ?? "\(socketHost)/api/client/v2.0/app/\(id)/realm-sync"
  }
}
