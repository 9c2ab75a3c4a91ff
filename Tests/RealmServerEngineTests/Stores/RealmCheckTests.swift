// SPDX-License-Identifier: Apache-2.0

// What an operator's commands read of the files of realms: facts, damage, copies.

import Foundation
import RealmStorage
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

struct RealmCheckTests {
  private typealias Text = ChangesetText

  private static let name = RealmName(app: "todo", partition: "\"a\"")

  /// A realm with two clients, of which the first has uploaded three changesets.
  private static func realm(
    _ directory: TemporaryDirectory
  ) async throws -> (realm: ServerRealm, clients: [ClientFile]) {
    let realm = try await ServerRealm.open(
      name, of: EmbeddedStore(DirectoryFiles(directory: directory.path)),
      clock: ServerClock { OriginTimestamp(milliseconds: 5_000) })
    let clients = [
      try await realm.allocateFile(for: "ann"), try await realm.allocateFile(for: "ben"),
    ]
    let upload = Upload(
      clients[0], [Text.schema(), Text.create("x", count: 1), Text.set("x", count: 2)], from: 1)
    await expectEqual(realm.integrate(upload).code, nil)
    return (realm, clients)
  }

  /// Changes the tables of a realm's file behind its back.
  private static func damage(
    _ directory: TemporaryDirectory, _ body: (WriteGroup) throws(StorageError) -> Void
  ) throws {
    let file = try DirectoryFiles(directory: directory.path).open(name.fileID)
    try WriteGroup(file.beginWrite()).commit { (group) throws(StorageError) in
      try body(group)
    }
  }

  @Test func theFactsOfARealmAreTold() async throws {
    let directory = try TemporaryDirectory()
    let (realm, clients) = try await Self.realm(directory)
    let files = InspectedFiles(directory: directory.path)
    // The realm is open, and stays so.
    let facts = try files.facts(of: Self.name.fileID)
    expectEqual(facts.name, Self.name)
    expectEqual(facts.head.version, 3)
    expectEqual(facts.historyCount, 3)
    expectTrue(facts.historyByteCount > 0)
    expectEqual(facts.classes.map(\.name), ["Thing"])
    expectEqual(facts.classes.first?.count, 1)
    expectTrue(facts.byteCount > 0)
    expectTrue(facts.usedByteCount > 0)
    expectTrue(facts.byteCount >= facts.usedByteCount)
    expectEqual(Set(facts.clients.map(\.ident)), Set(clients.map(\.ident)))
    expectEqual(Set(facts.clients.map(\.user)), ["ann", "ben"])
    #expect(facts.clients.allSatisfy { $0.version == 0 && !$0.isExpired })
    try expectEqual(files.realms(ofApp: "todo"), [Self.name.fileID])
    try expectEqual(files.recordedRealms(ofApp: "todo"), [Self.name.fileID])
    #expect(try files.recordedRealms(ofApp: "none").isEmpty)
    await realm.close()
  }

  /// `InspectedFiles` 1
  @Test func readingChangesNoByte() async throws {
    let directory = try TemporaryDirectory()
    await (try await Self.realm(directory)).realm.close()
    let files = InspectedFiles(directory: directory.path)
    let path = files.path(of: Self.name.fileID)
    let before = DatabaseFile.stamp(ofFileAt: path)
    try expectEqual(files.check(Self.name.fileID), [])
    try expectEqual(files.facts(of: Self.name.fileID).head.version, 3)
    expectEqual(DatabaseFile.stamp(ofFileAt: path), before)
  }

  /// `InspectedFiles` 2
  @Test func aReadingIsRepeatedIfAWriterCame() async throws {
    let directory = try TemporaryDirectory()
    await (try await Self.realm(directory)).realm.close()
    let path = InspectedFiles(directory: directory.path).path(of: Self.name.fileID)
    var versions: [UInt64] = []
    let found = try InspectedFiles.reading(path) { (snapshot) throws(StorageError) in
      versions.append(snapshot.version)
      if versions.count == 1 {
        let files = DirectoryFiles(directory: directory.path)
        try WriteGroup(files.open(Self.name.fileID).beginWrite()).commit {
          (group) throws(StorageError) in
          try ServerTables.meta(in: group).set(3 as UInt64, "version")
        }
      }
      return snapshot.version
    }
    expectEqual(versions.count, 2)
    expectEqual(found, versions.last)
    expectTrue(found > versions[0])
  }

