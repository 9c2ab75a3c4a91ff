// SPDX-License-Identifier: Apache-2.0

// Where an app's server is (P1 A.1).

import RealmFormats

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

  /// The server's answer; nil if it is no location.
  init?(_ json: JSONValue) {
    guard let host = json["hostname"]?.string, let socketHost = json["ws_hostname"]?.string else {
      return nil
    }
    self.init(host: host, socketHost: socketHost)
    if let route = json["sync_route"]?.string {
      guard Self.isPlainSocketURL(route) else { return nil }
      syncRoute = route
    }
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

  /// Whether all addresses are encrypted ones.
  var isSecure: Bool {
    host.lowercased().hasPrefix("https://") && socketHost.lowercased().hasPrefix("wss://")
      && syncRoute?.lowercased().hasPrefix("wss://") != false
  }

  /// Whether an address has neither user, query nor fragment.
  private static func isPlainSocketURL(_ text: String) -> Bool {
    guard text.hasPrefix("ws://") || text.hasPrefix("wss://") else { return false }
    return !text.contains { "@?#".contains($0) }
  }
}
