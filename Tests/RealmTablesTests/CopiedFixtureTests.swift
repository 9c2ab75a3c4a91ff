// SPDX-License-Identifier: Apache-2.0

// Copies and compactions of files that Realm Core wrote.

import Foundation
import RealmFormats
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("Copied fixtures")
struct CopiedFixtureTests {
  /// `StreamedCopy` 1.
  @Test("hold the same, without free space", .heavy, arguments: Fixture.names)
  func copies(name: String) throws {
    let fixture = try Fixture(name)
    let source = try DatabaseFile.open(
      path: fixture.path, options: OpenOptions(isReadOnly: true, mustExist: true))
    let expected = try ContentDump(TableGroup(source.snapshot())).json()
    let directory = try TemporaryDirectory()
    let path = directory.file("copy.realm")
    do {
      let target = try SystemFiles().open(path: path, mode: .readWriteCreating)
      try source.snapshot().write(to: target)
    }
    let copy = try DatabaseFile.open(path: path)
    let group = try TableGroup(copy.snapshot())
    try expectEqual(ContentDump(group).json(), expected)
    #expect(try DatabaseCheck.run(copy.snapshot()).isEmpty)
    let counts = try copy.byteCounts()
    expectTrue(counts.total - counts.used <= 4096)
    try group.expectReferenceAgrees(on: expected)
    // The first commit turns the copy into a file like any other.
    _ = try WriteGroup(copy.beginWrite()).commit()
    let next = try TableGroup(copy.snapshot())
    try expectEqual(ContentDump(next).json(), expected)
    try next.expectReferenceAgrees(on: expected)
  }

  /// `DatabaseFile+Compact` 2.
  @Test(
    "are compacted in their place", .heavy, arguments: ["after-many-commits", "todo", "all-types"])
  func compacts(name: String) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.copy(of: Fixture(name).path)
    let expected: JSONValue
    do {
      let file = try DatabaseFile.open(path: path)
      expected = try ContentDump(TableGroup(file.snapshot())).json()
      #expect(try !DatabaseFile.compact(path: path))
    }
    #expect(try DatabaseFile.compact(path: path))
    let file = try DatabaseFile.open(path: path)
    try expectEqual(ContentDump(TableGroup(file.snapshot())).json(), expected)
    try TableGroup(file.snapshot()).expectReferenceAgrees(on: expected)
  }

  /// A copy is written to a file that has no name yet, but a reader that finds a part of one sees
  /// that it is no whole.
  /// `StreamedCopy` 2.
  @Test("are refused if they are not complete")
  func parts() throws {
    let source = try DatabaseFile.open(
      path: Fixture("empty").path, options: OpenOptions(isReadOnly: true, mustExist: true))
    let system = try SimulatedFileSystem()
    try source.snapshot().write(to: system.file)
    let whole = try system.file.contents()
    for count in stride(from: 32, to: whole.count, by: 8) {
      let part = try SimulatedFileSystem(contents: Array(whole[..<count]))
      #expect(throws: StorageError.self) { _ = try part.openDatabase().snapshot() }
    }
    _ = try SimulatedFileSystem(contents: whole).openDatabase().snapshot()
  }
}