  @Test func aCopyOfAnOpenRealmIsWholeWhateverIsWrittenMeanwhile() async throws {
    let directory = try TemporaryDirectory()
    let copies = try TemporaryDirectory()
    let (realm, clients) = try await Self.realm(directory)
    let path = InspectedFiles(directory: directory.path).path(of: Self.name.fileID)
    let writing = Task {
      for number in 4..<60 as Range<UInt64> {
        let upload = Upload(
          clients[0], [Text.set("x", count: Int64(number))], from: number, base: 0)
        await expectEqual(realm.integrate(upload).code, nil)
      }
    }
    var versions: [UInt64] = []
    for number in 0..<10 {
      let folder = copies.path + "/\(number)"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      let copy = folder + "/copy.realm"
      #expect(try InspectedFiles.copy(path, to: copy) > 0)
      let file = try DatabaseFile.open(path: copy, options: OpenOptions(mustExist: true))
      try expectEqual(InspectedFiles.check(file, of: Self.name.fileID), [])
      let meta = try ServerTables.meta(in: TableGroup(file.snapshot(), schemas: SchemaCache()))
      versions.append(try RealmHead(Self.name.fileID, meta).version)
      await Task.yield()
    }
    await writing.value
    expectEqual(versions, versions.sorted())
    #expect(versions.allSatisfy { $0 >= 3 })
    try expectEqual(InspectedFiles.check(file: path), [])
  }

  /// What is wrong, and what the check says of it.
  enum Damage: CaseIterable {
    case entry, salt, head, files, reciprocal, changeset, name

    func perform(_ group: WriteGroup, _ client: FileIdentifier) throws(StorageError) {
      let history = try ServerTables.history.table(in: group)
      switch self {
      case .entry: try history.delete(ServerTables.key(2))
      case .salt: try history.record(ServerTables.key(3))?.set(5 as UInt64, "salt")
      case .head: try ServerTables.meta(in: group).set(7 as UInt64, "version")
      case .files:
        try ServerTables.files.table(in: group).record(ServerTables.key(client))?
          .set(9 as UInt64, "reciprocal_base")
      case .reciprocal:
        try ServerTables.reciprocals.table(in: group)
          .create(under: ServerTables.key(FileIdentifier(client.rawValue ^ 0x1000), 2))
          .set([] as [UInt8], "changeset")
      case .changeset:
        try history.record(ServerTables.key(2))?.set([250, 250] as [UInt8], "changeset")
      case .name: try ServerTables.meta(in: group).set("\"b\"", "partition")
      }
    }

    var finding: String {
      switch self {
      case .entry: "version 3 follows version 1"
      case .salt: "version 3 has a wrong salt"
      case .head: "it says that it is at version 7, and has 3"
      case .files: "is at a version that is not there"
      case .reciprocal: "is of no client file"
      case .changeset: "version 2 has a changeset that cannot be read"
      case .name: "it is the file of the realm todo/p_=22b=22"
      }
    }
  }

  @Test(arguments: Damage.allCases)
  func damageIsFound(_ damage: Damage) async throws {
    let directory = try TemporaryDirectory()
    let (realm, clients) = try await Self.realm(directory)
    await realm.close()
    try Self.damage(directory) { (group) throws(StorageError) in
      try damage.perform(group, clients[0].ident)
    }
    let findings = try InspectedFiles(directory: directory.path).check(Self.name.fileID)
    #expect(findings.contains { $0.contains(damage.finding) }, "\(findings)")
  }

  @Test func aFileThatIsNoDatabaseIsAnError() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    try Data("junk".utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: StoreError.self) { try InspectedFiles.check(file: path) }
    #expect(throws: StoreError.self) {
      try InspectedFiles.copy(path, to: directory.file("b.realm"))
    }
  }
}
