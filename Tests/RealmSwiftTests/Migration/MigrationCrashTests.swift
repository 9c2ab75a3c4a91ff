// SPDX-License-Identifier: Apache-2.0

// Migrations that a crash ends at any point in time.

import Foundation
import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

@Suite("Coverage 16: interrupted migrations") struct MigrationCrashTests {
  /// A file and what migrates it.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let initial: @Sendable () throws -> [UInt8]
    let configuration: Realm.Configuration
    /// One in so many states, and failures, is checked.
    let stride: Int
    /// The key of an encrypted file.
    var key: EncryptionKey?

    /// From the first age to the second one, with a block.
    static let ages = ages(nil)
    static let encryptedAges = ages(EncryptionKey((0..<64).map { UInt8($0) }))

    private static func ages(_ key: EncryptionKey?) -> Case {
      Case(
        testDescription: key == nil ? "ages" : "encrypted ages",
        initial: {
          let system = try SimulatedFileSystem()
          let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: "/simulated/test.realm"), objectTypes: Age1.types)
          do {
            let core = try RealmOpener(configuration, file: system.openDatabase(key: key)).open(
              .current)
            try Realm(core: core).fillFirstAge()
          }
          return try system.file.contents()
        },
        configuration: Realm.Configuration(
          fileURL: URL(fileURLWithPath: "/simulated/test.realm"), schemaVersion: 1,
          migrationBlock: MigrationTests.migrateAll, objectTypes: Age2.types), stride: 1, key: key)
    }

    /// The sizes of writes that may be torn; a torn page of an encrypted file is an error, as its
    /// code reports.
    var tornUnits: [Int] { key == nil ? [512, 4096] : [4096] }

    static func matrix(_ arrangement: MatrixArrangement) -> Case {
      Case(
        testDescription: "\(arrangement)",
        initial: {
          let system = try SimulatedFileSystem()
          do { try MatrixFile(arrangement: arrangement).write(to: system.openDatabase()) }
          return try system.file.contents()
        }, configuration: MatrixFile.configuration(), stride: MatrixFile.isLong ? 1 : 8)
    }

    /// The ages, and `arrangement`; in long runs more.
    static func all(_ arrangement: MatrixArrangement) -> [Case] {
      let more: [MatrixArrangement] = [.flipped, .shifted(by: 1), .shifted(by: 44)]
      return [ages, encryptedAges] + (MatrixFile.isLong ? more : [arrangement]).map(matrix)
    }
  }

  /// What is wrong with a file. That a page is as it was before its last write is no error.
  private func errors(_ file: DatabaseFile) throws -> [CheckFinding] {
    try DatabaseCheck.run(file.snapshot()).filter { $0.severity == .error }
  }

  private func contents(of file: DatabaseFile) throws -> String {
    "\(try ContentDump(TableGroup(file.snapshot())).json())"
  }

  @Test(.heavy, arguments: Case.all(.flipped))
  func everyCrashLeavesTheFileAsItWasOrAsItShouldBe(migration: Case) throws {
    let initial = try migration.initial()
    let before = try contents(
      of: SimulatedFileSystem(contents: initial).openDatabase(key: migration.key))
    let system = try SimulatedFileSystem(contents: initial)
    let file = try system.openDatabase(key: migration.key)
    do { _ = try RealmOpener(migration.configuration, file: file).open(.current) }
    system.file.acknowledge(file.newestVersion)
    let after = try contents(of: file)
    expectTrue(before != after)
    var random = SeededGenerator(seed: 5)
    var outcomes: Set<String> = []
    var number = 0
    let states = CrashStates(
      of: system.file.trace, initial: initial, tornUnits: migration.tornUnits)
    let count = try states.forEach(using: &random) { state in
      number += 1
      // The last states are those around the commit.
      let isDue = number % migration.stride == 0 || state.acknowledged > 0
      guard isDue else { return }
      let file = try SimulatedFileSystem(contents: state.contents).openDatabase(key: migration.key)
      let found = try contents(of: file)
      outcomes.insert(found)
      expectTrue(found == after || found == before && state.acknowledged == 0, "\(state.name)")
      try expectEqual(errors(file), [], "\(state.name)")
      // The next process that opens the file migrates it, once.
      guard number % (2 * migration.stride) <= 1 else { return }
      _ = try RealmOpener(migration.configuration, file: file).open(.current)
      try expectEqual(contents(of: file), after, "\(state.name)")
    }
    expectEqual(outcomes, [before, after])
    expectTrue(count > (migration.key == nil ? 10 : 6))
    RandomRuns.report(count, "crash states of a migration")
  }

  @Test(arguments: Case.all(.shifted(by: 1)))
  func aMigrationThatCannotBeWrittenLeavesTheFile(migration: Case) throws {
    let initial = try migration.initial()
    let before = try contents(
      of: SimulatedFileSystem(contents: initial).openDatabase(key: migration.key))
    func migrate(_ system: SimulatedFileSystem, failing call: Int?) throws -> Realm.Error? {
      let file = try system.openDatabase(key: migration.key)
      system.file.clearTrace()
      if let call { system.file.fail(call: call, .errorForever(ENOSPC)) }
      defer { system.file.fail(call: 0, nil) }
      do throws(Realm.Error) {
        _ = try RealmOpener(migration.configuration, file: file).open(.current)
        return nil
      } catch { return error }
    }
    let system = try SimulatedFileSystem(contents: initial)
    try expectEqual(migrate(system, failing: nil), nil)
    let callCount = system.file.callCount
    expectTrue(callCount > 4)
    let calls =
      stride(from: 1, to: callCount, by: migration.stride)
      + [callCount - 2, callCount - 1, callCount]
    for call in calls {
      let system = try SimulatedFileSystem(contents: initial)
      let error = try migrate(system, failing: call)
      expectEqual(error?.code, .outOfDiskSpace, "call \(call)")
      let left = try SimulatedFileSystem(contents: system.file.contents()).openDatabase(
        key: migration.key)
      // When the last sync or what follows it fails, the selector of the header has been flipped.
      if call < callCount - 1 { try expectEqual(contents(of: left), before, "call \(call)") }
      try expectEqual(errors(left), [], "call \(call)")
    }
  }
}
