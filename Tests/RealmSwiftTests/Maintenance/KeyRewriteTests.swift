// SPDX-License-Identifier: Apache-2.0

// `Realm.rewrite`: another key for a file, in its place.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

struct KeyRewriteTests {
  private static let newKey = Data((0..<64).map { UInt8($0) &* 5 })

  private func configuration(_ sample: UpkeepSample, _ key: Data?) -> Realm.Configuration {
    var configuration = sample.file.configuration
    configuration.encryptionKey = key
    return configuration
  }

  private func dump(_ configuration: Realm.Configuration) throws -> String {
    try UpkeepSample.dump(Realm(configuration: configuration))
  }

  /// From a key to another, to none, and from none: what is in the file stays.
  @Test(arguments: [(true, true), (true, false), (false, true)])
  func theFileHasTheNewKeyAndWhatItHad(_ hadKey: Bool, _ getsKey: Bool) throws {
    let (oldKey, newKey) = (hadKey ? UpkeepSample.key : nil, getsKey ? Self.newKey : nil)
    let sample = try UpkeepSample(key: oldKey, count: 80)
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: sample.url.path)
    let (old, new) = (configuration(sample, oldKey), configuration(sample, newKey))
    let (expected, token) = try {
      let realm = try sample.file.open()
      return (try UpkeepSample.dump(realm), realm.historyToken)
    }()
    try Realm.rewrite(configuration: old, encryptionKey: newKey)
    #expect(throws: Realm.Error.self) { try Realm(configuration: old) }
    try expectEqual(dump(new), expected)
    try expectEqual(Realm(configuration: new).historyToken, token)
    try Realm(configuration: new).write {}
    let rights = try files.attributesOfItem(atPath: sample.url.path)[.posixPermissions] as? Int
    expectEqual(rights, 0o600)
    let bytes = try Data(contentsOf: sample.url)
    expectEqual(bytes.range(of: Data("secret".utf8)) == nil, newKey != nil)
    let names = try files.contentsOfDirectory(atPath: sample.file.directory.path)
    expectEqual(names.filter { $0.contains("compaction") }, [])
  }

  @Test func aRealmInUseKeepsItsKey() throws {
    let sample = try UpkeepSample(key: UpkeepSample.key, count: 5)
    let realm = try sample.file.open()
    let before = try Data(contentsOf: sample.url)
    let error = #expect(throws: Realm.Error.self) {
      try Realm.rewrite(
        configuration: sample.file.configuration, encryptionKey: Self.newKey)
    }
    expectEqual(error?.code, .alreadyOpen)
    expectTrue(error?.localizedDescription.contains("while the Realm is in use") == true)
    try expectEqual(Data(contentsOf: sample.url), before)
    expectEqual(realm.objects(Person.self).count, 5)
  }

  @Test func whatHasNoFileOrMoreThanOneNameIsRefused() throws {
    let memory = Realm.Configuration(
      inMemoryIdentifier: "rewritten", objectTypes: [Person.self, Dog.self])
    let inMemory = #expect(throws: Realm.Error.self) {
      try Realm.rewrite(configuration: memory, encryptionKey: Self.newKey)
    }
    expectEqual(inMemory?.code, .invalidInput)
    let sample = try UpkeepSample(key: UpkeepSample.key, count: 5)
    var missing = sample.file.configuration
    missing.fileURL = sample.url(named: "none.realm")
    let none = #expect(throws: Realm.Error.self) {
      try Realm.rewrite(configuration: missing, encryptionKey: Self.newKey)
    }
    expectEqual(none?.code, .fileNotFound)
    try FileManager.default.linkItem(at: sample.url, to: sample.url(named: "second.realm"))
    let linked = #expect(throws: Realm.Error.self) {
      try Realm.rewrite(configuration: sample.file.configuration, encryptionKey: Self.newKey)
    }
    expectEqual(linked?.code, .fileAccess)
    expectTrue(linked?.localizedDescription.contains("hard link") == true)
    let wrong = #expect(throws: Realm.Error.self) {
      try FileManager.default.removeItem(at: sample.url(named: "second.realm"))
      try Realm.rewrite(
        configuration: configuration(sample, Self.newKey), encryptionKey: nil)
    }
    expectEqual(wrong?.code, .invalidDatabase)
    try expectEqual(Realm(configuration: sample.file.configuration).objects(Person.self).count, 5)
  }
}
