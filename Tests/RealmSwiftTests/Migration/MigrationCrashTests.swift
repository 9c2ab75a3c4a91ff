// SPDX-License-Identifier: Apache-2.0

// Migrations that a crash ends at any moment.

import Foundation
import RealmStorage
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmSwift

@Suite("api.md 16: interrupted migrations") struct MigrationCrashTests {
  /// A file and what migrates it.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let initial: @Sendable () throws -> [UInt8]
    let configuration: Realm.Configuration
    /// One in so many states, and failures, is looked at.
    let stride: Int

    /// From the first age to the second one, with a block.
    static let ages = Case(
      testDescription: "ages",
      initial: {
        let system = try SimulatedFileSystem()
        let configuration = Realm.Configuration(
          fileURL: URL(fileURLWithPath: "/simulated/test.realm"), objectTypes: Age1.types)
        do {
          let core = try RealmOpener(configuration, file: system.openDatabase()).open(.current)
          try Realm(core: core).fillFirstAge()
        }
        return try system.file.contents()
      },
      configuration: Realm.Configuration(
        fileURL: URL(fileURLWithPath: "/simulated/test.realm"), schemaVersion: 1,
        migrationBlock: MigrationTests.migrateAll, objectTypes: Age2.types), stride: 1)

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
      return [ages] + (MatrixFile.isLong ? more : [arrangement]).map(matrix)
    }
  }

  private func contents(of file: DatabaseFile) throws -> String {
    "\(try ContentDump(TableGroup(file.snapshot())).json())"
  }

  @Test(arguments: Case.all(.flipped))
  func everyCrashLeavesTheFileAsItWasOrAsItShouldBe(migration: Case) throws {
    let initial = try migration.initial()
    let before = try contents(of: SimulatedFileSystem(contents: initial).openDatabase())
    let system = try SimulatedFileSystem(contents: initial)
    let file = try system.openDatabase()
    do { _ = try RealmOpener(migration.configuration, file: file).open(.current) }
    system.file.acknowledge(file.newestVersion)
    let after = try contents(of: file)
    #expect(before != after)
    var random = SeededGenerator(seed: 5)
    var outcomes: Set<String> = []
    var number = 0
    let count = try CrashStates(of: system.file.trace, initial: initial).forEach(using: &random) {
      state in
      number += 1
      // The last states are those around the commit.
      let isDue = number % migration.stride == 0 || state.acknowledged > 0
      guard isDue else { return }
      let file = try SimulatedFileSystem(contents: state.contents).openDatabase()
      let found = try contents(of: file)
      outcomes.insert(found)
      #expect(found == after || found == before && state.acknowledged == 0, "\(state.name)")
      #expect(try DatabaseCheck.run(file.snapshot()) == [], "\(state.name)")
      // Whoever opens the file next gets it migrated, once.
      guard number % (2 * migration.stride) <= 1 else { return }
      _ = try RealmOpener(migration.configuration, file: file).open(.current)
      #expect(try contents(of: file) == after, "\(state.name)")
    }
    #expect(outcomes == [before, after])
    #expect(count > 10)
  }

  @Test(arguments: Case.all(.shifted(by: 1)))
  func aMigrationThatCannotBeWrittenLeavesTheFile(migration: Case) throws {
    let initial = try migration.initial()
    let before = try contents(of: SimulatedFileSystem(contents: initial).openDatabase())
    func migrate(_ system: SimulatedFileSystem, failing call: Int?) throws -> Realm.Error? {
      let file = try system.openDatabase()
      system.file.clearTrace()
      if let call { system.file.fail(call: call, .errorForever(ENOSPC)) }
      defer { system.file.fail(call: 0, nil) }
      do throws(Realm.Error) {
        _ = try RealmOpener(migration.configuration, file: file).open(.current)
        return nil
      } catch { return error }
    }
    let system = try SimulatedFileSystem(contents: initial)
    #expect(try migrate(system, failing: nil) == nil)
    let callCount = system.file.callCount
    #expect(callCount > 4)
    let calls = stride(from: 1, to: callCount, by: migration.stride) + [callCount - 1, callCount]
    for call in calls {
      let system = try SimulatedFileSystem(contents: initial)
      let error = try migrate(system, failing: call)
      #expect(error?.code == .outOfDiskSpace, "call \(call)")
      let left = try SimulatedFileSystem(contents: system.file.contents()).openDatabase()
      // When the last call fails, the selector of the header has been flipped.
      if call < callCount { #expect(try contents(of: left) == before, "call \(call)") }
      #expect(try DatabaseCheck.run(left.snapshot()) == [], "call \(call)")
    }
  }
}
