// SPDX-License-Identifier: Apache-2.0

// Copies, seeds and compaction.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmSession
@_spi(RealmTesting) @testable import RealmSwift

struct CopyTests {
  /// Objects with strings of many lengths, some of them deleted again.
  private func fill(_ realm: Realm, _ count: Int = 400) throws {
    try realm.write {
      for id in 0..<count {
        let person = realm.create(
          Person.self,
          value: [
            "id": id, "name": String(repeating: "name ", count: id % 90),
            "nicknames": ["a", "b"],
          ] as [String: Any])
        person.dogs.append(realm.create(Dog.self, value: ["name": "dog \(id)"]))
      }
    }
    try realm.write { realm.delete(realm.objects(Person.self).where { $0.id > count / 2 }) }
  }

  private func dump(_ realm: Realm) throws -> String { try realm.contentText() }

  private func copy(of file: TemporaryRealm, named name: String = "copy.realm") -> TemporaryRealm? {
    guard let copy = try? TemporaryRealm() else { return nil }
    copy.configuration.fileURL = copy.directory.appendingPathComponent(name)
    return copy
  }

  /// Whoever may not read a realm may not read its copies.
  @Test(arguments: [0o600, 0o640, 0o660])
  func aCopyHasTheRightsOfTheRealm(_ rights: Int) throws {
    let files = FileManager.default
    let file = try TemporaryRealm()
    let realm = try file.open()
    let url = try #require(file.configuration.fileURL)
    try files.setAttributes([.posixPermissions: rights], ofItemAtPath: url.path)
    let target = try #require(copy(of: file))
    let copied = try #require(target.configuration.fileURL)
    for isConfigured in [false, true] {
      if isConfigured {
        try realm.writeCopy(configuration: target.configuration)
      } else {
        try realm.writeCopy(toFile: copied)
      }
      let found = try files.attributesOfItem(atPath: copied.path)[.posixPermissions] as? Int
      expectEqual(found, rights)
      try files.removeItem(at: copied)
    }
  }

