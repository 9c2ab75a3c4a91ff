// SPDX-License-Identifier: Apache-2.0

// What the two devices do, and the report of it.

import RealmReplication
import RealmSyncProtocol
import RealmSyncTestSupport

/// Two devices and a server in one process, with a network of messages in memory between them.
struct Story {
  /// The merged data are not what the rules say.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let network = SyncNetwork(mode: .partition, seed: 15)
  private let devices: [SimulatedDevice]

  init() throws {
    devices = [try network.addDevice(named: "A"), try network.addDevice(named: "B")]
  }

  /// Lets all of it happen.
  ///
  /// - Returns: The lines of the report.
  func tell() async throws -> [String] {
    var report = Report()
    report.add("Two devices, A and B, have a file each. Both know the same trip.")
    try begin()
    try await meet()
    let before = try Conflict.all.map { try $0.shown(TripReader(devices[0])) }

    report.add("Both go offline. Each changes what it has, and does not know of the other.")
    for device in devices { network.setOnline(false, device) }
    var offline: [[String]] = []
    for conflict in Conflict.all {
      var values: [String] = []
      for (device, change) in zip(devices, [conflict.a, conflict.b]) {
        setClock(of: device, minutes: change.minutes)
        try device.write { try change.edit(TripEditor($0)) }
        values.append(try conflict.shown(TripReader(device)))
      }
      offline.append(values)
    }
    if try devices[0].digest() == devices[1].digest() {
      throw Failure(description: "the devices are equal while they are offline")
    }

    report.add("They meet: each sends its changes to the server, and gets the other's.")
    for device in devices { network.setOnline(true, device) }
    try await meet()
    for (number, conflict) in Conflict.all.enumerated() {
      let merged = try devices.map { try conflict.shown(TripReader($0)) }
      guard merged == [conflict.merged, conflict.merged] else {
        throw Failure(
          description: "\(conflict.title): \(merged) instead of \"\(conflict.merged)\"")
      }
      report.add(conflict, number + 1, before[number], offline[number])
    }
    let changeCount = try await network.server.entries().count
    report.add("A, B and the server have the same content.")
    report.add("The server has merged \(changeCount) changesets.")
    return report.lines
  }

  private func setClock(of device: SimulatedDevice, minutes: Int) {
    device.clock.set(1_000_000 + UInt64(minutes) * 60_000)
  }

  /// Makes the classes on both devices, as each program does, and the trip on one.
  private func begin() throws {
    for device in devices {
      try device.write { try TripEditor($0).makeClasses() }
    }
    try devices[0].write { try Conflict.makeTrip(TripEditor($0)) }
  }

  /// Lets the devices synchronise until nothing is left to do.
  private func meet() async throws {
    guard try await network.settle(), network.problems.isEmpty else {
      throw Failure(description: "the devices did not meet: \(network.problems)")
    }
    let content = try await network.server.digest()
    for device in devices where try device.digest() != content {
      throw Failure(description: "device \(device.name) has other content than the server")
    }
  }
}
