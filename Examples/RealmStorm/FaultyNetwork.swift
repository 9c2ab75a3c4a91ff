// SPDX-License-Identifier: Apache-2.0

// The network between the devices and the server of a storm.

#if Server
import Foundation
import Synchronization

/// A proxy of TCP, whose connections have faults on demand.
final class FaultyNetwork: Sendable {
  private struct State {
    var connections: [(number: Int, connection: ProxiedConnection)] = []
    var count = 0
    var delay = 0.0
    /// Until when connections are closed at once, on the clock of `StormClock`.
    var refusedUntil = 0
    var cutCount = 0
    /// When a device has sent something, on the clock of `StormClock`.
    var lastSent = 0
  }

  /// A device that has sent something so short a time ago waits for an answer, in microseconds.
  private static let answerTime = 50_000

  private let listener: Socket
  private let server: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - listener: Where devices connect.
  ///   - server: The port to which the connections lead.
  init(listener: Socket, server: Int) {
    self.listener = listener
    self.server = server
    Thread.detachNewThread { self.accept() }
  }

  /// How many connections were cut or half closed.
  var cutCount: Int { state.withLock { $0.cutCount } }

  /// Whether devices are connected, and one of them has just sent something.
  var isBusy: Bool {
    state.withLock {
      !$0.connections.isEmpty && StormClock.now - $0.lastSent < Self.answerTime
    }
  }

  private func accept() {
    while let device = listener.accepted() {
      let isRefused = state.withLock { StormClock.now < $0.refusedUntil }
      guard !isRefused, let server = Socket(connectingTo: server) else {
        device.close()
        continue
      }
      let connection = ProxiedConnection(device: device, server: server) {
        [weak self] towardsServer in
        self?.state.withLock { state in
          if towardsServer { state.lastSent = StormClock.now }
          return state.delay
        } ?? 0
      }
      let number = state.withLock { state in
        state.count += 1
        state.connections.append((state.count, connection))
        return state.count
      }
      connection.start { [weak self] in
        self?.state.withLock { $0.connections.removeAll { $0.number == number } }
      }
    }
  }

  func cause(_ fault: NetworkFault) {
    switch fault {
    case .delay(let milliseconds): state.withLock { $0.delay = Double(milliseconds) / 1_000 }
    case .cut(let number): pick(number)?.cut()
    case .halfClose(let number, let towardsServer):
      pick(number)?.halfClose(towardsServer: towardsServer)
    case .cutAll: cutAll()
    case .refuse(let milliseconds):
      state.withLock { $0.refusedUntil = StormClock.now + milliseconds * 1_000 }
      cutAll()
    }
  }

  /// Ends the delays.
  func calm() {
    state.withLock {
      $0.delay = 0
      $0.refusedUntil = 0
    }
  }

  private func pick(_ number: Int) -> ProxiedConnection? {
    state.withLock { state in
      guard !state.connections.isEmpty else { return nil }
      state.cutCount += 1
      return state.connections[number % state.connections.count].connection
    }
  }

  private func cutAll() {
    let connections = state.withLock { state in
      state.cutCount += state.connections.count
      return state.connections.map(\.connection)
    }
    for connection in connections { connection.cut() }
  }
}
#endif
