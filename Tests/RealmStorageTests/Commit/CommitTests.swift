// SPDX-License-Identifier: Apache-2.0

// Commits to real files: what they leave, and what readers of older versions see meanwhile.

import Foundation
import RealmStorage
import RealmTestSupport
import Testing

struct CommitTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func newFileIsBlankUntilTheFirstCommit() throws {
    let file = try DatabaseFile.open(path: directory.file("a.realm"))
    let snapshot = try file.snapshot()
    #expect(snapshot.version == 1)
    #expect(snapshot.roots == VersionRoots())
    #expect(try file.fileByteCount() == 4096)
  }

  @Test func firstCommitMakesVersionTwo() throws {
    let path = directory.file("a.realm")
    do {
      let file = try DatabaseFile.open(path: path)
      let write = try file.beginWrite()
      #expect(write.version == 2)
      let snapshot = try write.commit(changeset: [])
      #expect(snapshot.version == 2)
      #expect(file.newestVersion == 2)
    }
    let file = try DatabaseFile.open(path: path)
    #expect(file.newestVersion == 2)
    let top = try file.snapshot().top()
    #expect(top.historyType == 2)
    #expect(top.historySchemaVersion == 1)
    #expect(top.slotCount == 11)
    #expect(try IndependentChecker.findings(path) == nil)
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
        #expect(try NumberTree.numbers(of: snapshot) == expected)
      }
    }
    #expect(file.pinnedVersions == pinned.map { $0.0.version })
    pinned.removeAll()
    #expect(file.oldestPinnedVersion == file.newestVersion)
    #expect(try IndependentChecker.findings(directory.file("a.realm")) == nil)
  }

  /// `ARCHITECTURE` 1.
  @Test func rollbackLeavesNoTrace() throws {
    let file = try DatabaseFile.open(path: directory.file("a.realm"))
    var write = try file.beginWrite()
    try NumberTree.replace(with: [1, 2, 3], in: write)
    write.rollback()
    #expect(file.newestVersion == 1)
    write = try file.beginWrite()
    #expect(write.roots == VersionRoots())
    write.rollback()
  }
}
