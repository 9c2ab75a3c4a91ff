// SPDX-License-Identifier: Apache-2.0

// The files with which the devices of convergence runs begin.

import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport

/// A file that has its classes, and nothing else: each program makes the same ones when it first
/// opens its file, which would be a good part of a run.
struct StartFile: Sendable {
  /// How many there are in partition mode, each with other properties.
  static let count = 60
  private static let made = Locked<[Name: StartFile]>([:])

  private struct Name: Hashable {
    let mode: SyncMode
    let number: Int
  }

  let contents: [UInt8]
  /// The properties to write most often; none for all.
  private(set) var focus: [String] = []

  /// A file of a mode.
  static func file(_ mode: SyncMode, number: Int) throws -> StartFile {
    let name = Name(mode: mode, number: mode == .flexible ? 0 : number)
    if let known = made.withLock({ $0[name] }) { return known }
    let file = try StartFile(name)
    made.withLock { $0[name] = file }
    return file
  }

  private init(_ name: Name) throws {
    let device = try SyncNetwork(mode: name.mode, seed: 0).addDevice(named: "start")
    switch name.mode {
    case .partition:
      var random = SeededGenerator(seed: UInt64(name.number))
      // Few properties make quick runs, and others in each.
      try device.write { try RandomSchema.make(in: $0, &random, share: 8) }
      if let things = try device.read().table(named: "class_Thing") {
        let columns = things.schema.columns.filter { !$0.isPrimaryKey }
        let lists = columns.filter { $0.collection == .list }
        focus = [random.pick(columns).name]
        if !lists.isEmpty { focus.append(random.pick(lists).name) }
      }
    case .flexible:
      try device.write { try RandomChanges.makeSchema(in: $0) }
      try device.write { _ = try SubscriptionStore.make(in: $0) }
    }
    contents = try device.contents()
  }
}
