// SPDX-License-Identifier: Apache-2.0

// `Realm.backup`: one version, whole or not at all, while the realm is in use.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

struct BackupTests {
  private func configuration(_ sample: UpkeepSample, _ name: String) -> Realm.Configuration {
    var configuration = sample.file.configuration
    configuration.fileURL = sample.url(named: name)
    return configuration
  }

  private func names(_ sample: UpkeepSample) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: sample.file.directory.path)
      .filter { $0.contains("backup") }.sorted()
  }

  @Test(arguments: [nil, UpkeepSample.key])
  func aBackupIsOneVersionWhileOthersWrite(_ key: Data?) async throws {
    let sample = try UpkeepSample(key: key)
    let (frozen, expected, token) = try {
      let realm = try sample.file.open()
      return (realm.freeze(), try UpkeepSample.dump(realm), realm.historyToken)
    }()
    let source = sample.file.configuration
    let parts = Mutex<[Double]>([])
    async let writes: Void = {
      for id in 1000..<1030 {
        try await Realm.write(to: source) { realm in
          _ = realm.create(Person.self, value: ["id": id])
        }
      }
    }()
    let target = configuration(sample, "backup.realm")
    try await frozen.backup(to: sample.url(named: "backup.realm")) { part in
      parts.withLock { $0.append(part) }
    }
    try await writes
    let seen = parts.withLock { $0 }
    expectEqual(seen, seen.sorted())
    expectEqual(seen.last, 1)
    let report = try await Realm.verifyIntegrity(configuration: target)
    expectEqual(report.findings, [])
    expectEqual(report.uncheckedNodeCount, 0)
    try {
      let copy = try Realm(configuration: target)
      try expectEqual(UpkeepSample.dump(copy), expected)
      expectEqual(copy.historyToken, token)
      try copy.write { _ = copy.create(Person.self, value: ["id": 5000]) }
      let bytes = try Data(contentsOf: sample.url(named: "backup.realm"))
      expectEqual(bytes.range(of: Data("secret".utf8)) == nil, key != nil)
    }()
    try expectEqual(names(sample), ["backup.realm", "backup.realm.lock"])
  }

  @MainActor @Test func anActorBacksItsRealmUp() async throws {
    let sample = try UpkeepSample()
    let realm = try await Realm.open(configuration: sample.file.configuration)
    try await realm.backup(to: sample.url(named: "backup.realm"))
    let copy = try await Realm.open(configuration: configuration(sample, "backup.realm"))
    expectEqual(copy.objects(Person.self).count, 500)
  }

  @Test func aFileThatIsThereStays() async throws {
    let sample = try UpkeepSample(count: 5)
    let url = sample.url(named: "backup.realm")
    try Data("mine".utf8).write(to: url)
    let frozen = try sample.file.open().freeze()
    let error = await #expect(throws: Realm.Error.self) { try await frozen.backup(to: url) }
    expectEqual(error?.code, .fileExists)
    try expectEqual(Data(contentsOf: url), Data("mine".utf8))
  }

  /// Reads give what is there; a backup is not made of it.
  @Test func aDamagedRealmHasNoBackup() async throws {
    let sample = try UpkeepSample()
    let (damaged, _) = try sample.damagedCopy()
    let frozen = try { try Realm(configuration: damaged).freeze() }()
    expectEqual(frozen.objects(Person.self).count, 500)
    let error = await #expect(throws: Realm.Error.self) {
      try await frozen.backup(to: sample.url(named: "backup.realm"))
    }
    expectEqual(error?.code, .invalidDatabase)
    try expectEqual(names(sample), [])
  }

  @Test(arguments: [nil, UpkeepSample.key])
  func aCancelledBackupGoesOn(_ key: Data?) async throws {
    let sample = try UpkeepSample(key: key)
    let frozen = ThreadSafeFrozen(realm: try sample.file.open().freeze())
    let expected = try UpkeepSample.dump(frozen.realm)
    let url = sample.url(named: "backup.realm")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await frozen.realm.backup(to: url)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    let left = "backup.realm.unfinished-backup"
    try expectEqual(names(sample), [left])
    // Not by its name, but by its bytes: what is another's stays, and is in no one's way.
    let bytes = try Data(contentsOf: sample.url(named: left))
    try Data("mine".utf8).write(to: sample.url(named: left))
    try await frozen.realm.backup(to: url)
    try expectEqual(names(sample), ["backup.realm", left])
    try expectEqual(Data(contentsOf: sample.url(named: left)), Data("mine".utf8))
    try FileManager.default.removeItem(at: url)
    try bytes.write(to: sample.url(named: left))
    try await frozen.realm.backup(to: url)
    try expectEqual(names(sample), ["backup.realm"])
    try {
      let copy = try Realm(configuration: configuration(sample, "backup.realm"))
      try expectEqual(UpkeepSample.dump(copy), expected)
    }()
  }

  @Test func oneOfTwoBackupsGetsTheName() async throws {
    let sample = try UpkeepSample()
    let frozen = ThreadSafeFrozen(realm: try sample.file.open().freeze())
    let url = sample.url(named: "backup.realm")
    let codes = await withTaskGroup(of: Realm.Error.Code?.self) { group in
      for _ in 0..<4 {
        group.addTask {
          do {
            try await frozen.realm.backup(to: url)
            return nil
          } catch { return (error as? Realm.Error)?.code ?? .fail }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    expectEqual(codes.filter { $0 == nil }.count, 1)
    expectEqual(codes.filter { $0 == .fileExists }.count, 3)
    try expectEqual(names(sample), ["backup.realm"])
  }
}

/// A frozen realm, which any thread may read.
private struct ThreadSafeFrozen: @unchecked Sendable {
  // Sendable: the realm is frozen.
  let realm: Realm
}
