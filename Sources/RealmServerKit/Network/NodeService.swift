// SPDX-License-Identifier: Apache-2.0

// The connections to and from the other servers of a database.

#if Server
import Logging
import NIOCore
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol
import ServiceLifecycle

/// Forwards sessions to the owners of their realms, and serves those that others forward.
final class NodeService: Service {
  /// What servers forward to each other.
  let pool: NodePool
  private let server: NodeServer
  private let issuer: TokenIssuer
  private let clock: ServerClock

  /// - Parameters:
  ///   - node: The name of this server.
  ///   - directory: Has the addresses of the others.
  ///   - issuer: Signs with the keys that all servers of the database have.
  init(
    node: String, directory: any NodeDirectory, issuer: TokenIssuer,
    _ surroundings: ServerSurroundings
  ) {
    let (timer, clock, notices) =
      (surroundings.timer, surroundings.clock, surroundings.notices)
    let metrics = surroundings.metrics.nodes
    self.issuer = issuer
    self.clock = clock
    server = NodeServer(node: node, timer: timer, meter: metrics.incoming)
    let sockets = ClientSockets(timeoutSeconds: 10)
    pool = NodePool(
      node: node, timer: timer, meter: metrics.outgoing,
      report: { notices.add($0, as: .warning) },
      dial: { (other) async throws(SocketClosed) in
        guard let address = await directory.address(of: other) else {
          throw SocketClosed(.resolveFailed, "The server has no address")
        }
        let token = issuer.nodeToken(of: node, for: other, now: Self.seconds(clock))
        return try await sockets.open(
          SyncEndpoint(
            url: address + NodeRequest.path, protocolNames: [NodeRequest.protocolName],
            headers: [HTTPHeader("Authorization", "Bearer \(token)")]))
      })
  }

  /// Seconds since 1970.
  private static func seconds(_ clock: ServerClock) -> Int64 {
    Int64((clock.now().milliseconds + OriginTimestamp.unixOffset) / 1_000)
  }

  // MARK: Apps

  /// Serves an app to other servers from now on.
  func begin(_ app: ServedApp) {
    guard let documents = app.api.documents else { return }
    server.add(app.file.id, app.host, documents)
  }

  /// Ends the sessions that other servers have forwarded to an app.
  func end(_ app: ServedApp) { server.remove(app.file.id) }

  // MARK: Connections

  /// The name of the server that asks for a connection; nil if it is none of the database.
  func node(of request: NodeRequest) -> String? {
    issuer.node(ofToken: request.token, for: server.node, now: Self.seconds(clock))
  }

  /// Serves a connection until it ends.
  func serve(_ socket: WebSocket, of node: String, _ memory: MemoryBudget.Share) async {
    _ = await server.serve(socket, of: node, memory: memory)
  }

  /// Runs until the server shuts down; then ends all connections.
  func run() async throws {
    try? await gracefulShutdown()
    await server.close()
    await pool.close()
  }
}
#endif
