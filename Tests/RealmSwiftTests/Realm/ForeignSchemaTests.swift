// SPDX-License-Identifier: Apache-2.0

// A schema that another process changes while a realm is open.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@_spi(RealmTesting) @testable import RealmSwift

private enum Plain {
  class Poem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    @Persisted var lines: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

private enum Indexed {
  class Poem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var title: String
    @Persisted(indexed: true) var lines: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

private enum Larger {
  class Poem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var author: String?
    @Persisted var title: String
    @Persisted var lines: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

private enum Smaller {
  class Poem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var lines: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

/// Opens a file as another process with other classes would.
private func changeElsewhere(
  _ file: TemporaryRealm, _ types: [ObjectBase.Type], version: UInt64,
  _ body: (Realm) throws -> Void = { _ in }
) throws {
  let path = try #require(file.configuration.fileURL).path
  let other = try DatabaseFile.open(
    path: path, options: OpenOptions(), system: SystemFiles(), registry: FileRegistry())
  // The name is not read, but a realm of this process has the true one.
  let configuration = Realm.Configuration(
    fileURL: URL(fileURLWithPath: path + ".elsewhere"), schemaVersion: version, objectTypes: types)
  try body(Realm(core: try RealmOpener(configuration, file: other).open(.current)))
}

struct ForeignSchemaTests {
  private func makeFile() throws -> TemporaryRealm {
    let file = try TemporaryRealm([Plain.Poem.self])
    let realm = try file.open()
    try realm.write {
      for id in 0..<40 {
        realm.create(Plain.Poem.self, value: ["id": id, "title": "poem \(id)", "lines": id % 5])
      }
    }
    return file
  }

  /// Indexes that another process adds are kept up to date by one that did not know of them.
  @Test func indexesOfOthersAreKept() throws {
    let file = try makeFile()
    let realm = try file.open()
    try changeElsewhere(file, [Indexed.Poem.self], version: 0)
    let poem = try #require(realm.object(ofType: Plain.Poem.self, forPrimaryKey: 7))
    try realm.write {
      poem.title = "renamed"
      poem.lines = 99
      realm.create(Plain.Poem.self, value: ["id": 100, "title": "new", "lines": 99])
      realm.delete(realm.objects(Plain.Poem.self).where { $0.id < 3 })
    }
    expectEqual(realm.objects(Plain.Poem.self).where { $0.title == "renamed" }.count, 1)
    expectEqual(realm.objects(Plain.Poem.self).where { $0.lines == 99 }.count, 2)
    try expectEqual(DatabaseCheck.run(realm.core.snapshot()), [])
    try changeElsewhere(file, [Indexed.Poem.self], version: 0) { other in
      expectEqual(other.objects(Indexed.Poem.self).where { $0.lines == 99 }.count, 2)
    }
  }

  @Test func indexesThatOthersRemoveAreForgotten() throws {
    let file = try makeFile()
    file.configuration.objectTypes = [Indexed.Poem.self]
    let realm = try file.open()
    expectEqual(realm.objects(Indexed.Poem.self).where { $0.lines == 4 }.count, 8)
    try changeElsewhere(file, [Plain.Poem.self], version: 0)
    try realm.write {
      realm.objects(Indexed.Poem.self).where { $0.lines == 4 }.forEach { $0.lines = 5 }
    }
    expectEqual(realm.objects(Indexed.Poem.self).where { $0.lines == 5 }.count, 8)
    try expectEqual(DatabaseCheck.run(realm.core.snapshot()), [])
  }

  @Test func propertiesThatOthersAddDoNotMatter() throws {
    let file = try makeFile()
    let realm = try file.open()
    let poem = try #require(realm.object(ofType: Plain.Poem.self, forPrimaryKey: 7))
    try changeElsewhere(file, [Larger.Poem.self], version: 1) { other in
      try other.write { other.object(ofType: Larger.Poem.self, forPrimaryKey: 7)?.lines = 33 }
    }
    realm.refresh()
    expectEqual(poem.title, "poem 7")
    expectEqual(poem.lines, 33)
    try realm.write { poem.title = "x" }
    expectEqual(realm.freeze().object(ofType: Plain.Poem.self, forPrimaryKey: 7)?.title, "x")
    try expectEqual(DatabaseCheck.run(realm.core.snapshot()), [])
  }

  @Test func propertiesThatOthersRemoveEndTheProcess() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm([Plain.Poem.self])
      let realm = try file.open()
      try changeElsewhere(file, [Smaller.Poem.self], version: 1)
      realm.refresh()
      _ = realm.objects(Plain.Poem.self).count
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for line in [
      "Unsupported schema changes were made by another client or process:",
      "- Property 'Poem.title' has been removed.", "- Property 'Poem.lines' has been changed.",
    ] {
      expectTrue(said.contains(line), "said: \(said.prefix(400))")
    }
  }
}
