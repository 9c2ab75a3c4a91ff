// SPDX-License-Identifier: Apache-2.0

// Encrypted realms, as a program uses them.

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

struct EncryptionTests {
  private let file: TemporaryRealm
  private let url: URL
  private static let key = Data((0..<64).map { UInt8($0) &+ 100 })
  private static let otherKey = Data((0..<64).map { UInt8($0) &* 5 })

  init() throws {
    file = try TemporaryRealm()
    file.configuration.encryptionKey = Self.key
    url = try #require(file.configuration.fileURL)
  }

  private func fill(_ realm: Realm, _ count: Int = 60) throws {
    try realm.write {
      for id in 0..<count {
        let person = realm.create(
          Person.self,
          value: ["id": id, "name": String(repeating: "secret ", count: id % 40)] as [String: Any])
        person.dogs.append(realm.create(Dog.self, value: ["name": "dog \(id)"]))
      }
    }
  }

  private func dump(_ realm: Realm) throws -> String { try realm.contentText() }

  private func refusal(_ configuration: Realm.Configuration) -> Realm.Error? {
    #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
  }

  // MARK: Opening

  @Test func whatIsWrittenIsReadWithTheKeyOnly() throws {
    let expected: String
    do {
      let realm = try file.open()
      try fill(realm)
      expected = try dump(realm)
      expectEqual(realm.configuration.encryptionKey, Self.key)
    }
    let bytes = try Data(contentsOf: url)
    expectEqual(bytes.range(of: Data("secret".utf8)), nil)
    expectEqual(bytes.range(of: Data("Person".utf8)), nil)
    do { try expectEqual(dump(file.open()), expected) }
    for key in [Self.otherKey, nil] {
      var configuration = file.configuration
      configuration.encryptionKey = key
      let error = refusal(configuration)
      expectEqual(error?.code, .invalidDatabase)
      expectEqual(error?.fileURL, url)
      let text = error?.localizedDescription ?? ""
      expectTrue(text.hasPrefix("Failed to open Realm file at path '\(url.path)': "))
      expectTrue(text.contains("encryption key"))
    }
    try expectEqual(Data(contentsOf: url), bytes)
    try expectEqual(dump(file.open()), expected)
  }

  @Test func aPlainFileIsNotOpenedWithAKey() throws {
    let plain = try TemporaryRealm()
    do { try fill(plain.open()) }
    var configuration = plain.configuration
    configuration.encryptionKey = Self.key
    let error = refusal(configuration)
    expectEqual(error?.code, .invalidDatabase)
    expectEqual(error?.localizedDescription.contains("the file is not encrypted"), true)
    try expectEqual(plain.open().objects(Person.self).count, 60)
  }

  @Test(.heavy) func realmsOfAFileMustHaveTheSameKey() throws {
    let realm = try file.open()
    try fill(realm)
    for key in [Self.otherKey, nil] {
      var configuration = file.configuration
      configuration.encryptionKey = key
      let changed = configuration
      for error in [
        refusal(changed), try onAnotherThread { refusal(changed) },
        #expect(throws: Realm.Error.self) { try schemaVersionAtURL(url, encryptionKey: key) },
      ] {
        expectEqual(error?.code, .alreadyOpen)
        expectEqual(
          error?.localizedDescription,
          "Realm at path '\(url.path)' already opened with a different encryption key.")
      }
    }
    try expectEqual(onAnotherThread { try file.open().objects(Person.self).count }, 60)
  }

  @Test func versionsFrozenRealmsAndThreadsWorkAsInPlainFiles() throws {
    let realm = try file.open()
    try fill(realm, 10)
    let frozen = realm.freeze()
    let counts = Mutex<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { index in
      for step in 0..<5 {
        guard let realm = try? file.open() else { return }
        try? realm.write {
          _ = realm.create(Person.self, value: ["id": 1000 + index * 100 + step, "name": "t"])
        }
        counts.withLock { $0.append(realm.objects(Person.self).count) }
      }
    }
    realm.refresh()
    expectEqual(counts.withLock { $0 }.count, 20)
    expectEqual(realm.objects(Person.self).count, 30)
    expectEqual(frozen.objects(Person.self).count, 10)
    #expect(try DatabaseCheck.run(realm.core.snapshot()).isEmpty)
    #expect(try realm.core.file.check().isEmpty)
  }

  @Test func readOnlyRealmsReadEncryptedFiles() throws {
    do { try fill(file.open()) }
    let bytes = try Data(contentsOf: url)
    file.configuration.readOnly = true
    do {
      let realm = try file.open()
      #expect(realm.objects(Person.self).where { $0.name.contains("secret") }.count > 0)
    }
    try expectEqual(Data(contentsOf: url), bytes)
    file.configuration.encryptionKey = Self.otherKey
    expectEqual(refusal(file.configuration)?.code, .invalidDatabase)
  }

  // MARK: Copies

