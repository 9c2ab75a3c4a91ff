// SPDX-License-Identifier: Apache-2.0

// A reset whose disk fails at one of its calls: the file is as it was, and a later reset succeeds.

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

@Suite(.heavy) struct ResetFaultTests {
  /// A file with identifier 9, three items, and one that waits for its upload.
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
      for id in 10..<13 as Range<Int64> { try Items.put(id, "device", group) }
    }
    try IdentAdoption.adopt(FileIdentifier(9), salt: 4, in: file)
    try write { try Items.put(40, "waits", $0) }
    return file
  }

  private func digest(_ file: DatabaseFile) throws -> StateDigest {
    let snapshot = try file.snapshot()
    return try StateDigest(of: TableGroup(snapshot), file: FileState(snapshot).ident)
  }

  private func reset(
    _ file: DatabaseFile, to copy: DatabaseFile, _ mode: ResetMode
  ) throws(ResetError) {
    _ = try ClientReset(of: file, to: copy, ResetBench.cause, now: .zero).run(mode)
  }

  @Test(arguments: [ResetMode.discard, .recover])
  func aFailureAtAnyCallLeavesTheFile(_ mode: ResetMode) async throws {
    let copy = try TestDevice()
    _ = try await copy.agent.adoptIdent(ResetBench.ident, salt: ResetBench.salt)
    let changeset = Items.changeset { items in
      items.addClass()
      items.create(1)
    }
    _ = try await copy.agent.integrate(.of([changeset], from: 3))

    let whole = try SimulatedFileSystem()
    let file = try prepare(whole)
    let before = try digest(file)
    let start = whole.file.callCount
    try reset(file, to: copy.file, mode)
    let after = try digest(file)
    let count = whole.file.callCount - start
    expectTrue(count > 5)

    for call in 1...count {
      let system = try SimulatedFileSystem()
      let failing = try prepare(system)
      system.file.fail(call: system.file.callCount + call, .error(ENOSPC))
      let isDone = (try? reset(failing, to: copy.file, mode)) != nil
      // Another process opens what is there.
      let next = try SimulatedFileSystem(contents: system.file.contents())
        .openDatabase(history: .syncClient)
      let found = try digest(next)
      expectTrue(found == after || !isDone && found == before, "call \(call)")
      #expect(try DatabaseCheck.run(next.snapshot()).isEmpty, "call \(call)")
      if found == after { continue }
      try reset(next, to: copy.file, mode)
      try expectEqual(digest(next), after, "call \(call)")
    }
  }
}
