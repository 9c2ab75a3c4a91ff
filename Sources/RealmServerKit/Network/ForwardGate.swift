// SPDX-License-Identifier: Apache-2.0

// Requests of other machines to a server for its own alone.
//
// Invariants:
// 1. No forwarded request is served while an app names no mode: every user may do everything
//    with such an app, so no other machine may reach it (`ServerOptions` 1).

#if Server
import Logging
import NIOConcurrencyHelpers
import RealmServerEngine
import RealmServerServices

/// Refuses requests that a proxy has passed on, where no one has said that others may reach the
/// server.
final class ForwardGate: Sendable {
  private struct State {
    /// The apps for this machine alone.
    var apps: Set<String> = []
    var hasLogged = false
  }

  /// The answer for clients and proxies.
  static let message =
    "this server is for its own machine alone, and a proxy has passed the request on"

  private let logger: Logger
  private let state = NIOLockedValueBox(State())

  init(_ logger: Logger) { self.logger = logger }

  /// Notes whether an app is for this machine alone.
  func set(_ isForThisMachineAlone: Bool, for app: String) {
    state.withLockedValue { state in
      if isForThisMachineAlone { state.apps.insert(app) } else { state.apps.remove(app) }
    }
  }

  /// Whether a request is not served. The first one is logged.
  func refuses(_ origin: RequestOrigin) -> Bool {
    guard origin.isForwarded else { return false }
    let (apps, isFirst) = state.withLockedValue { state in
      defer { state.hasLogged = state.hasLogged || !state.apps.isEmpty }
      return (state.apps.sorted(), !state.hasLogged)
    }
    guard let app = apps.first else { return false }
    if isFirst {
      logger.error(
        """
        Requests that a proxy passes on are refused: the app.json of the app \(app) names no \
        "mode", so that every user reads and writes everything, and others may reach the proxy. \
        Add a "mode" to it, start the server with --development, or, if the proxy serves this \
        machine alone, name its address with --public-url
        """)
    }
    return true
  }
}
#endif
