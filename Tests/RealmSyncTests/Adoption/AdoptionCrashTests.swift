// SPDX-License-Identifier: Apache-2.0

// What a crash leaves of an adoption: the file before it, which is adopted at the next start, or
// after it (`FileAdoption` 1, `AdoptionRecord` 2, `UploadVersions` 2).

import RealmReplication
import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

struct AdoptionCrashTests {
  /// All that an adoption changes.
  private struct Mark: Equatable {
    let version: UInt64
    let digest: StateDigest
    let state: FileState
    let entryCount: Int
    let record: AdoptionRecord?

    init(_ file: DatabaseFile) throws {
      let snapshot = try file.snapshot()
      version = snapshot.version
      let group = try TableGroup(snapshot)
      state = try FileState(snapshot)
      digest = try StateDigest(of: group, file: state.ident)
      entryCount = try snapshot.syncHistory()?.count ?? 0
      record = try AdoptionRecord.stored(in: group)
    }
  }

  private func copy() async throws -> TestDevice {
    let copy = try TestDevice()
    _ = try await copy.agent.adoptIdent(FileIdentifier(12), salt: 40)
    let changeset = Items.changeset { items in
      items.addClass()
      for id in 1...20 as ClosedRange<Int64> {
        items.create(id)
        items.setText("server \(id)", of: id)
      }
    }
    _ = try await copy.agent.integrate(.of([changeset], from: 3))
    return copy
  }

  /// Writes a file of a former server.
  private func prepare(_ system: SimulatedFileSystem) throws -> DatabaseFile {
    let file = try system.openDatabase(history: .syncClient)
    let recorded = RecordedWrite()
    func write(_ body: (WriteGroup) throws -> Void) throws {
      let group = try WriteGroup(file.beginWrite())
      try recorded.attach(to: group)
      try body(group)
      _ = try group.commit()
    }
    try write { group in
      try Items.makeClass(group)
      for id in 10..<30 as Range<Int64> { try Items.put(id, "device", group) }
    }
    try IdentAdoption.adopt(FileIdentifier(9), salt: 4, in: file)
    try write { try Items.put(40, "waits", $0) }
    try AdoptionRecord.mark(file, origin: "/former.realm")
    return file
  }

  private func record(_ system: SimulatedFileSystem, to copy: DatabaseFile) throws -> [Mark] {
    let file = try prepare(system)
    var marks = [try Mark(file)]
    system.file.acknowledge(file.newestVersion)
    _ = try FileAdoption(of: file, to: copy).run()
    marks.append(try Mark(file))
    system.file.acknowledge(file.newestVersion)
    return marks
  }

  @Test(arguments: RandomRuns.seeds(3))
  func everyCrashLeavesTheFileBeforeOrAfter(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let system = try SimulatedFileSystem()
    let copy = try await copy()
    let marks = try record(system, to: copy.file)
    expectEqual(marks.map { $0.record?.state }, [.waiting, .complete])
    expectTrue(marks[1].version > marks[0].version + 1, "several versions become durable at once")
    var messages: [String] = []
    let states = CrashStates(of: system.file.trace, initial: [], sampleCount: 12)
    var countOfBoth = [0, 0]
    let count = try states.forEach(using: &random) { state in
      guard messages.count < 5, state.acknowledged >= marks[0].version else { return }
      let file = try SimulatedFileSystem(contents: state.contents)
        .openDatabase(history: .syncClient)
      let found = try Mark(file)
      guard let index = marks.firstIndex(of: found),
        index == 1 || state.acknowledged < marks[1].version
      else {
        messages.append("\(state.name): version \(found.version) is none of those that were seen")
        return
      }
      countOfBoth[index] += 1
      let findings = try DatabaseCheck.run(try file.snapshot())
      if findings != [] { messages.append("\(state.name): \(findings)") }
      guard index == 0 else { return }
      // The next start does it again, with the same result.
      _ = try FileAdoption(of: file, to: copy.file).run()
      let again = try Mark(file)
      if again != marks[1] { messages.append("\(state.name): the second adoption differs") }
    }
    expectEqual(messages, [], "seed \(seed)")
    expectTrue(count > 50)
    expectTrue(countOfBoth[0] > 10)
    expectTrue(countOfBoth[1] > 0)
  }

  @Test(.heavy) func aFailureAtAnyCallLeavesTheFile() async throws {
    let copy = try await copy()
    let whole = try SimulatedFileSystem()
    let file = try prepare(whole)
    let before = try Mark(file)
    let start = whole.file.callCount
    _ = try FileAdoption(of: file, to: copy.file).run()
    let after = try Mark(file)
    let count = whole.file.callCount - start
    expectTrue(count > 5)
    for call in 1...count {
      let system = try SimulatedFileSystem()
      let failing = try prepare(system)
      system.file.fail(call: system.file.callCount + call, .error(ENOSPC))
      let isDone = (try? FileAdoption(of: failing, to: copy.file).run()) != nil
      // Another process opens what is there.
      let next = try SimulatedFileSystem(contents: system.file.contents())
        .openDatabase(history: .syncClient)
      let found = try Mark(next)
      expectTrue(found == after || !isDone && found == before, "call \(call)")
      try expectEqual(DatabaseCheck.run(next.snapshot()), [], "call \(call)")
      if found == after { continue }
      _ = try FileAdoption(of: next, to: copy.file).run()
      try expectEqual(Mark(next), after, "call \(call)")
    }
  }
}
