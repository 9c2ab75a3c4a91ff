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
    /// Until when nothing arrives, on the clock of `StormClock`.
    var heldUntil = 0
    var holdDirection = HoldDirection.both
    var cutCount = 0
    /// When a device has sent something, on the clock of `StormClock`.
    var lastSent = 0
  }

  /// A device that has sent something so short a time ago waits for an answer, in microseconds.
  private static let answerTime = 50_000

  private let listener: Socket
  private let route: @Sendable () -> Int?
  private let state = Mutex(State())

  /// - Parameters:
  ///   - listener: Where devices connect.
  ///   - route: The port to which a connection leads; nil if there is none.
  init(listener: Socket, route: @escaping @Sendable () -> Int?) {
    self.listener = listener
    self.route = route
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
      guard !isRefused, let port = route(), let server = Socket(connectingTo: port) else {
        device.close()
        continue
      }
      let connection = ProxiedConnection(device: device, server: server) {
        [weak self] towardsServer in
        self?.pass(towardsServer)
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

  /// Returns when what has come may go on.
  private func pass(_ towardsServer: Bool) {
    let delay = state.withLock { state in
      if towardsServer { state.lastSent = StormClock.now }
      return state.delay
    }
    if delay > 0 { Thread.sleep(forTimeInterval: delay) }
    while isHeld(towardsServer) { Thread.sleep(forTimeInterval: 0.02) }
  }

  private func isHeld(_ towardsServer: Bool) -> Bool {
    state.withLock { state in
      guard StormClock.now < state.heldUntil else { return false }
      return switch state.holdDirection {
      case .both: true
      case .towardsServer: towardsServer
      case .fromServer: !towardsServer
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
    case .hold(let direction, let milliseconds):
      state.withLock { state in
        state.heldUntil = StormClock.now + milliseconds * 1_000
        state.holdDirection = direction
      }
    case .cutHalf: cutAll { $0.isMultiple(of: 2) }
    }
  }

  /// Ends the delays.
  func calm() {
    state.withLock {
      $0.delay = 0
      $0.refusedUntil = 0
      $0.heldUntil = 0
    }
  }

  private func pick(_ number: Int) -> ProxiedConnection? {
    state.withLock { state in
      guard !state.connections.isEmpty else { return nil }
      state.cutCount += 1
      return state.connections[number % state.connections.count].connection
    }
  }

  /// - Parameter isAffected: Decides by the position of a connection.
  private func cutAll(where isAffected: (Int) -> Bool = { _ in true }) {
    let connections = state.withLock { state in
      let affected = state.connections.indices.filter(isAffected).map {
        state.connections[$0].connection
      }
      state.cutCount += affected.count
      return affected
    }
    for connection in connections { connection.cut() }
  }
}
#endif
