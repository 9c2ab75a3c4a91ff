// SPDX-License-Identifier: Apache-2.0

// Commits to encrypted files: what they hold is what a plain file holds, for all who look.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct EncryptedCommitTests {
  /// A version that the image has is not read again.
  @Test func aVersionIsReadOnce() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase(key: try TestKeys.vector())
    let write = try file.beginWrite()
    try NumberTree.replace(with: [1, 2, 3], in: write)
    _ = try write.commit(changeset: [])
    let image = try #require(file.encrypted)
    func advance(to version: UInt64) throws -> Int {
      system.file.clearTrace()
      try image.advance(to: version) { (_, _) throws(StorageError) in }
      return system.file.callCount
    }
    try expectEqual(advance(to: file.newestVersion), 0)
    try expectTrue(advance(to: file.newestVersion + 1) > 0)
    try expectEqual(advance(to: file.newestVersion + 1), 0)
  }

  private let key: EncryptionKey

  init() throws { key = try TestKeys.vector() }

  private func commit(_ numbers: [Int64], to file: DatabaseFile) throws -> Snapshot {
    let write = try file.beginWrite()
    try NumberTree.replace(with: numbers, in: write)
    return try write.commit(changeset: [1, 2])
  }

  private func change(_ numbers: inout [Int64], _ random: inout SeededGenerator) {
    if random.chance(0.2), numbers.count > 50 {
      numbers.removeLast(Int.random(in: 1..<numbers.count, using: &random))
    }
    for _ in 0..<Int.random(in: 0..<400, using: &random) {
      numbers.append(Int64.random(in: .min ... .max, using: &random) >> 16)
    }
    for _ in 0..<5 where !numbers.isEmpty {
      numbers[Int.random(in: 0..<numbers.count, using: &random)] &+= 1
    }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func randomCommitsGiveWhatAPlainFileGives(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let system = try SimulatedFileSystem()
    let plainSystem = try SimulatedFileSystem()
    var numbers: [Int64] = []
    for session in 0..<4 {
      let file = try system.openDatabase(key: key)
      let plain = try plainSystem.openDatabase()
      var kept: [(Snapshot, [Int64])] = []
      var keptPlain: [Snapshot] = []
      for step in 0..<12 {
        if random.chance(0.2) {
          let write = try file.beginWrite()
          try NumberTree.replace(with: [7], in: write)
          write.rollback()
        }
        change(&numbers, &random)
        let snapshot = try commit(numbers, to: file)
        let other = try commit(numbers, to: plain)
        expectEqual(snapshot.version, other.version)
        if step % 3 == 0 {
          kept.append((snapshot, numbers))
          keptPlain.append(other)
        }
        for (snapshot, numbers) in kept {
          try expectEqual(NumberTree.numbers(of: snapshot), numbers, "seed \(seed)")
        }
        try expectEqual(file.check(), [])
        // Not only the values: the image is laid out as the plain file, until a session begins by
        // sparing a version in the one, and by a sync of the other (`SessionStart` 1).
        if session == 0 { try expectEqual(snapshot.top(), other.top()) }
      }
    }
  }

  @Test func largeFilesSpanManyBlocks() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("large.realm")
    var numbers = (0..<150_000).map { Int64($0) << 40 }
    do {
      let file = try DatabaseFile.open(path: path, options: OpenOptions(encryptionKey: key))
      _ = try commit(numbers, to: file)
      numbers[33_333] = -1
      _ = try commit(numbers, to: file)
      // Enough for several threads.
      #expect(try file.fileByteCount() > 4 * EncryptedLayout.blockByteCount)
    }
    do {
      let file = try DatabaseFile.open(path: path, options: OpenOptions(encryptionKey: key))
      try expectEqual(NumberTree.numbers(of: try file.snapshot()), numbers)
      try expectEqual(file.check(), [])
    }
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    for block in 0..<4 {
      var damaged = whole
      damaged[block * EncryptedLayout.blockByteCount + 30 * 4096] ^= 1
      let system = try SimulatedFileSystem(contents: Array(damaged))
      #expect(throws: StorageError.self, "block \(block)") {
        _ = try system.openDatabase(key: key)
      }
    }
  }

  @Test func severalCommitsAreMadeDurableTogether() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase(key: key)
    var pending = try write([1, 2, 3], file.beginWrite())
    pending = try write([1, 2, 3, 4], pending.begin())
    let seen = pending.snapshot
    pending = try write([5], pending.begin())
    expectEqual(file.newestVersion, 1)
    try pending.makeDurable()
    try expectEqual(NumberTree.numbers(of: seen), [1, 2, 3, 4])
    try expectEqual(NumberTree.numbers(of: try file.snapshot()), [5])
    let reopened = try SimulatedFileSystem(contents: system.file.contents()).openDatabase(key: key)
    try expectEqual(NumberTree.numbers(of: try reopened.snapshot()), [5])
    try expectEqual(reopened.check(), [])
  }

  private func write(
    _ numbers: [Int64], _ transaction: WriteTransaction
  ) throws -> PendingCommit {
    try NumberTree.replace(with: numbers, in: transaction)
    return try transaction.writeVersion(changeset: [])
  }

  // MARK: Other processes

  /// Opens the file as a process of its own would: files of the system have locks for each.
  private func openAlone(
    _ path: String, _ key: EncryptionKey?, system: any FileSystem = SystemFiles()
  ) throws -> DatabaseFile {
    try DatabaseFile.open(
      path: path, options: OpenOptions(encryptionKey: key), system: system,
      registry: FileRegistry())
  }

  /// `EncryptedFile` 1.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func processesSeeEachOthersCommits(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    let path = directory.file("shared.realm")
    var files = try (0..<3).map { _ in try openAlone(path, key) }
    var numbers: [Int64] = []
    var kept: [(Snapshot, [Int64])] = []
    for step in 0..<40 {
      change(&numbers, &random)
      let writer = Int.random(in: 0..<3, using: &random)
      _ = try commit(numbers, to: files[writer])
      let reader = Int.random(in: 0..<3, using: &random)
      let snapshot = try files[reader].snapshot()
      try expectEqual(NumberTree.numbers(of: snapshot), numbers, "seed \(seed), step \(step)")
      if random.chance(0.3) { kept.append((snapshot, numbers)) }
      if kept.count > 4 { kept.remove(at: Int.random(in: 0..<4, using: &random)) }
      for (snapshot, numbers) in kept {
        try expectEqual(NumberTree.numbers(of: snapshot), numbers, "seed \(seed), step \(step)")
      }
      if step % 10 == 9 {
        let index = Int.random(in: 0..<3, using: &random)
        files[index] = try openAlone(path, key)
        try expectEqual(files[index].check(), [])
      }
    }
  }

  /// A transaction that fails leaves bytes in the image that no version has, where another process
  /// writes afterwards.
  /// `EncryptedFile` 5.
  @Test func whatAFailedTransactionLeftDoesNotHideOthersPages() throws {
    let directory = try TemporaryDirectory()
    let files = WatchedFiles()
    let file = try openAlone(directory.file("a.realm"), key, system: files)
    let other = try openAlone(directory.file("a.realm"), key)
    var numbers = (0..<500).map { Int64($0) << 30 }
    _ = try commit(numbers, to: file)
    let write = try file.beginWrite()
    try NumberTree.replace(with: (0..<90_000).map { Int64($0) << 31 }, in: write)
    files.fillDisk(true)
    #expect(throws: StorageError.self) { try write.commit(changeset: []) }
    files.fillDisk(false)
    for step in 0..<6 {
      numbers = numbers.map { $0 &+ 1 }
      _ = try commit(numbers, to: step % 2 == 0 ? other : file)
      try expectEqual(NumberTree.numbers(of: file.snapshot()), numbers)
      try expectEqual(NumberTree.numbers(of: other.snapshot()), numbers)
      try expectEqual(file.check(), [])
    }
  }

  /// A process that joins a session must have the key, too.
  @Test func whoJoinsWithAnotherKeyIsRefused() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    let file = try openAlone(path, key)
    _ = try commit([1], to: file)
    func reason(_ body: () throws -> DatabaseFile) -> String {
      let error = #expect(throws: StorageError.self) { _ = try body() }
      return error.map { "\($0)" } ?? ""
    }
    #expect(
      reason { try openAlone(path, TestKeys.other()) }.contains("with the given encryption key"))
    #expect(reason { try openAlone(path, nil) }.contains("or it is encrypted"))
    let plainPath = directory.file("b.realm")
    let plain = try openAlone(plainPath, nil)
    _ = try commit([1], to: plain)
    #expect(reason { try openAlone(plainPath, key) }.contains("the file is not encrypted"))
    try expectEqual(NumberTree.numbers(of: file.snapshot()), [1])
    try expectEqual(NumberTree.numbers(of: plain.snapshot()), [1])
  }

  /// Who joins with the key learns which page is damaged, and not that the key is wrong.
  @Test func whoJoinsLearnsWhichPageIsDamaged() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    let file = try openAlone(path, key)
    _ = try commit((0..<1500).map { $0 << 40 }, to: file)
    let storage = try SystemFiles().open(path: path, mode: .readWrite)
    for page in 1..<EncryptedLayout.imageByteCount(file: try storage.byteCount()) / 4096 {
      try storage.write(UInt64(page), at: EncryptedLayout.position(ofPage: page))
    }
    let error = #expect(throws: StorageError.self) { try openAlone(path, key) }
    let text = error.map { "\($0)" } ?? ""
    expectTrue(text.contains("does not match its authentication code"), "\(text)")
    withExtendedLifetime(file) {}
  }

  @Test func inOneProcessAllMustUseTheSameKey() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    let file = try DatabaseFile.open(path: path, options: OpenOptions(encryptionKey: key))
    #expect(throws: StorageError.differentKey(path: path)) { try DatabaseFile.open(path: path) }
    let other = OpenOptions(encryptionKey: try TestKeys.other())
    #expect(throws: StorageError.differentKey(path: path)) {
      try DatabaseFile.open(path: path, options: other)
    }
    let same = OpenOptions(encryptionKey: try TestKeys.vector())
    #expect(try DatabaseFile.open(path: path, options: same) === file)
  }
}
