// SPDX-License-Identifier: Apache-2.0

// The program of a device in a convergence run.

import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport

/// Writes and subscribes at random.
final class DeviceProgram {
  // A device calls its program.
  unowned let device: SimulatedDevice
  private var random: SeededGenerator
  private var writer: RandomWriter
  /// Whether classes and properties are added after the start, in partition mode.
  var changesSchema = true
  /// Whether objects without primary key are written.
  var writesNotes = true
  /// The numbers of the primary keys in flexible mode.
  var keys = RandomChanges.keys
  /// Whether the run is at its end. Then only resets are interrupted, six times for each device.
  var isEnding = false
  private var resetKillsLeft = 6

  init(_ device: SimulatedDevice, index: Int, seed: UInt64, focus: [String]) {
    self.device = device
    random = SeededGenerator(seed: seed)
    writer = RandomWriter(seed: random.next())
    writer.erasesSchema = false
    writer.objectCountMax = 3
    writer.isConvergent = true
    // Of three devices' collections in one mixed value, not all need be equal (P2 D.6).
    writer.makesNestedCollections = false
    writer.suffix = "d\(index)"
    writer.focus = focus
  }

  /// Begins with a new file, which has the classes.
  func start() throws {
    if device.version.mode == .flexible, random.percent(50) { try subscribe() }
  }

  /// Runs a write transaction.
  func write() throws {
    try device.write { group in
      switch device.version.mode {
      case .partition:
        writer.avoidedClass = writesNotes ? nil : "Note"
        if changesSchema { try writer.write(group) } else { try writer.writeData(group) }
      case .flexible:
        try RandomChanges.write(group, &random, writesNotes: writesNotes, keys: keys)
      }
    }
  }

  /// Makes an object of a handful, or changes it.
  func writeThing() throws {
    guard device.version.mode == .flexible else { return try write() }
    try device.write { try RandomChanges.makeThing($0, &random, keys: keys) }
  }

  /// Writes, or says that the program is to be killed now.
  func interrupt() throws -> SimulatedDevice.Interruption {
    if device.isCommittingReset {
      guard resetKillsLeft > 0 else { return .none }
      resetKillsLeft -= 1
      if random.percent(25) { return .kill }
      // What is written after the reset would hide what that has done.
      if device.isResetCommitted { return .none }
    } else if isEnding {
      return .none
    } else if random.percent(4) {
      return .kill
    }
    if random.percent(15) { try write() }
    return .none
  }

  /// Adds a subscription set, and makes an object at once.
  func subscribe() throws {
    let bound = random.number(below: 60)
    let condition = random.pick([
      "TRUEPREDICATE", "count > \(bound)", "count <= \(bound)", "ANY numbers > \(bound)",
      "(name BEGINSWITH \"x\" or count == 0)", "!(count > \(bound))", "tags.@count > 1",
    ])
    var queries = [("Thing", condition)]
    if random.percent(60) {
      queries.append(("Note", random.pick(["TRUEPREDICATE", "text < \"n25\""])))
    }
    try device.subscribe(to: queries)
    // The device sends QUERY, MARK and UPLOAD.
    try writeThing()
  }
}
