// SPDX-License-Identifier: Apache-2.0

// Commits to real files: what they leave, and what readers of older versions see meanwhile.

import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

struct CommitTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func newFileIsBlankUntilTheFirstCommit() throws {
    let file = try DatabaseFile.open(path: directory.file("a.realm"))
    let snapshot = try file.snapshot()
    expectEqual(snapshot.version, 1)
    expectEqual(snapshot.roots, VersionRoots())
    try expectEqual(file.fileByteCount(), 4096)
  }

  @Test func firstCommitMakesVersionTwo() throws {
    let path = directory.file("a.realm")
    do {
      let file = try DatabaseFile.open(path: path)
      let write = try file.beginWrite()
      expectEqual(write.version, 2)
      let snapshot = try write.commit(changeset: [])
      expectEqual(snapshot.version, 2)
      expectEqual(file.newestVersion, 2)
    }
    let file = try DatabaseFile.open(path: path)
    expectEqual(file.newestVersion, 2)
    let top = try file.snapshot().top()
    expectEqual(top.historyType, 2)
    expectEqual(top.historySchemaVersion, 1)
    expectEqual(top.slotCount, 11)
    try expectEqual(IndependentChecker.findings(path), nil)
  }

  /// `ReaderTable` 2, `ARCHITECTURE` 2.
  @Test func readersKeepTheirVersion() throws {
    let file = try DatabaseFile.open(path: directory.file("a.realm"))
    var pinned: [(Snapshot, [Int64])] = []
    var random = SeededGenerator(seed: 7)
    var numbers: [Int64] = []
    for step in 0..<200 {
      numbers.append(Int64.random(in: -1000...1000, using: &random))
      let write = try file.beginWrite()
      try NumberTree.replace(with: numbers, in: write)
      let snapshot = try write.commit(changeset: [])
      if step % 20 == 0 { pinned.append((snapshot, numbers)) }
      for (snapshot, expected) in pinned {
        try expectEqual(NumberTree.numbers(of: snapshot), expected)
      }
    }
    expectEqual(file.pinnedVersions, pinned.map { $0.0.version })
    pinned.removeAll()
    expectEqual(file.oldestPinnedVersion, file.newestVersion)
    try expectEqual(IndependentChecker.findings(directory.file("a.realm")), nil)
  }

  #if os(Linux)
  /// `DatabaseFile` 1, `ARCHITECTURE` 1: a stray pointer ends the process, and the file is as it
  /// was.
  @Test func theMappingIsReadOnly() async throws {
    let path = directory.file("a.realm")
    let write = try DatabaseFile.open(path: path).beginWrite()
    try NumberTree.replace(with: [1, 2, 3], in: write)
    _ = try write.commit(changeset: [])
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    await #expect(processExitsWith: .signal(SIGSEGV)) { [path = path as String] in
      let file = try DatabaseFile.open(path: path)
      let snapshot = try file.snapshot()
      let node = try snapshot.space.node(at: snapshot.roots.tables)
      UnsafeMutableRawPointer(mutating: node.address).storeBytes(of: 1, as: UInt64.self)
    }
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), before)
  }
  #endif

  /// `ARCHITECTURE` 1.
  @Test func rollbackLeavesNoTrace() throws {
    let file = try DatabaseFile.open(path: directory.file("a.realm"))
    var write = try file.beginWrite()
    try NumberTree.replace(with: [1, 2, 3], in: write)
    write.rollback()
    expectEqual(file.newestVersion, 1)
    write = try file.beginWrite()
    expectEqual(write.roots, VersionRoots())
    write.rollback()
  }
}