  @Test func aCopyHasEverythingAndNoFreeSpace() throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    try fill(realm)
    let target = try #require(copy(of: file))
    let url = try #require(target.configuration.fileURL)
    try realm.writeCopy(toFile: url)
    try ReferenceReader.check(target.configuration)
    let size = try Data(contentsOf: url).count
    #expect(size < (try Data(contentsOf: try #require(file.configuration.fileURL)).count))
    let copied = try target.open()
    try expectEqual(dump(copied), dump(realm))
    try copied.write { copied.create(Person.self, value: ["id": 9999]) }
    expectEqual(copied.objects(Person.self).count, realm.objects(Person.self).count + 1)
    try expectEqual(DatabaseCheck.run(copied.core.snapshot()), [])
    let names = try FileManager.default.contentsOfDirectory(atPath: target.directory.path)
    #expect(names.allSatisfy { $0.hasPrefix("copy.realm") && !$0.hasSuffix(".copy") })
  }

  @Test func aCopyInATransactionHasItsChanges() throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    try fill(realm, 30)
    let target = try #require(copy(of: file))
    let url = try #require(target.configuration.fileURL)
    realm.beginWrite()
    realm.create(Person.self, value: ["id": 777, "name": "uncommitted"])
    try realm.writeCopy(toFile: url)
    realm.create(Person.self, value: ["id": 778])
    try realm.commitWrite()
    let copied = try target.open()
    expectEqual(copied.object(ofType: Person.self, forPrimaryKey: 777)?.name, "uncommitted")
    expectEqual(copied.object(ofType: Person.self, forPrimaryKey: 778), nil)
    expectTrue(realm.object(ofType: Person.self, forPrimaryKey: 778) != nil)
    try expectEqual(DatabaseCheck.run(realm.core.snapshot()), [])
    try ReferenceReader.check(file.configuration)
  }

  @Test func realmsInMemoryAndFrozenOnesAreCopied() throws {
    let memory = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Person.self, Dog.self, AllTypes.self]))
    try fill(memory, 20)
    let target = try #require(copy(of: try TemporaryRealm()))
    try memory.freeze().writeCopy(configuration: target.configuration)
    try expectEqual(dump(target.open()), dump(memory))
    let empty = try #require(copy(of: try TemporaryRealm()))
    try memory.write { memory.deleteAll() }
    try memory.writeCopy(configuration: empty.configuration)
    #expect(try empty.open().isEmpty)
    let error = #expect(throws: Realm.Error.self) {
      try memory.writeCopy(configuration: memory.configuration)
    }
    expectEqual(error?.code, .invalidInput)
  }

  @Test func aFileIsNeverReplaced() throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    let url = try #require(file.configuration.fileURL)
    let error = #expect(throws: Realm.Error.self) { try realm.writeCopy(toFile: url) }
    expectEqual(error?.code, .fileExists)
    expectEqual(error?.fileURL, url)
    let missing = file.directory.appendingPathComponent("no/such/copy.realm")
    let other = #expect(throws: Realm.Error.self) { try realm.writeCopy(toFile: missing) }
    expectEqual(other?.code, .fileNotFound)
  }

  // MARK: Seeds

  @Test func aSeedIsCopiedOnce() throws {
    let seed = try TemporaryRealm()
    do { try fill(try seed.open(), 10) }
    let file = try TemporaryRealm()
    file.configuration.seedFilePath = seed.configuration.fileURL
    do {
      let realm = try file.open()
      expectEqual(realm.objects(Person.self).count, 6)
      try realm.write { realm.deleteAll() }
    }
    #expect(try file.open().isEmpty)
    try expectEqual(seed.open().objects(Person.self).count, 6)
  }

  @Test func aMissingSeedIsAnError() throws {
    let file = try TemporaryRealm()
    file.configuration.seedFilePath = file.directory.appendingPathComponent("none.realm")
    let error = #expect(throws: Realm.Error.self) { try file.open() }
    expectEqual(error?.code, .fileNotFound)
    expectFalse(Realm.fileExists(for: file.configuration))
  }

  // MARK: Compaction

  @Test(.heavy) func compactionGivesBackFreeSpace() throws {
    let file = try TemporaryRealm()
    let url = try #require(file.configuration.fileURL)
    let before: String
    do {
      let realm = try file.open()
      try fill(realm, 3000)
      before = try dump(realm)
    }
    let size = try Data(contentsOf: url).count
    // What an interrupted compaction left does not matter.
    try Data(count: 5000).write(to: URL(fileURLWithPath: url.path + ".compaction"))
    let asked = Mutex<[[Int]]>([])
    file.configuration.shouldCompactOnLaunch = { total, used in
      asked.withLock { $0.append([total, used]) }
      return true
    }
    do {
      let realm = try file.open()
      try expectEqual(dump(realm), before)
      // The file is open now.
      _ = try onAnotherThread { try file.open().isEmpty }
      try realm.write { realm.create(Person.self, value: ["id": 100_000]) }
    }
    let counts = asked.withLock { $0 }
    expectTrue(counts.count == 1 && counts[0][0] == size && counts[0][1] < size)
    #expect(try Data(contentsOf: url).count < size)
    try ReferenceReader.check(file.configuration)
    let names = try FileManager.default.contentsOfDirectory(atPath: file.directory.path)
    #expect(!names.contains { $0.hasSuffix(".compaction") })
  }

  @Test func compactionMayBeDeclined() throws {
    let file = try TemporaryRealm()
    let url = try #require(file.configuration.fileURL)
    do { try fill(try file.open(), 50) }
    let bytes = try Data(contentsOf: url)
    file.configuration.shouldCompactOnLaunch = { _, _ in false }
    do { _ = try file.open() }
    try expectEqual(Data(contentsOf: url), bytes)
  }

  @Test func newFilesAreNotCompacted() throws {
    let file = try TemporaryRealm()
    file.configuration.shouldCompactOnLaunch = { _, _ in
      Issue.record("there is nothing to compact")
      return true
    }
    #expect(try file.open().isEmpty)
  }

  /// Who opens while another thread compacts gets the compacted file.
  @Test func openingWhileSomebodyCompacts() throws {
    for round in 0..<5 {
      let file = try TemporaryRealm()
      do { try fill(try file.open(), 200) }
      file.configuration.shouldCompactOnLaunch = { _, _ in true }
      let failures = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        do {
          let realm = try file.open()
          try realm.write { realm.create(Person.self, value: ["id": 1000 + index]) }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      expectEqual(failures.withLock { $0 }, [], "round \(round)")
      file.configuration.shouldCompactOnLaunch = nil
      let realm = try file.open()
      expectEqual(realm.objects(Person.self).where { $0.id >= 1000 }.count, 4, "round \(round)")
      try expectEqual(DatabaseCheck.run(realm.core.snapshot()), [])
    }
  }
}
