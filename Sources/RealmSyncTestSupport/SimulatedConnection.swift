// SPDX-License-Identifier: Apache-2.0

// A connection between a device and the server.

import RealmSyncProtocol
import Synchronization

/// Messages on their way, and the sessions of one connection at the server.
///
/// A connection that the device has lost may live on at the server, where what was sent before
/// still arrives.
final class SimulatedConnection {
  let number: UInt64
  let version: ProtocolVersion
  var toServer: [[UInt8]] = []
  var toClient: [[UInt8]] = []
  var isLostForClient = false
  /// The sessions at the server, by their numbers.
  var sessions: [UInt64: SimulatedServerSession] = [:]
  private(set) var lastSession: UInt64 = 0
  /// Whether a newer session has taken a session's file.
  let isEvicted = EvictionFlag()

  /// Set by the session's store.
  final class EvictionFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
  }

  init(number: UInt64, _ version: ProtocolVersion) {
    self.number = number
    self.version = version
  }

  /// A number that no session of the connection had.
  func makeSessionNumber() -> UInt64 {
    lastSession += 1
    return lastSession
  }

  /// The session that is not over.
  var session: SimulatedServerSession? {
    sessions.values.first { !$0.isEnded }
  }
}
