// SPDX-License-Identifier: Apache-2.0

// A migration that a crash ends at any moment.

import Foundation
import RealmStorage
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmSwift

@Suite struct MigrationCrashTests {
  private func contents(of file: DatabaseFile) throws -> String {
    "\(try ContentDump(TableGroup(file.snapshot())).json())"
  }

  /// The bytes of a file of the first age.
  private func firstAge() throws -> [UInt8] {
    let system = try SimulatedFileSystem()
    let configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: "/simulated/test.realm"), objectTypes: Age1.types)
    do {
      let file = try system.openDatabase()
      let core = try RealmOpener(configuration, file: file).open(.current)
      try Realm(core: core).fillFirstAge()
    }
    return try system.file.contents()
  }

  private var secondAge: Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: "/simulated/test.realm"), schemaVersion: 1,
      migrationBlock: MigrationTests.migrateAll, objectTypes: Age2.types)
  }

  @Test func everyCrashLeavesTheFileAsItWasOrAsItShouldBe() throws {
    let initial = try firstAge()
    let before = try contents(of: SimulatedFileSystem(contents: initial).openDatabase())
    let system = try SimulatedFileSystem(contents: initial)
    let file = try system.openDatabase()
    do { _ = try RealmOpener(secondAge, file: file).open(.current) }
    system.file.acknowledge(file.newestVersion)
    let after = try contents(of: file)
    #expect(before != after)
    var random = SeededGenerator(seed: 5)
    var outcomes: Set<String> = []
    let count = try CrashStates(of: system.file.trace, initial: initial).forEach(using: &random) {
      state in
      let file = try SimulatedFileSystem(contents: state.contents).openDatabase()
      let found = try contents(of: file)
      outcomes.insert(found)
      #expect(found == after || found == before && state.acknowledged == 0, "\(state.name)")
      #expect(try DatabaseCheck.run(file.snapshot()) == [], "\(state.name)")
      // Whoever opens the file next gets it migrated, once.
      _ = try RealmOpener(secondAge, file: file).open(.current)
      #expect(try contents(of: file) == after, "\(state.name)")
    }
    #expect(outcomes == [before, after])
    #expect(count > 10)
  }

  @Test func aMigrationThatCannotBeWrittenLeavesTheFile() throws {
    let initial = try firstAge()
    let before = try contents(of: SimulatedFileSystem(contents: initial).openDatabase())
    func migrate(_ system: SimulatedFileSystem, failing call: Int?) throws -> Realm.Error? {
      let file = try system.openDatabase()
      system.file.clearTrace()
      if let call { system.file.fail(call: call, .errorForever(ENOSPC)) }
      defer { system.file.fail(call: 0, nil) }
      do throws(Realm.Error) {
        _ = try RealmOpener(secondAge, file: file).open(.current)
        return nil
      } catch { return error }
    }
    let system = try SimulatedFileSystem(contents: initial)
    #expect(try migrate(system, failing: nil) == nil)
    let callCount = system.file.callCount
    #expect(callCount > 4)
    for call in 1...callCount {
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
