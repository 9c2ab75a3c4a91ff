// SPDX-License-Identifier: Apache-2.0

// Files whose name appears with their content.

import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct CompleteFileTests {
  /// `CompleteFile` 1
  @Test func aFileHasNoNameBeforeItsTablesAreOnTheDisk() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    let system = WatchedFiles()
    #expect(throws: StorageError.corrupted("no")) {
      try CompleteFile.make(path, system: system) { (file) throws(StorageError) in
        _ = try file.beginWrite().commit(changeset: [])
        expectFalse(CompleteFile.exists(path))
        throw .corrupted("no")
      }
    }
    #expect(throws: StorageError.self) {
      try CompleteFile.make(path, system: system) { (file) throws(StorageError) in
        system.failSyncs()
        _ = try file.beginWrite().commit(changeset: [])
      }
    }
    try expectEqual(FileManager.default.contentsOfDirectory(atPath: directory.path), [])
  }

  /// A file that something has open a moment longer under its first name would be opened with the
  /// lock file of that name, which is removed: no other process could join its session.
  @Test func aFileHasTheLockFileOfItsName() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    try CompleteFile.make(path) { (file) throws(StorageError) in
      _ = try file.beginWrite().commit(changeset: [])
      _ = BackgroundThread.start(named: "keeper") {
        usleep(50_000)
        withExtendedLifetime(file) {}
      }
    }
    let file = try DatabaseFile.open(path: path)
    expectEqual(file.path, path)
    try expectEqual(
      FileManager.default.contentsOfDirectory(atPath: directory.path).sorted(),
      ["a.realm", "a.realm.lock"])
  }
}
