// SPDX-License-Identifier: Apache-2.0

// A file whose name is taken away while it is being opened, as by a compaction.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct VanishedFileTests {
  /// The system's files, whose database loses its name when it is opened.
  private struct VanishingFiles: FileSystem {
    func open(path: String, mode: FileOpenMode) throws(StorageError) -> any StorageFile {
      let file = try SystemFiles().open(path: path, mode: mode)
      if path.hasSuffix(".realm") { unlink(path) }
      return file
    }
  }

  /// Who only reads is not told, and reads what there was; who may write would write to a file that
  /// nobody else has.
  @Test(arguments: [true, false]) func readersHaveTheFileThatTheyOpened(isReadOnly: Bool) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    do {
      let file = try DatabaseFile.open(
        path: path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry())
      let write = try file.beginWrite()
      try NumberTree.replace(with: [1, 2, 3], in: write)
      _ = try write.commit(changeset: [])
    }
    let options = OpenOptions(isReadOnly: isReadOnly)
    func open() throws -> DatabaseFile {
      try DatabaseFile.open(
        path: path, options: options, system: VanishingFiles(), registry: FileRegistry())
    }
    if isReadOnly {
      try expectEqual(NumberTree.numbers(of: open().snapshot()), [1, 2, 3])
    } else {
      #expect(throws: StorageError.self) { try open() }
    }
  }
}
