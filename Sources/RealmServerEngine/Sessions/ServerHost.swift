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
  ) async -> ServerDriver {
    var app = app
    app.authenticator = SessionAuthenticator { _ in user }
    let number = makeConnectionNumber()
    let environment = SocketServerEnvironment(
      socket,
      downloadByteCount: served == .flexible
        ? app.limits.bootstrapByteCount : app.limits.downloadByteCount,
      timer: timer, turns: turns, memory: memory, alarms: alarms,
      notice: app.reports.notice,
      handlerSource: { [app, wrap] link in
        let own = ServerSession(app: app, version: version, connection: number, link: link)
        guard let links = app.links else { return wrap(own) }
        let session = NodeSession(
          app: app.name, user: user, version: version, connection: number)
        return wrap(ForwardableSession(session, own, links: links, events: link))
      })
    let connection = ServerDriver(
      version: version, served: served, limits: limits, environment: environment)
    await connection.start()
    return connection
  }

  /// A number for a connection, which no other one of the app has.
  package func makeConnectionNumber() -> UInt64 {
    lastConnection.add(1, ordering: .relaxed).newValue
  }

  /// The handler of a session of another server's connection, whose realm is to be this server's: a
  /// third one is not asked.
  ///
  /// - Parameters:
  ///   - connection: The number of the connection at this server.
  ///   - events: Takes what the session gets without a request.
  package func session(
    _ session: NodeSession, connection: UInt64, events: ServerSessionLink
  ) -> any ServerRequestHandler {
    var app = app
    app.authenticator = SessionAuthenticator { _ in session.user }
    let own = ServerSession(
      app: app, version: session.version, connection: connection, link: events,
      isForwarded: true)
    return wrap(own)
  }

  /// The mode of the app.
  package var mode: SyncMode { served }

  /// The turns of downloads, for the sessions of other servers' connections.
  package var downloadTurns: DownloadTurns { turns }
}
