// SPDX-License-Identifier: Apache-2.0

// The sockets of the server: from the handshake to the end.
//
// Invariants:
// 1. After the shutdown has begun no connection is served.

#if Server
import Logging
import NIOConcurrencyHelpers
import RealmNetworking
import RealmServerEngine
import RealmSync
import RealmSyncProtocol
import ServiceLifecycle

/// Serves the sockets of all apps.
final class SocketService: Service {
  private struct State {
    var connections: [UInt64: ServerConnection] = [:]
    var last: UInt64 = 0
    var isShuttingDown = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let apps: [String: ServedApp]
  private let metrics: ServerMetrics
  private let logger: Logger
  private let state = NIOLockedValueBox(State())

  init(_ apps: [ServedApp], metrics: ServerMetrics, logger: Logger) {
    self.apps = Dictionary(apps.map { ($0.file.id, $0) }, uniquingKeysWith: { $1 })
    self.metrics = metrics
    self.logger = logger
  }

  // MARK: One socket

  /// Serves a socket until it is closed.
  func serve(_ socket: WebSocket, _ request: SocketRequest) async {
    guard let app = apps[request.app] else {
      return await refuse(socket, .fatal, "There is no app \(request.app)")
    }
    let account: Account
    do throws(AccountError) {
      account = try await app.api.accounts.account(accessToken: request.token)
    } catch {
      // Clients of all systems see close codes, and only some an HTTP status (P1 B.1).
      switch error {
      case .userDisabled: return await refuse(socket, .forbidden, "The user is disabled")
      case .store: return await refuse(socket, .internalError, "The server failed")
      default: return await refuse(socket, .unauthorized, "The token is not valid")
      }
    }
    let connection = await app.host.accept(
      ClientSocket(socket: socket, metrics: metrics), version: request.version, user: account.id)
    guard let number = add(connection) else {
      return await refuse(socket, .goingAway, "The server shuts down")
    }
    metrics.didOpen()
    await receive(socket, connection)
    await connection.socketDidClose()
    metrics.didClose()
    remove(number)
  }

  private func receive(_ socket: WebSocket, _ connection: ServerConnection) async {
    do throws(SocketClosed) {
      while true {
        let message = try await socket.receive()
        metrics.didReceive(message)
        await connection.receive(message)
      }
    } catch {
      logger.debug("A socket closed: \(error.code.rawValue) \(error.message)")
    }
  }

  private func refuse(_ socket: WebSocket, _ code: CloseCode, _ reason: String) async {
    metrics.didRefuse()
    await socket.close(code, reason: reason)
  }

  // MARK: All sockets

  private func add(_ connection: ServerConnection) -> UInt64? {
    state.withLockedValue { state in
      guard !state.isShuttingDown else { return nil }
      state.last += 1
      state.connections[state.last] = connection
      return state.last
    }
  }

  private func remove(_ number: UInt64) {
    let waiter = state.withLockedValue { state -> CheckedContinuation<Void, Never>? in
      state.connections[number] = nil
      guard state.connections.isEmpty else { return nil }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Runs until the server shuts down; then ends all sessions and waits for their sockets.
  func run() async throws {
    try? await gracefulShutdown()
    let connections = state.withLockedValue { state in
      state.isShuttingDown = true
      return Array(state.connections.values)
    }
    logger.info("Ending \(connections.count) connections")
    for connection in connections { await connection.shutDown() }
    await withCheckedContinuation { continuation in
      let isDone = state.withLockedValue { state in
        if !state.connections.isEmpty { state.waiter = continuation }
        return state.connections.isEmpty
      }
      if isDone { continuation.resume() }
    }
  }
}
#endif