  @Test func copiesHaveTheKeyThatTheyAreGiven() throws {
    let realm = try file.open()
    try fill(realm)
    let expected = try dump(realm)
    let keys = [Self.key, Self.otherKey, nil]
    for (index, key) in keys.enumerated() {
      let copy = try TemporaryRealm()
      copy.configuration.encryptionKey = key
      let target = try #require(copy.configuration.fileURL)
      if index == 0 {
        try realm.writeCopy(configuration: copy.configuration)
      } else {
        try realm.writeCopy(toFile: target, encryptionKey: key)
      }
      #expect(try Data(contentsOf: target).range(of: Data("T-DB".utf8)) == nil || key == nil)
      for other in keys where other != key {
        var configuration = copy.configuration
        configuration.encryptionKey = other
        expectEqual(refusal(configuration)?.code, .invalidDatabase)
      }
      let copied = try copy.open()
      try expectEqual(dump(copied), expected)
      try copied.write { copied.create(Person.self, value: ["id": 5000]) }
      // And back again.
      let last = try TemporaryRealm()
      try copied.writeCopy(toFile: try #require(last.configuration.fileURL))
      try expectEqual(last.open().objects(Person.self).count, 61)
    }
    let error = #expect(throws: Realm.Error.self) {
      try realm.writeCopy(toFile: url, encryptionKey: Self.key)
    }
    expectEqual(error?.code, .fileExists)
  }

  @Test func aCopyInATransactionHasItsChanges() throws {
    let realm = try file.open()
    let copy = try TemporaryRealm()
    copy.configuration.encryptionKey = Self.otherKey
    realm.beginWrite()
    realm.create(Person.self, value: ["id": 777, "name": "uncommitted"])
    try realm.writeCopy(configuration: copy.configuration)
    realm.cancelWrite()
    try expectEqual(copy.open().objects(Person.self).first?.name, "uncommitted")
    expectTrue(realm.isEmpty)
  }

  @Test func seedsAreEncryptedAsTheyAre() throws {
    do { try fill(file.open()) }
    let grown = try TemporaryRealm()
    grown.configuration.encryptionKey = Self.key
    grown.configuration.seedFilePath = url
    do { try expectEqual(grown.open().objects(Person.self).count, 60) }
    let other = try TemporaryRealm()
    other.configuration.encryptionKey = Self.otherKey
    other.configuration.seedFilePath = url
    expectEqual(refusal(other.configuration)?.code, .invalidDatabase)
  }

  // MARK: Schema and size

  @Test func theSchemaVersionIsToldWithTheKey() throws {
    file.configuration.schemaVersion = 12
    do { _ = try file.open() }
    try expectEqual(schemaVersionAtURL(url, encryptionKey: Self.key), 12)
    for key in [Self.otherKey, nil] {
      let error = #expect(throws: Realm.Error.self) {
        try schemaVersionAtURL(url, encryptionKey: key)
      }
      expectEqual(error?.code, .invalidDatabase)
    }
  }

  @Test func migrationsChangeEncryptedFiles() throws {
    let plain = try TemporaryRealm.ofFirstAge()
    let old = try TemporaryRealm(Age1.types)
    old.configuration.encryptionKey = Self.key
    do { try plain.open().writeCopy(configuration: old.configuration) }
    old.becomeSecondAge(version: 1, MigrationTests.migrateAll)
    do {
      let realm = try old.open()
      expectEqual(
        realm.objects(Age2.Reader.self).sorted(byKeyPath: "key").map(\.fullName),
        ["reader 1", "reader 2", "reader 3"])
      #expect(try DatabaseCheck.run(realm.core.snapshot()).isEmpty)
    }
    let target = try #require(old.configuration.fileURL)
    try expectEqual(schemaVersionAtURL(target, encryptionKey: Self.key), 1)
  }

  @Test func compactionKeepsTheKey() throws {
    let before: String
    do {
      let realm = try file.open()
      try fill(realm, 1500)
      try realm.write { realm.delete(realm.objects(Person.self).where { $0.id > 200 }) }
      before = try dump(realm)
    }
    let size = try Data(contentsOf: url).count
    let asked = Mutex<[Int]>([])
    file.configuration.shouldCompactOnLaunch = { total, used in
      asked.withLock { $0 += [total, used] }
      return true
    }
    do { try expectEqual(dump(file.open()), before) }
    let counts = asked.withLock { $0 }
    expectEqual(counts[0], size)
    expectTrue(counts[1] < size)
    #expect(try Data(contentsOf: url).count < size)
    file.configuration.encryptionKey = Self.otherKey
    expectEqual(refusal(file.configuration)?.code, .invalidDatabase)
  }

  @Test func damageIsAnErrorThatNamesTheFile() throws {
    do { try fill(file.open(), 500) }
    var bytes = try Data(contentsOf: url)
    bytes[bytes.count / 2] ^= 4
    bytes[4096 * 3 + 17] ^= 4
    try bytes.write(to: url)
    let error = refusal(file.configuration)
    expectEqual(error?.code, .invalidDatabase)
    expectEqual(error?.fileURL, url)
  }
}
