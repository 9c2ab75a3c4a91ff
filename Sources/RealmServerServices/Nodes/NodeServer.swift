// SPDX-License-Identifier: Apache-2.0

// What a server does for others: it carries out the sessions and calls of its realms that they
// forward.
//
// Invariants:
// 1. What another server forwards is carried out here or refused, and forwarded no further.

#if Server
package import RealmServerEngine
import RealmStorage
package import RealmSyncProtocol

/// Serves the connections of other servers.
package final class NodeServer: Sendable {
  /// The parts of an app that others ask for.
  struct App: Sendable {
    let host: ServerHost
    let documents: DocumentService
  }

  private struct State {
    var apps: [String: App] = [:]
    var peers: [UInt64: NodePeer] = [:]
    var lastPeer: UInt64 = 0
    var isClosed = false

    /// In the order of their connections.
    var sortedPeers: [NodePeer] { peers.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// The name of this server.
  package let node: String
  private let limits: NodeLimits
  private let timer: SyncClock
  private let meter: NodeMeter
  private let state = Locked(State())

  package init(
    node: String, limits: NodeLimits = NodeLimits(), timer: SyncClock = .continuous,
    meter: NodeMeter = NodeMeter()
  ) {
    self.node = node
    self.limits = limits
    self.timer = timer
    self.meter = meter
  }

  // MARK: Apps

  /// Serves an app from now on.
  package func add(_ app: String, _ host: ServerHost, _ documents: DocumentService) {
    state.withLock { $0.apps[app] = App(host: host, documents: documents) }
  }

  /// Ends the sessions of an app, which is not served any more.
  package func remove(_ app: String) {
    let peers = state.withLock { state in
      state.apps[app] = nil
      return state.sortedPeers
    }
    for peer in peers { peer.endSessions(of: app, "The app \(app) is not served any more") }
  }

  func app(_ name: String) -> App? { state.withLock { $0.apps[name] } }

  /// The handler of a session of another server's connection; nil if there is no such app.
  ///
  /// - Parameter connection: The number of the connection here; nil for one of its own.
  package func session(
    _ session: NodeSession, connection: UInt64? = nil, events: ServerSessionLink
  ) -> (any ServerRequestHandler)? {
    guard let host = app(session.app)?.host else { return nil }
    return host.session(
      session, connection: connection ?? host.makeConnectionNumber(), events: events)
  }

  /// Carries out a call of another server.
  package func answer(to call: NodeCall) async -> Result<NodeAnswer, DocumentError> {
    guard let documents = app(call.app)?.documents else {
      return .failure(.store(.unavailable("the app \(call.app) is not served")))
    }
    return await documents.answer(to: call)
  }

  // MARK: Connections

  /// Serves a connection of another server until it ends. Returns the reason.
  ///
  /// - Parameters:
  ///   - name: The other server's; nil for the one that it gives itself.
  ///   - memory: The connection's part of what clients share; nil where that has no limit.
  @discardableResult
  package func serve(
    _ socket: any MessageSocket, of name: String? = nil,
    memory: (any ConnectionMemory)? = nil
  ) async -> SocketClosed {
    let connection = NodeSocket(socket, limits: limits, timer: timer, meter: meter)
    do throws(SocketClosed) {
      let hello = try await connection.greet(as: NodeHello(node: node))
      guard name ?? hello.node == hello.node else {
        throw SocketClosed(.policyViolation, "The token is of another server")
      }
    } catch {
      await connection.close(.policyViolation, reason: error.message)
      return error
    }
    let peer = NodePeer(connection, of: self, memory: memory ?? UnlimitedMemory())
    guard let number = add(peer) else {
      await connection.close(.goingAway, reason: "The server shuts down")
      return SocketClosed(.goingAway)
    }
    let end = await connection.run(peer)
    state.withLock { $0.peers[number] = nil }
    peer.end()
    return end
  }

  private func add(_ peer: NodePeer) -> UInt64? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.lastPeer += 1
      state.peers[state.lastPeer] = peer
      return state.lastPeer
    }
  }

  /// The connections of other servers.
  package var connectionCount: Int { state.withLock { $0.peers.count } }

  /// The sessions that other servers have forwarded.
  package var sessionCount: Int {
    state.withLock { Array($0.peers.values) }.reduce(0) { $0 + $1.sessionCount }
  }

  /// Ends all sessions and connections, and serves none any more: devices come back.
  package func close() async {
    let peers = state.withLock { state in
      state.isClosed = true
      return state.sortedPeers
    }
    for peer in peers { await peer.close() }
  }
}
#endif
