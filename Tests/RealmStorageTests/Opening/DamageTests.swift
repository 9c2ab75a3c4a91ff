// SPDX-License-Identifier: Apache-2.0

// Damaged and foreign files: errors that say what is wrong, never a trap.

import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

struct DamageTests {
  /// Opens the bytes, reads all that can be read, checks, and commits once; errors are fine.
  ///
  /// - Returns: Whether the damage was noticed.
  @discardableResult
  private func exercise(_ contents: [UInt8]) throws -> Bool {
    let system = try SimulatedFileSystem(contents: contents)
    do throws(StorageError) {
      let file = try system.openDatabase()
      let snapshot = try file.snapshot()
      let findings = try file.check()
      _ = try? NumberTree.numbers(of: snapshot)
      _ = try? file.changesets(after: snapshot.version &- 1, through: snapshot)
      let write = try file.beginWrite()
      _ = try write.commit(changeset: [1])
      _ = try file.check()
      return !findings.isEmpty
    } catch {
      expectFalse("\(error)".isEmpty)
      return true
    }
  }

  /// The searches below can fail: they damage bytes that are read.
  @Test func damageIsNoticed() throws {
    #expect(try !exercise(WorkedExamples.secondCommit))
    var noticedCount = 0
    for offset in stride(from: 0, to: 1168, by: 8) {
      var damaged = WorkedExamples.secondCommit
      damaged[offset + 4] ^= 0x47
      if try exercise(damaged) { noticedCount += 1 }
    }
    expectTrue(noticedCount > 20)
  }

  /// `ARCHITECTURE` 4.
  @Test(.heavy) func flippedBitsNeverTrap() throws {
    var random = SeededGenerator(seed: 5)
    var count = 0
    for contents in [WorkedExamples.firstCommit, WorkedExamples.secondCommit] {
      for index in 0..<1200 {
        let bits = index < 24 ? Array(0..<8) : [Int.random(in: 0..<8, using: &random)]
        for bit in bits {
          var damaged = contents
          damaged[index] ^= 1 << UInt8(bit)
          try exercise(damaged)
          count += 1
        }
      }
    }
    RandomRuns.report(count, "flipped bits")
  }

  /// `ARCHITECTURE` 4.
  @Test(.heavy) func randomWordsInNodesNeverTrap() throws {
    var random = SeededGenerator(seed: 6)
    let nasty: [UInt64] = [
      0, 1, 8, .max, .max - 7, 1 << 63, (1 << 63) - 8, 0x4141_4141_4700_FFFF, 0xFFFF_FF47_4141_4141,
    ]
    for _ in 0..<1500 {
      var damaged = WorkedExamples.secondCommit
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let offset = Int.random(in: 0..<146, using: &random) * 8
        let word = nasty.randomElement(using: &random) ?? 0
        withUnsafeBytes(of: word.littleEndian) {
          damaged.replaceSubrange(offset..<offset + 8, with: $0)
        }
      }
      try exercise(damaged)
    }
  }

  /// `DatabaseFile+Open` 2.
  @Test func truncationsAreReported() throws {
    let contents = WorkedExamples.firstCommit
    for byteCount in stride(from: 0, to: contents.count, by: 8) {
      try exercise(Array(contents[..<byteCount]))
    }
    #expect(throws: StorageError.self) {
      try SimulatedFileSystem(contents: Array(contents[..<2048])).openDatabase()
    }
  }

  // MARK: Texts

  private func message(opening contents: [UInt8]) throws -> String {
    let system = try SimulatedFileSystem(contents: contents)
    do throws(StorageError) {
      _ = try system.openDatabase()
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test func foreignContentsAreNamed() throws {
    let start = "Failed to open Realm file at path '/simulated/test.realm': "
    try expectEqual(
      message(opening: Array("hello".utf8)),
      start
        + "file is non-empty but too small (5 bytes) to be a valid Realm. "
        + "Delete it, restore it from a backup, or use another path.")
    let notARealm =
      start + "it is not a Realm file, or it is encrypted. Check the path and the encryption key."
    try expectEqual(message(opening: [UInt8](repeating: 0, count: 4096)), notARealm)
    try expectEqual(
      message(opening: Array(String(repeating: "some text\n", count: 80).utf8)),
      start + "it begins with 'some text': it is a text, not a Realm file. Check the path.")
    try expectEqual(
      message(opening: Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 4080)),
      start
        + "it begins with 'SQLite format 3': it is an SQLite database. 'realm import' makes a "
        + "Realm of it.")
    for (beginning, text) in [
      ([0x1F, 0x8B] as [UInt8], "it is compressed (gzip). Unpack it first."),
      (Array("PK\u{3}\u{4}".utf8), "it is an archive (zip). Unpack it first."),
      ([0x28, 0xB5, 0x2F, 0xFD], "it is compressed (zstd). Unpack it first."),
      (Array("bplist00".utf8), "it is a property list, not a Realm file. Check the path."),
    ] {
      try expectEqual(
        message(opening: beginning + [UInt8](repeating: 1, count: 4096)), start + text)
    }
    try expectEqual(
      message(opening: Array(WorkedExamples.firstCommit[..<2048])),
      start
        + "the file is truncated: 2048 bytes of 4096 are left. Restore it from a backup.")
    for (version, text) in [
      (25, "Database has an unsupported version (25) and cannot be upgraded"),
      (9, "Database has an unsupported version (9) and cannot be upgraded"),
      (23, "Database upgrade required but prohibited. The file is in format 23."),
    ] {
      var other = WorkedExamples.firstCommit
      other[21] = UInt8(version)
      try expectEqual(message(opening: other), start + text)
    }
  }

  @Test func synchronisedFilesAreForReadingOnly() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("sync.realm")
    var contents = WorkedExamples.firstCommit
    contents[0x3C0 + 28] = 7  // history type: tag(3)
    try Data(contents).write(to: URL(fileURLWithPath: path))
    #expect(throws: StorageError.incompatibleHistory(path: path, type: 3)) {
      try DatabaseFile.open(path: path)
    }
    _ = try DatabaseFile.open(path: path, options: OpenOptions(isReadOnly: true)).snapshot()
  }

  @Test func pathsThatCannotBeOpenedAreNamed() throws {
    let directory = try TemporaryDirectory()
    func message(_ path: String, _ options: OpenOptions = OpenOptions()) -> String {
      do throws(StorageError) {
        _ = try DatabaseFile.open(path: path, options: options)
        return ""
      } catch {
        return "\(error)"
      }
    }
    let missing = directory.file("missing.realm")
    for options in [OpenOptions(isReadOnly: true), OpenOptions(mustExist: true)] {
      expectEqual(
        message(missing, options),
        "Failed to open Realm file at path '\(missing)': No such file or directory. Its folder has "
          + "no such file; one that is opened for reading alone must be there.")
    }
    expectFalse(FileManager.default.fileExists(atPath: missing))
    expectEqual(
      message(directory.path),
      "Failed to open Realm file at path '\(directory.path)': Is a directory. "
        + "Give the path of a file inside the directory.")
    #expect(
      message(directory.path, OpenOptions(isReadOnly: true)).contains("Is a directory"))
    let unwritable = "/proc/no-realm-here.realm"
    expectTrue(message(unwritable).hasPrefix("Failed to open Realm file at path '\(unwritable)': "))
    let file = directory.file("file")
    try Data([1]).write(to: URL(fileURLWithPath: file))
    expectTrue(message(file + "/a.realm").contains("parent path is not a directory"))
  }
}
