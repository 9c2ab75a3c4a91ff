// SPDX-License-Identifier: Apache-2.0

// Files that Realm Core wrote, and those of the worked examples of the file format.

import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

struct FixtureTests {
  static let names = [
    "after-many-commits", "all-types", "blank", "compacted", "deep", "empty", "schema-changes",
    "streaming", "todo", "tombstones",
  ]

  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func copy(of name: String) throws -> String {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try directory.copy(
      of: tests.appendingPathComponent("RealmTablesTests/Fixtures/\(name).realm").path)
  }

  @Test(arguments: names) func readOnlyOpenChangesNothing(_ name: String) throws {
    let path = try copy(of: name)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    do {
      let file = try DatabaseFile.open(path: path, options: OpenOptions(isReadOnly: true))
      try expectEqual(file.check(), [])
      #expect(throws: StorageError.self) { try file.beginWrite() }
    }
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), before)
    expectTrue(!FileManager.default.fileExists(atPath: path + ".lock"))
  }

  /// `FreeSpace` 3.
  @Test(.heavy, arguments: names) func commitsKeepTheFileWhole(_ name: String) throws {
    let path = try copy(of: name)
    do {
      let file = try DatabaseFile.open(path: path)
      let first = try file.snapshot()
      let firstVersion = first.version
      for step in 1...20 {
        let write = try file.beginWrite()
        // Rewriting a root makes the commit lay it out again.
        if !write.roots.tables.isNull {
          write.roots.tables = try write.allocator.makeWritable(write.roots.tables).ref
        }
        let snapshot = try write.commit(changeset: [UInt8](repeating: 1, count: step))
        expectEqual(snapshot.version, firstVersion + UInt64(step))
        try expectEqual(file.check(), [])
      }
      try expectEqual(file.check(first).filter { $0.severity == .error }, [])
      let changes = try file.changesets(after: firstVersion, through: try file.snapshot())
      expectEqual(changes.map(\.count), Array(1...20))
    }
    try expectEqual(IndependentChecker.findings(path, tables: true), nil)
    let file = try DatabaseFile.open(path: path)
    try expectEqual(file.check(), [])
    _ = try file.beginWrite().commit(changeset: [])
    try expectEqual(IndependentChecker.findings(path, tables: true), nil)
  }

  /// The history of a file with one user has one entry.
  @Test func historyIsTrimmedToWhatReadersNeed() throws {
    let file = try DatabaseFile.open(path: try copy(of: "after-many-commits"))
    let first = try file.beginWrite().commit(changeset: [7])
    var last = first
    for step in 0..<1500 {
      last = try file.beginWrite().commit(changeset: [UInt8(step & 0xFF)])
    }
    let all = try file.changesets(after: first.version, through: last)
    expectEqual(all, (0..<1500).map { [UInt8($0 & 0xFF)] })
    #expect(throws: StorageError.self) {
      try file.changesets(after: first.version - 10, through: last)
    }
    let middle = first.version + 900
    try expectEqual(file.changesets(after: middle, through: last).count, 600)
    try expectEqual(file.check(), [])
  }

  @Test func longChangesetsAreChains() throws {
    let file = try DatabaseFile.open(path: directory.file("a.realm"))
    let start = try file.snapshot()
    let long = [UInt8](repeating: 0xAB, count: BlobNode.maximumByteCount + 5)
    _ = try file.beginWrite().commit(changeset: [1])
    _ = try file.beginWrite().commit(changeset: long)
    let last = try file.beginWrite().commit(changeset: [2])
    let changes = try file.changesets(after: start.version, through: last)
    expectEqual(changes.map(\.count), [1, long.count, 1])
    expectEqual(changes[1], long)
    try expectEqual(file.check(), [])
    try expectEqual(IndependentChecker.findings(directory.file("a.realm")), nil)
  }

  // MARK: Worked examples

  @Test func workedExampleAReadsAsDescribed() throws {
    let path = directory.file("example.realm")
    try Data(WorkedExamples.firstCommit).write(to: URL(fileURLWithPath: path))
    let file = try DatabaseFile.open(path: path, options: OpenOptions(isReadOnly: true))
    let snapshot = try file.snapshot()
    expectEqual(snapshot.version, 2)
    expectEqual(snapshot.topRef, Ref(952))
    expectEqual(snapshot.roots, VersionRoots(tableNames: Ref(24), tables: Ref(784)))
    let tables = try snapshot.space.node(at: snapshot.roots.tables)
    try expectEqual((0..<2).map { try tables.ref(at: $0).offset }, [232, 664])
    let top = try snapshot.top()
    expectEqual(top.logicalSize, 4096)
    expectEqual(top.freePositions, Ref(912))
    expectEqual(top.history, Ref(896))
    try expectEqual(file.changesets(after: 1, through: snapshot).map(\.count), [50])
    try expectEqual(file.check(), [])
  }

  @Test func workedExampleBReadsAsDescribed() throws {
    let path = directory.file("example.realm")
    try Data(WorkedExamples.secondCommit).write(to: URL(fileURLWithPath: path))
    let file = try DatabaseFile.open(path: path)
    let snapshot = try file.snapshot()
    expectEqual(snapshot.version, 3)
    expectEqual(snapshot.topRef, Ref(1112))
    try expectEqual(file.changesets(after: 2, through: snapshot), [[]])
    try expectEqual(file.check(), [])
    let next = try file.beginWrite().commit(changeset: [])
    expectEqual(next.version, 4)
    try expectEqual(IndependentChecker.findings(path, tables: true), nil)
  }
}
