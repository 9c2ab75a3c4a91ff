// SPDX-License-Identifier: Apache-2.0

// Changes of rules, restored servers, and the resets of devices.

package import RealmServerEngine
import RealmStorage
import RealmSync
package import RealmSyncProtocol

extension SyncNetwork {
  // MARK: Rules

  /// Replaces the judge of the rights of users; nil gives each user all.
  package func setAccess(_ access: (any SessionAccess)?) async {
    let count = await server.setAccess(access)
    trace?("the rules change for \(count) sessions")
  }

  /// Lets the server ask for the rights of all users again.
  package func recheckAccess() async {
    let count = await server.recheckAccess()
    trace?("the rights of \(count) sessions change")
  }

  /// Ends the session of a device with an error of the server.
  ///
  /// - Returns: Whether it has one.
  @discardableResult
  package func refuse(_ device: SimulatedDevice, _ refusal: SessionRefusal) async -> Bool {
    guard let connection = device.connection, connection.state.closing == nil,
      let session = connection.state.sessions.keys.min()
    else { return false }
    trace?("\(device.name) is refused: \(refusal.code)")
    await connection.driver.deliver(.session(session, .refuse(refusal)))
    return true
  }

  // MARK: Backups and trimming

  /// A backup of the server.
  package func backUp() throws -> SimulatedFiles {
    trace?("the server is backed up")
    return try server.backUp()
  }

  /// Kills the server and starts it again on a backup.
  package func restore(_ backup: SimulatedFiles) async throws {
    for device in devices { cut(device, .readFailed) }
    try await server.restore(backup)
    trace?("the server is restored at version \(server.head.version)")
    let entries = try await server.entries()
    checker.restore(entries, head: server.head.version)
    // Later versions than those of the backup are lost.
    for device in devices {
      for file in Set(device.acknowledged.keys).union([try device.ident()]) {
        let last = try await server.file(file)?.clientVersion ?? 0
        device.restoredVersions[file] = min(last, device.restoredVersions[file] ?? .max)
        device.acknowledged[file]?.removeAll { $0 > last }
      }
    }
  }

  /// Expires clients without a session, and trims the history.
  ///
  /// - Parameters:
  ///   - offline: The milliseconds until a client expires.
  ///   - expired: The milliseconds until an expired one is removed.
  package func trim(offline: UInt64, expired: UInt64) async throws -> Trimmed {
    try await server.findHead()
    try await check()
    let trimmed = try await server.trim(offline: offline, expired: expired)
    trace?("the server trims: \(trimmed)")
    return trimmed
  }

  // MARK: Resets

  /// The steps of a device's reset.
  func resetSteps(of device: SimulatedDevice) -> [Step] {
    var steps: [Step] = []
    if device.needsNewFile {
      return [
        (
          "puts its file aside",
          {
            self.cut(device, .readFailed)
            try await device.putAside()
          }
        )
      ]
    }
    if device.executor.hasJobs {
      steps.append(("goes on with its copy", { device.executor.run() }))
    }
    if let reset = device.reset {
      if reset.end != nil {
        steps.append(
          (
            "resets its file",
            {
              if let disk = try await device.endReset() {
                try await self.restart(device, from: disk)
              }
            }
          ))
      }
    } else if device.isResetting {
      steps.append(("begins a reset", { try await device.beginReset() }))
    }
    if device.isWatchDue {
      steps.append(("waits for the end of its reset", { try await device.proceedWithWatch() }))
    }
    if device.news.isDenied.withLock({ $0 }) {
      steps.append(("asks again", { device.resume() }))
    }
    return steps
  }

  /// The refused writes of a device's file without a report to its program, now or at its next
  /// start.
  package func unreportedWrites(
    of device: SimulatedDevice, _ file: FileIdentifier
  ) throws -> [CompensatingWriteReport] {
    let kept = try KeptReports.stored(in: device.read()).map(\.compensatingWrite)
    return server.reports[file, default: []].filter { report in
      !device.news.hasReport(report) && !kept.contains { $0?.has(report) == true }
    }
  }
}
