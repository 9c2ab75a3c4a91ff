// SPDX-License-Identifier: Apache-2.0

// A connection between a device and the server.

import RealmServerEngine
import RealmStorage
import RealmSyncProtocol

/// The server's driver of a connection, and the messages between it and the device.
///
/// A connection lost by the device may live on at the server, and earlier messages still arrive
/// there.
final class SimulatedConnection {
  /// A query that was accepted, and whose bootstrap is not sent completely.
  struct DueQuery {
    let query: VersionedQuery
    /// Whether the session has asked for a DOWNLOAD since.
    var isAskedFor = false
  }

  let number: UInt64
  let version: ProtocolVersion
  let user: String
  let environment: SimulatedServerEnvironment
  let driver: ServerDriver
  var toServer: [[UInt8]] = []
  var toClient: [[UInt8]] = []
  /// What an original client asserts of the messages.
  var reports: ReportChecker
  /// What a message has said last of the device's file, and the disk has.
  var foundProgress: StoredProgress?
  var isLostForClient = false
  /// The accepted queries whose bootstraps are due, by the sessions' names.
  var dueQueries: [UInt64: DueQuery] = [:]
  /// The newest version announced to the sessions.
  var announced = SaltedVersion()

  init(
    number: UInt64, _ version: ProtocolVersion, user: String,
    limits: ServerConnectionMachine.Limits, _ environment: SimulatedServerEnvironment
  ) {
    self.number = number
    self.version = version
    self.user = user
    self.environment = environment
    reports = ReportChecker(version)
    driver = ServerDriver(
      version: version, served: version.mode, limits: limits, environment: environment)
  }

  var state: SimulatedServerEnvironment.State { environment.state.withLock { $0 } }
}
