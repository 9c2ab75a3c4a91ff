// SPDX-License-Identifier: Apache-2.0

// The connections of an app: where sockets, realms and news of them meet.

package import RealmSyncProtocol
import Synchronization

/// Serves the sockets of one app.
package final class ServerHost: Sendable {
  private let app: ServerApp
  private let served: SyncMode
  private let timer: SyncClock
  private let limits: ServerConnectionMachine.Limits
  private let news: Task<Void, Never>
  private let turns = DownloadTurns()
  private let alarms: ConnectionAlarms
  private let wrap: @Sendable (any ServerRequestHandler) -> any ServerRequestHandler
  private let lastConnection = Atomic<UInt64>(0)

  /// - Parameters:
  ///   - app: The app; its authenticator is not asked, as a socket has one user.
  ///   - store: The store of the app's realms.
  ///   - served: The mode of the app.
  ///   - wrap: Puts another handler before that of a session; to measure it, say.
  package init(
    _ app: ServerApp, store: any ServerStore, served: SyncMode,
    limits: ServerConnectionMachine.Limits = ServerConnectionMachine.Limits(),
    timer: SyncClock = .continuous,
    wrap: @escaping @Sendable (any ServerRequestHandler) -> any ServerRequestHandler = { $0 }
  ) {
    self.wrap = wrap
    let news = HeadNews(timer: timer)
    var app = app
    app.news = news
    self.app = app
    self.served = served
    self.limits = limits
    self.timer = timer
    alarms = ConnectionAlarms(timer: timer, granularity: 250)
    let heads = store.heads()
    self.news = Task { await news.follow(heads) }
  }

  deinit { news.cancel() }

  /// Makes the connection of an open socket, and starts it.
  ///
  /// - Parameters:
  ///   - version: The protocol of the handshake.
  ///   - user: The identifier of the user whose token the socket was opened with.
  ///   - memory: The connection's part of what all of them share; nil where that has no limit.
  package func accept(
    _ socket: any MessageSocket, version: ProtocolVersion, user: String,
    memory: (any ConnectionMemory)? = nil
  ) async -> ServerConnection {
    var app = app
    app.authenticator = SessionAuthenticator { _ in user }
    let number = lastConnection.add(1, ordering: .relaxed).newValue
    let connection = ServerConnection(
      socket, version: version, served: served, limits: limits,
      downloadByteCount: served == .flexible
        ? app.limits.bootstrapByteCount : app.limits.downloadByteCount,
      timer: timer, turns: turns, memory: memory, alarms: alarms,
      handlerSource: { [app, wrap] link in
        wrap(ServerSessionStore(app: app, version: version, connection: number, link: link))
      })
    await connection.start()
    return connection
  }
}
