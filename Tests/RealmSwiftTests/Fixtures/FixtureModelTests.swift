// SPDX-License-Identifier: Apache-2.0

// Files that Realm Core wrote, used as a program uses them.

import Foundation
import RealmFormats
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

@Suite("Fixtures of Realm Core in the public API") struct FixtureModelTests {
  private func expectSame(
    _ expected: FixtureContents, _ found: FixtureContents, _ what: String,
    changed: [String: Set<Int64>] = [:]
  ) {
    for (name, rows) in expected.rows {
      let own = found.rows[name] ?? [:]
      if changed.isEmpty { expectEqual(own.count, rows.count, "\(what): \(name)") }
      var differences: [String] = []
      for (key, row) in rows where own[key] != row && changed[name]?.contains(key) != true {
        differences += JSONValue.differences(expected: row, actual: own[key] ?? "missing")
          .map { "\(key)\($0)" }
      }
      expectEqual(differences.sorted().prefix(4), [], "\(what): \(name)")
    }
    for (name, rows) in found.backlinks where changed.isEmpty {
      let wanted = expected.backlinks[name] ?? [:]
      for (key, links) in rows {
        let all = Set(wanted[key]?.elements ?? [])
        expectTrue(all.isSuperset(of: links.elements), "\(what): \(name) \(key)")
      }
    }
  }

  /// Changes some objects of a class in every property, and creates some.
  private func change<T: FixtureObject>(_ type: T.Type, _ source: FixtureSource) -> Set<Int64> {
    let all = source.realm.objects(type)
    let count = all.count
    var changed: Set<Int64> = []
    for position in Set([0, 1, count / 2, count - 2, count - 1]) where position >= 0 {
      let object = all[position]
      for path in T.paths where _name(for: path) != object.objectSchema.primaryKeyProperty?.name {
        source.fill(object, path)
      }
      changed.insert(object._key.rawValue)
    }
    guard T.className() != "AllTypes", all.first?.objectSchema.primaryKeyProperty == nil else {
      return changed
    }
    for _ in 0..<3 {
      let object = source.realm.create(type)
      for path in T.paths { source.fill(object, path) }
      changed.insert(object._key.rawValue)
    }
    return changed
  }

  @Test("are read equal, changed, and read again", .heavy, arguments: FixtureFile.all)
  func readAndChanged(fixture: FixtureFile) throws {
    let file = try fixture.copy()
    let expected = try fixture.expected()
    var changed: [String: Set<Int64>] = [:]
    var written = FixtureContents()
    do {
      let realm = try file.open()
      let found = FixtureReader.contents(of: fixture, realm)
      expectSame(expected, found, "typed")
      expectEqual(
        FixtureReader.contents(of: fixture, realm.freeze(), isDynamic: true).rows, found.rows)
      let first = try #require(fixture.classes.first)
      let source = FixtureSource(
        realm, object: try #require(realm.dynamicObjects(first.className()).first))
      try realm.write {
        for type in fixture.classes { changed[type.className()] = change(type, source) }
      }
      written = FixtureReader.contents(of: fixture, realm)
      expectTrue(written != found)
    }
    // Parts go with what they were part of.
    for part in fixture.parts {
      let name = part.className()
      changed[name] = Set(expected.rows[name]?.keys.map { $0 } ?? [])
    }
    expectSame(expected, written, "changed", changed: changed)
    let realm = try file.open()
    expectEqual(FixtureReader.contents(of: fixture, realm), written)
    expectEqual(FixtureReader.contents(of: fixture, realm, isDynamic: true).rows, written.rows)
    try expectEqual(DatabaseCheck.run(realm.core.snapshot()), [])
    try ReferenceReader.check(file.configuration)
    guard ReferenceReader.isAvailable, let url = file.configuration.fileURL else { return }
    // What another implementation reads in the file, in the same terms.
    let dump = try ReferenceReader.dump(url.path)
    expectSame(FixtureContents(dump), written, "reference reader")
    let ours = try ContentDump(realm.core.readableTables()).json()
    expectEqual(JSONValue.differences(expected: dump["tables"] ?? [], actual: ours), [])
  }
}
