// SPDX-License-Identifier: Apache-2.0

// The database that the nodes of a storm share.
//
// Invariants:
// 1. One fault at a time: the next one begins when both servers are there, and the standby is
//    synchronous. So no fault meets a database that has lost its last copy already.

#if Server
import Foundation
import RealmTestSupport
import Synchronization

/// A PostgreSQL primary and its synchronous standby.
final class StormDatabase: Sendable {
  /// The servers by their roles.
  private struct Pair {
    var primary: PostgresServer
    var standby: PostgresServer
  }

  private struct State {
    /// Whether a fault is not over.
    var isBusy = false
    /// The number of the primary, 0 or 1.
    var primary = 0
    var failoverCount = 0
    var restartCount = 0
    var problems: [String] = []
  }

  static let names = ["a", "b"]
  /// A kill of the processes takes nothing from the pages that the kernel has: what is written is
  /// there afterwards, also without fsync. Only a crash of the machine would lose it.
  private static let settings = ["fsync=off", "shared_buffers=16MB"]

  /// The ports of the servers.
  let ports: [Int]
  /// In front of each server, for the other one.
  private let networks: [FaultyNetwork]
  private let pair: Mutex<Pair>
  private let state = Mutex(State())
  private let isSynchronous: Bool
  private let log: StormLog

  /// - Parameter isSynchronous: Whether commits wait for the standby.
  init(
    _ directory: String, ports: inout StormPorts, isSynchronous: Bool, log: StormLog
  ) throws {
    let servers = [try ports.port(), try ports.port()]
    var listeners: [(port: Int, socket: Socket)] = []
    for _ in servers { listeners.append(try ports.listener()) }
    self.ports = servers
    networks = zip(listeners, servers).map { listener, port in
      FaultyNetwork(listener: listener.socket) { port }
    }
    self.isSynchronous = isSynchronous
    self.log = log
    let folder = directory + "/database"
    let primary = try PostgresServer(
      Self.names[0], folder: folder, port: servers[0], other: Self.names[1],
      source: listeners[1].port, isSynchronous: isSynchronous, settings: Self.settings
    ) { log.add("database \(Self.names[0])", $0) }
    let standby = try PostgresServer(
      Self.names[1], folder: folder, port: servers[1], other: Self.names[0],
      source: listeners[0].port, isSynchronous: isSynchronous, settings: Self.settings
    ) { log.add("database \(Self.names[1])", $0) }
    pair = Mutex(Pair(primary: primary, standby: standby))
  }

  /// Whether a fault is not over.
  var isBusy: Bool { state.withLock { $0.isBusy } }
  /// The number of the primary, 0 or 1.
  var primary: Int { state.withLock { $0.primary } }
  /// How often the standby was promoted after a kill of the primary.
  var failoverCount: Int { state.withLock { $0.failoverCount } }
  /// How often a server was killed and came back as what it was.
  var restartCount: Int { state.withLock { $0.restartCount } }
  /// Why the database is not as it should be.
  var problems: [String] { state.withLock { $0.problems } }

  /// Makes both servers, and starts them.
  func start() throws {
    try pair.withLock { pair in
      try pair.primary.make()
      try pair.primary.start()
      try pair.standby.copy(of: pair.primary)
      try pair.standby.start()
      try waitForStandby(pair)
    }
  }

  private func waitForStandby(_ pair: Pair) throws {
    if isSynchronous { try pair.primary.waitForStandby() }
  }

  /// Lets the network between the servers have a fault.
  func cause(_ fault: NetworkFault) { for network in networks { network.cause(fault) } }

  /// Begins a fault, which goes on by itself. See invariant 1.
  func cause(_ fault: DatabaseFault) {
    state.withLock { $0.isBusy = true }
    Thread.detachNewThread { [self] in
      do { try carryOut(fault) } catch {
        log.add("database", "\(error)")
        state.withLock { $0.problems.append("\(fault): \(error)") }
      }
      state.withLock { $0.isBusy = false }
      log.add("database", "is whole again")
    }
  }

  private func carryOut(_ fault: DatabaseFault) throws {
    try pair.withLock { pair in
      switch fault {
      case .failOver(let promotion, let back):
        pair.primary.kill()
        Self.pause(promotion)
        try pair.standby.promote()
        (pair.primary, pair.standby) = (pair.standby, pair.primary)
        state.withLock { state in
          state.primary = 1 - state.primary
          state.failoverCount += 1
        }
        log.add("database \(pair.primary.name)", "is the primary")
        Self.pause(back)
        try pair.standby.copy(of: pair.primary)
        try pair.standby.start()
      case .restartPrimary(let milliseconds):
        pair.primary.kill()
        Self.pause(milliseconds)
        try pair.primary.start()
        state.withLock { $0.restartCount += 1 }
      case .restartStandby(let milliseconds):
        pair.standby.kill()
        Self.pause(milliseconds)
        try pair.standby.start()
        state.withLock { $0.restartCount += 1 }
      }
      try waitForStandby(pair)
    }
  }

  private static func pause(_ milliseconds: Int) {
    Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
  }

  /// Lets the network between the servers be quiet.
  func calm() { for network in networks { network.calm() } }

  /// Ends both servers.
  func end() {
    pair.withLock { pair in
      pair.standby.kill()
      pair.primary.kill()
    }
  }
}
#endif
