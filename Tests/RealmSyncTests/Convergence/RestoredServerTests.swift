// SPDX-License-Identifier: Apache-2.0

// Devices that come back to a server that was restored from a backup.

import RealmServerEngine
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct RestoredServerTests {
  private static func column(_ name: String, _ table: WritableTable) throws -> Column {
    try #require(table.schema.column(named: name))
  }

  /// Makes the object of a key, or finds it, and adds to its list.
  private static func add(
    _ values: [Int64], to id: String, on device: SimulatedDevice
  ) throws {
    try device.write { group in
      let things = try #require(try group.table(named: "class_Thing"))
      let key = try things.findOrCreate(primaryKey: .string(id)).key
      let list = try things.list(column("numbers", things), key)
      for value in values { try list.insert(.int(value), at: list.count) }
    }
  }

  private static func numbers(_ id: String, on device: SimulatedDevice) throws -> [TableValue] {
    let things = try #require(try device.read().table(named: "class_Thing"))
    let row = try #require(try things.findRow(primaryKey: .string(id))).row
    return try row.list(#require(things.schema.column(named: "numbers"))).values()
  }

  /// Both make the object of one key while they are offline. The server is restored from a backup,
  /// and one comes back after the other: what the second makes again meets the object of the first,
  /// which its fresh copy has.
  @Test(arguments: [SyncMode.partition, .flexible], [0, 1])
  func whatBothHaveMadeOffline(_ mode: SyncMode, first: Int) async throws {
    let network = SyncNetwork(mode: mode, seed: 5, mayRefuse: true)
    let start = mode == .flexible ? try StartFile.file(mode, number: 0).contents : []
    for name in ["one", "two"] {
      let device = try network.addDevice(named: name, contents: start)
      device.resetMode = .recover
      if mode == .flexible {
        try device.subscribe(to: [("Thing", "TRUEPREDICATE")])
      } else {
        try device.write { try RandomChanges.makeSchema(in: $0) }
      }
    }
    try await expectTrue(network.settle())
    let backup = try network.backUp()
    // What the backup does not have.
    try Self.add([100], to: "later", on: network.devices[0])
    try await expectTrue(network.settle())
    for (index, device) in network.devices.enumerated() {
      network.setOnline(false, device)
      let value = Int64(index + 1)
      device.clock.set(UInt64(1_000 * (index + 1)))
      try Self.add([value, 10 * value], to: "both", on: device)
      try Self.add([value, 10 * value], to: "both", on: device)
    }
    try await network.restore(backup)
    for index in [first, 1 - first] {
      network.setOnline(true, network.devices[index])
      try await expectTrue(network.settle())
      expectEqual(network.problems, [])
    }
    let (one, two) = (network.devices[0], network.devices[1])
    try expectEqual(one.digest(), two.digest())
    try await expectEqual(one.digest(), network.server.digest())
    let found = try Self.numbers("both", on: one)
    expectEqual(found.count, 8)
    expectEqual(Set(found), [.int(1), .int(10), .int(2), .int(20)])
    for device in network.devices {
      expectEqual(device.resets.recovered, 1)
      expectEqual(device.resets.failures.count, 0)
    }
  }
}
