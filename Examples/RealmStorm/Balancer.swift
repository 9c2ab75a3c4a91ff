// SPDX-License-Identifier: Apache-2.0

// The load balancer of a storm with nodes.

#if Server
import Foundation
import Synchronization

/// Chooses a node for each connection among those that answer `/ready`.
final class Balancer: Sendable {
  private struct State {
    /// Whether each node has answered.
    var areLive: [Bool]
    /// The node of all connections, for `BalanceKind.single`.
    var single = 0
    var turn = 0
    var random: StormGenerator
  }

  /// The time between two questions, in seconds.
  private static let period = 0.3
  /// The time for an answer.
  private static let answerMilliseconds = 1_000

  /// After so many answers of a node that is not the single one its connections end.
  private static let patience = 10

  private let kind: BalanceKind
  /// The ports of the nodes.
  private let ports: [Int]
  /// The networks between this and the nodes.
  private let networks: [FaultyNetwork]
  private let log: StormLog
  private let state: Mutex<State>

  init(
    _ kind: BalanceKind, ports: [Int], networks: [FaultyNetwork], seed: UInt64, log: StormLog
  ) {
    self.kind = kind
    self.ports = ports
    self.networks = networks
    self.log = log
    state = Mutex(
      State(areLive: ports.map { _ in false }, random: StormGenerator(seed: seed)))
    for node in ports.indices { Thread.detachNewThread { self.watch(node) } }
  }

  /// Chooses the node of all connections, for `BalanceKind.single`.
  func setSingle(_ node: Int) { state.withLock { $0.single = node } }

  func isLive(_ node: Int) -> Bool { state.withLock { $0.areLive[node] } }

  /// The port of the node for the next connection; nil if none is live.
  func next() -> Int? {
    state.withLock { state in
      let live = ports.indices.filter {
        state.areLive[$0] && (kind != .single || $0 == state.single)
      }
      guard !live.isEmpty else { return nil }
      switch kind {
      case .random: return live.randomElement(using: &state.random).map { ports[$0] }
      case .turns:
        state.turn += 1
        return ports[live[state.turn % live.count]]
      case .single: return ports[live[0]]
      }
    }
  }

  // MARK: Health

  /// Asks a node again and again.
  private func watch(_ node: Int) {
    var liveCount = 0
    while true {
      let isReady = Self.isReady(ports[node])
      liveCount = isReady ? liveCount + 1 : 0
      let (wasReady, isAlone) = state.withLock { state in
        defer { state.areLive[node] = isReady }
        return (state.areLive[node], kind == .single && state.single != node)
      }
      if isReady != wasReady { log.add("balancer", "node\(node) is \(isReady ? "live" : "out")") }
      // Its devices would wait for a realm that another node owns.
      if isAlone, liveCount > Self.patience { networks[node].cause(.cutAll) }
      Thread.sleep(forTimeInterval: Self.period)
    }
  }

  private static func isReady(_ port: Int) -> Bool {
    guard let socket = Socket(connectingTo: port) else { return false }
    defer { socket.close() }
    socket.limitWaiting(milliseconds: answerMilliseconds)
    let request = "GET /ready HTTP/1.1\r\nHost: storm\r\nConnection: close\r\n\r\n"
    guard socket.send(Array(request.utf8)) else { return false }
    return socket.received().starts(with: Array("HTTP/1.1 200".utf8))
  }
}
#endif
