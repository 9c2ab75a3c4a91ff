// SPDX-License-Identifier: Apache-2.0

// What a crash leaves of a file that was being made is taken as a new one.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct NewFileTests {
  @Test(arguments: [0, 1, 8, 23, 24]) func filesOfFewZerosAreNew(byteCount: Int) throws {
    let system = try SimulatedFileSystem(contents: [UInt8](repeating: 0, count: byteCount))
    let file = try system.openDatabase()
    let write = try file.beginWrite()
    try NumberTree.replace(with: [1, 2, 3], in: write)
    _ = try write.commit(changeset: [])
    expectEqual(file.newestVersion, 2)
    try expectEqual(Array(system.file.contents().prefix(24))[16..<20], Array("T-DB".utf8)[...])
  }

  /// Others are not: something was there.
  @Test(arguments: [[0, 1], [UInt8](repeating: 0, count: 32)])
  func otherShortFilesAreNot(contents: [UInt8]) throws {
    let system = try SimulatedFileSystem(contents: contents)
    #expect(throws: StorageError.self) { try system.openDatabase() }
    try expectEqual(system.file.contents(), contents)
  }
}
