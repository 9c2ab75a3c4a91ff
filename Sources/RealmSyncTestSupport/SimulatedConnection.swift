// SPDX-License-Identifier: Apache-2.0

// A connection between a device and the server.

import RealmServerEngine
import RealmStorage
import RealmSyncProtocol
import Synchronization

/// The server's machine of a connection, the stores of its sessions, and the messages between
/// it and the device.
///
/// A connection lost by the device may live on at the server, and earlier messages still arrive
/// there.
final class SimulatedConnection {
  /// A request of a session, and later its answer.
  struct Work {
    let session: UInt64
    let number: UInt64
    let request: ServerStoreRequest
    var reply: ServerStoreReply?
  }

  /// A query that was accepted, and whose bootstrap is not sent completely.
  struct DueQuery {
    let query: VersionedQuery
    /// Whether the session has asked for a DOWNLOAD since.
    var isAskedFor = false
  }

  let number: UInt64
  let version: ProtocolVersion
  let user: String
  var machine: ServerConnectionMachine
  var toServer: [[UInt8]] = []
  /// Messages not taken by the server's socket yet, with what they say of the device's file.
  var output: [(bytes: [UInt8], said: StoredProgress?)] = []
  var toClient: [[UInt8]] = []
  /// What an original client asserts of the messages.
  var reports: ReportChecker
  /// What a message has said last of the device's file, and the disk has.
  var foundProgress: StoredProgress?
  var isLostForClient = false
  /// The close code, once the server has closed the connection.
  var closing: CloseCode?
  var isReadingPaused = false
  var timer: Milliseconds?
  /// The accepted queries whose bootstraps are due, by the sessions' names.
  var dueQueries: [UInt64: DueQuery] = [:]
  /// The realms of sessions, by the sessions' names.
  var stores: [UInt64: ServerSession] = [:]
  /// Ended sessions with open realms.
  var ended: [UInt64] = []
  var works: [Work] = []
  /// The newest version announced to the sessions.
  var announced = SaltedVersion()
  /// Whether a newer session has taken a session's file.
  let isEvicted = EvictionFlag()
  /// Why sessions are to end, in the order of the decisions.
  let refusals = Locked<[(session: UInt64, SessionRefusal)]>([])

  /// Set by the session's store.
  final class EvictionFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
  }

  init(
    number: UInt64, _ version: ProtocolVersion, user: String,
    limits: ServerConnectionMachine.Limits, now: Milliseconds
  ) {
    self.number = number
    self.version = version
    self.user = user
    reports = ReportChecker(version)
    machine = ServerConnectionMachine(
      version: version, served: version.mode, limits: limits, now: now)
  }

  /// Whether nothing of it is left at the server.
  var isOver: Bool { closing != nil && output.isEmpty && works.isEmpty && ended.isEmpty }
}
