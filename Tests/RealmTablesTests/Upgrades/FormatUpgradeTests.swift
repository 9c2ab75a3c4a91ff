// SPDX-License-Identifier: Apache-2.0

// Upgrades of files that hold much of what changes, whole, interrupted, failing and damaged.

import Foundation
import RealmFormats
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("Upgrades of older formats")
struct FormatUpgradeTests {
  static let formats = [10, 11, 20, 21, 22, 23]
  private let key: EncryptionKey

  init() throws { key = try #require(EncryptionKey((0..<64).map { UInt8($0) })) }

  private func dump(_ file: DatabaseFile) throws -> JSONValue {
    try ContentDump(TableGroup(file.snapshot())).json()
  }

  private func errors(_ file: DatabaseFile) throws -> [CheckFinding] {
    try DatabaseCheck.run(file.snapshot()).filter { $0.severity == .error }
  }

  @Test("keep all contents", .heavy, arguments: formats)
  func contents(format: Int) throws {
    let aged = try AgedFile(format: format, objects: 270)
    let directory = try TemporaryDirectory()
    let path = directory.file("aged.realm")
    try Data(aged.bytes).write(to: URL(fileURLWithPath: path))
    do {
      let file = try DatabaseFile.openUpgraded(path: path)
      try expectEqual(DatabaseCheck.run(file.snapshot()), [])
      expectEqual(JSONValue.differences(expected: aged.contents, actual: try dump(file)), [])
      let group = try WriteGroup(file.beginWrite())
      var editor = FixtureEditor(group, seed: 1)
      try editor.run()
      var collections = CollectionEditor(group, seed: 2)
      try collections.run()
      try expectEqual(DatabaseCheck.run(group.commit()), [])
    }
    try TableGroup(DatabaseFile.open(path: path).snapshot()).expectReferenceAgrees()
  }

  @Test("change nothing but what they must", .heavy)
  func economy() throws {
    let aged = try AgedFile(format: 24, objects: 600)
    var bytes = aged.bytes
    bytes[bytes[23] & 1 == 0 ? 20 : 21] = 23
    let system = try SimulatedFileSystem(contents: bytes)
    _ = try system.openUpgradedDatabase()
    var written = 0
    for case .write(_, let bytes) in system.file.trace { written += bytes.count }
    expectTrue(written < bytes.count)
    // Once more: nothing is left to be changed but the format. The first times may also move nodes
    // into what the upgrade left free (`Evacuation`).
    var file = system.file
    var contents: JSONValue?
    for _ in 0..<5 {
      var again = try file.contents()
      again[again[23] & 1 == 0 ? 20 : 21] = 23
      let next = try SimulatedFileSystem(contents: again)
      contents = try dump(next.openUpgradedDatabase())
      file = next.file
    }
    written = 0
    for case .write(_, let bytes) in file.trace { written += bytes.count }
    expectTrue(written < 16_384)
    expectEqual(
      JSONValue.differences(expected: aged.contents, actual: try #require(contents)), [])
  }

  /// What is upgraded in the tests of crashes and failures.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isEncrypted: Bool
    let bytes: @Sendable (EncryptionKey?) throws -> [UInt8]

    static let all: [Case] = {
      var all = [
        Case(testDescription: "22, made here", isEncrypted: false) { _ in
          try AgedFile(format: 22, objects: 2).bytes
        },
        Case(testDescription: "20, made here", isEncrypted: false) { _ in
          try AgedFile(format: 20, objects: 5).bytes
        },
      ]
      for fixture in OldFixture.upgradable where fixture.name.contains("1000_22") {
        all.append(
          Case(testDescription: fixture.name, isEncrypted: false) { _ in try fixture.bytes() })
        all.append(
          Case(testDescription: fixture.name + ", encrypted", isEncrypted: true) { key in
            try fixture.encrypted(try #require(key))
          })
      }
      return all
    }()
  }

  /// `DatabaseFile+Upgrade` 1 and 2, `DatabaseFile+OlderFormats` 2.
  @Test("leave the old file or the new one, whenever the process ends", .heavy, arguments: Case.all)
  func crashes(upgrade: Case) throws {
    let key = upgrade.isEncrypted ? key : nil
    let initial = try upgrade.bytes(key)
    let system = try SimulatedFileSystem(contents: initial)
    let after: JSONValue
    do {
      let file = try system.openUpgradedDatabase(key: key)
      after = try dump(file)
      system.file.acknowledge(file.newestVersion)
    }
    var random = SeededGenerator(seed: 9)
    var formats: Set<Int> = []
    let states = CrashStates(
      of: system.file.trace, initial: initial, subsetLimit: 4, sampleCount: 16,
      tornUnits: upgrade.isEncrypted ? [4096] : [512, 4096])
    let count = try states.forEach(using: &random) { state in
      let crashed = try SimulatedFileSystem(contents: state.contents)
      var format = 24
      let file = try crashed.openUpgradedDatabase(key: key) { format = $0 }
      formats.insert(format)
      expectTrue(format == 24 || state.acknowledged == 0, "\(state.name)")
      expectEqual(
        JSONValue.differences(expected: after, actual: try dump(file)), [], "\(state.name)")
      try expectEqual(errors(file), [], "\(state.name)")
    }
    expectEqual(formats.count, 2)
    expectTrue(formats.contains(24))
    expectTrue(count > 10)
    RandomRuns.report(count, "crash states of an upgrade")
  }

  /// `DatabaseFile+Upgrade` 2.
  @Test("that cannot be written leave the file as it was", .heavy, arguments: Case.all)
  func failures(upgrade: Case) throws {
    let key = upgrade.isEncrypted ? key : nil
    let initial = try upgrade.bytes(key)
    func run(_ system: SimulatedFileSystem, failing call: Int?) throws -> StorageError? {
      system.file.clearTrace()
      if let call { system.file.fail(call: call, .errorForever(ENOSPC)) }
      defer { system.file.fail(call: 0, nil) }
      do throws(StorageError) {
        _ = try system.openUpgradedDatabase(key: key)
        return nil
      } catch { return error }
    }
    let system = try SimulatedFileSystem(contents: initial)
    try expectEqual(run(system, failing: nil), nil)
    let callCount = system.file.callCount
    let after = try dump(try system.openUpgradedDatabase(key: key))
    expectTrue(callCount > 8)
    for call in 1...callCount {
      let system = try SimulatedFileSystem(contents: initial)
      let error = try run(system, failing: call)
      guard case .system(_, _, ENOSPC) = error else {
        Issue.record("call \(call): \(error.map { "\($0)" } ?? "no error")")
        continue
      }
      let left = try SimulatedFileSystem(contents: system.file.contents())
      let file = try left.openUpgradedDatabase(key: key)
      expectEqual(
        JSONValue.differences(expected: after, actual: try dump(file)), [], "call \(call)")
      try expectEqual(errors(file), [], "call \(call)")
    }
  }

  /// `REALM_FLIP_ROUNDS` makes the search longer.
  @Test(
    "of damaged files succeed or throw", .heavy,
    arguments: OldFixture.upgradable.map(\.name) + ["22"])
  func damage(name: String) throws {
    let fixture = OldFixture.upgradable.first { $0.name == name }
    let bytes = try fixture?.bytes() ?? AgedFile(format: 22, objects: 5).bytes
    let headers = stride(from: 24, to: bytes.count - 8, by: 8).filter { offset in
      bytes[offset + 3] == 0x41
    }
    var outcomes = (opened: 0, refused: 0)
    let rounds = max(10, DamagedFileTests.rounds * 1_500_000 / (bytes.count * 20 + 300_000))
    for round in 0..<rounds {
      var random = SeededGenerator(seed: UInt64(round))
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        var offset = Int.random(in: 24..<bytes.count, using: &random)
        if random.chance(70), let header = headers.randomElement(using: &random) {
          offset = min(header + Int.random(in: 4..<24, using: &random), bytes.count - 1)
        }
        if random.chance(50) {
          damaged[offset] = UInt8.random(in: 0...255, using: &random)
        } else {
          damaged[offset] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
        }
      }
      let system = try SimulatedFileSystem(contents: damaged)
      do throws(StorageError) {
        let file = try system.openUpgradedDatabase()
        _ = try ContentDump(TableGroup(file.snapshot())).json()
        outcomes.opened += 1
      } catch {
        outcomes.refused += 1
        continue
      }
      if round % 2 == 0 { try? edit(system, seed: UInt64(round)) }
    }
    expectTrue(outcomes.opened > 0 || rounds < 50)
    expectEqual(outcomes.opened + outcomes.refused, rounds)
  }

  /// The search can fail: an upgrade meets damage of each node that it reads.
  @Test("meet lost nodes", .heavy, arguments: formats)
  func aLostNodeIsMet(format: Int) throws {
    let bytes = try AgedFile(format: format, objects: 5).bytes
    let headers = stride(from: 24, to: bytes.count - 8, by: 8).filter { offset in
      bytes[offset + 3] == 0x41
    }
    let sample = stride(from: 0, to: headers.count, by: max(1, headers.count / 12)).map {
      headers[$0]
    }
    let refused = sample.count { offset in
      var damaged = bytes
      // No layout of nodes has all these flags.
      damaged[offset + 4] = 0xFF
      return (try? SimulatedFileSystem(contents: damaged).openUpgradedDatabase()) == nil
    }
    expectTrue(refused > 0, "of \(sample.count)")
  }

  /// Writes to whatever is in a file; throws what damage makes of that.
  private func edit(_ system: SimulatedFileSystem, seed: UInt64) throws {
    let group = try WriteGroup(system.openDatabase().beginWrite())
    defer { group.rollback() }
    var editor = FixtureEditor(group, seed: seed)
    try editor.run()
    var collections = CollectionEditor(group, seed: seed)
    try collections.run()
    _ = try group.commit()
  }
}
