// SPDX-License-Identifier: Apache-2.0

// A database file for tests of tables.

import Foundation
import RealmStorage
import RealmTestSupport
import Testing

@testable import RealmTables

/// A file in a directory of its own, written and read through groups of tables.
///
/// Each commit is followed by the integrity check of the container and of the tables.
final class TestDatabase {
  let directory: TemporaryDirectory
  private(set) var file: DatabaseFile
  let schemas = SchemaCache()

  var path: String { file.path }

  init() throws {
    directory = try TemporaryDirectory()
    file = try DatabaseFile.open(path: directory.file("test.realm"))
  }

  /// Opens a copy of a fixture.
  init(fixture name: String) throws {
    directory = try TemporaryDirectory()
    let copy = try directory.copy(of: try Fixture(name).path)
    file = try DatabaseFile.open(path: copy)
  }

  /// Leaves a copy behind for other tools where OPENREALM_TEST_FILES names a folder.
  deinit {
    guard let folder = ProcessInfo.processInfo.environment["OPENREALM_TEST_FILES"] else { return }
    try? FileManager.default.copyItem(
      atPath: path, toPath: "\(folder)/\(UUID().uuidString).realm")
  }

  /// Runs a write transaction, commits it and checks the file.
  @discardableResult
  func write<R>(
    _ location: SourceLocation = #_sourceLocation, _ body: (WriteGroup) throws -> R
  ) throws -> R {
    let group = try WriteGroup(try file.beginWrite(), schemas: schemas)
    let result: R
    do {
      result = try body(group)
    } catch {
      group.rollback()
      throw error
    }
    let snapshot = try group.commit()
    check(snapshot, location)
    return result
  }

  /// The newest version.
  func read() throws -> TableGroup { try TableGroup(try file.snapshot(), schemas: schemas) }

  /// The newest version's table.
  func table(_ name: String) throws -> Table { try #require(try read().table(named: name)) }

  /// Closes the file and opens it again.
  func reopen() throws {
    let path = file.path
    let stale = file
    file = try DatabaseFile.open(path: directory.file("other.realm"))
    _ = consume stale
    file = try DatabaseFile.open(path: path)
  }

  private func check(_ snapshot: Snapshot, _ location: SourceLocation) {
    let findings = DatabaseCheck.run(
      tableNames: snapshot.roots.tableNames, tables: snapshot.roots.tables, in: snapshot.space)
    for finding in findings { Issue.record("\(finding)", sourceLocation: location) }
  }
}
