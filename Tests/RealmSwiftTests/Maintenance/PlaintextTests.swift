// SPDX-License-Identifier: Apache-2.0

// No file that a run with an encrypted realm leaves holds anything of it in plain text.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

struct PlaintextTests {
  private static let newKey = Data((0..<64).map { UInt8($0) &* 11 })

  /// What the objects, the schema and the keys would be found by.
  private static let secrets: [(String, Data)] = [
    ("a value", Data("secret 17".utf8)), ("a later value", Data("hidden".utf8)),
    ("the name of a class", Data("class_Person".utf8)), ("a property", Data("nicknames".utf8)),
    ("the old key", UpkeepSample.key.prefix(16)), ("the new key", newKey.prefix(16)),
    ("the header of a plain file", Data("T-DB".utf8)),
  ]

  /// The files below a folder that hold a secret.
  private func findings(in folder: URL) throws -> (found: [String], fileCount: Int) {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    var found: [String] = []
    var fileCount = 0
    for path in paths {
      guard let bytes = try? Data(contentsOf: folder.appending(path: path)) else { continue }
      fileCount += 1
      for (name, secret) in Self.secrets where bytes.range(of: secret) != nil {
        found.append("\(name) in \(path)")
      }
    }
    return (found, fileCount)
  }

  /// Writes, copies, backs up, compacts, freezes and changes the key, in a folder of its own.
  private func run(_ sample: UpkeepSample) async throws {
    let folder = sample.file.directory
    var configuration = sample.file.configuration
    configuration.historyLimit = 50
    configuration.durability = .oneSync
    let frozen = try {
      let realm = try Realm(configuration: configuration)
      let frozen = realm.freeze()
      for id in 0..<20 {
        try realm.write { realm.objects(Person.self).filter("id == %@", id).first?.name = "hidden" }
      }
      try realm.writeCopy(
        toFile: sample.url(named: "copy.realm"), encryptionKey: configuration.encryptionKey)
      expectTrue(try findings(in: folder).fileCount > 1)
      return frozen
    }()
    try await frozen.backup(to: sample.url(named: "backup.realm"))
    _ = try await Realm.verifyIntegrity(configuration: configuration)
    _ = try await Realm.salvage(
      from: sample.url, to: sample.url(named: "salvaged.realm"),
      encryptionKey: configuration.encryptionKey)
  }

  @Test func noFileThatARunLeavesHasTheContents() async throws {
    let sample = try UpkeepSample(key: UpkeepSample.key, count: 60)
    try await run(sample)
    var configuration = sample.file.configuration
    configuration.shouldCompactOnLaunch = { _, _ in true }
    let wanted = configuration
    try { _ = try Realm(configuration: wanted) }()
    configuration.shouldCompactOnLaunch = nil
    try Realm.rewrite(configuration: configuration, encryptionKey: Self.newKey)
    configuration.encryptionKey = Self.newKey
    let changed = configuration
    try {
      let realm = try Realm(configuration: changed)
      expectEqual(realm.objects(Person.self).filter("name == 'hidden'").count, 20)
    }()
    let (found, fileCount) = try findings(in: sample.file.directory)
    expectEqual(found, [])
    expectTrue(fileCount >= 5, "\(fileCount)")
  }

  /// The search finds what is there: the same in plain files.
  @Test func theSearchFindsWhatIsPlain() async throws {
    let sample = try UpkeepSample(count: 60)
    try await run(sample)
    let (found, _) = try findings(in: sample.file.directory)
    for name in ["a value", "a later value", "the name of a class", "the header of a plain file"] {
      expectTrue(found.contains { $0.hasPrefix(name) }, "\(name): \(found)")
    }
  }
}
