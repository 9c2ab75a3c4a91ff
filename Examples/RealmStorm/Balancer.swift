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
    var turn = 0
    var random: StormGenerator
  }

  /// The time between two questions, in seconds.
  private static let period = 0.3
  /// The time for an answer.
  private static let answerMilliseconds = 1_000

  private let kind: BalanceKind
  /// The ports of the nodes.
  private let ports: [Int]
  private let log: StormLog
  private let state: Mutex<State>

  init(_ kind: BalanceKind, ports: [Int], seed: UInt64, log: StormLog) {
    self.kind = kind
    self.ports = ports
    self.log = log
    state = Mutex(
      State(areLive: ports.map { _ in false }, random: StormGenerator(seed: seed)))
    for node in ports.indices { Thread.detachNewThread { self.watch(node) } }
  }

  func isLive(_ node: Int) -> Bool { state.withLock { $0.areLive[node] } }

  /// The port of the node for the next connection; nil if none is live.
  func next() -> Int? {
    state.withLock { state in
      let live = ports.indices.filter { state.areLive[$0] }
      guard !live.isEmpty else { return nil }
      switch kind {
      case .random: return live.randomElement(using: &state.random).map { ports[$0] }
      case .turns:
        state.turn += 1
        return ports[live[state.turn % live.count]]
      }
    }
  }

  // MARK: Health

  /// Asks a node again and again.
  private func watch(_ node: Int) {
    while true {
      let isReady = Self.isReady(ports[node])
      let wasReady = state.withLock { state in
        defer { state.areLive[node] = isReady }
        return state.areLive[node]
      }
      if isReady != wasReady { log.add("balancer", "node\(node) is \(isReady ? "live" : "out")") }
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
