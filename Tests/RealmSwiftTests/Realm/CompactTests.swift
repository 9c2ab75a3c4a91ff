// SPDX-License-Identifier: Apache-2.0

// Compaction while a realm is in use, and on a disk without room for a copy.

import Foundation
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmSession
@_spi(RealmTesting) @testable import RealmSwift

@MainActor @Suite struct CompactTests {
  /// A file of which most was deleted, by one transaction after the objects were made.
  private func fill(_ realm: Realm) throws {
    try realm.write {
      for id in 0..<6000 {
        // Different ones, as others would be enumerated.
        let name = String(repeating: "name ", count: id % 90) + "\(id)"
        realm.create(Person.self, value: ["id": id, "name": name] as [String: Any])
      }
    }
    try realm.write { realm.delete(realm.objects(Person.self).where { $0.id > 400 }) }
  }

  @Test(.heavy) func compactionInStepsGivesSpaceBackWhileTheRealmIsUsed() throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    try fill(realm)
    let path = try #require(file.configuration.fileURL).path
    let before = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    let dump = "\(try ContentDump(TableGroup(realm.core.snapshot())).json())"
    let people = realm.objects(Person.self).where { $0.id >= 300 }
    let last = try #require(people.last)
    var changes = 0
    let token = people.observe { if case .update = $0 { changes += 1 } }
    realm.refresh()
    var steps = 1
    while try realm.compact(step: 8 << 10) {
      steps += 1
      expectEqual(last.id, 400)
      expectEqual(people.count, 101)
      try #require(steps < 1000)
    }
    expectTrue(steps > 3)
    // The worker for notifications may have kept a version when the last step ended, and with it
    // the length of the file.
    _RealmTesting.runAsyncNotifiers(atPath: path)
    realm.refresh()
    try realm.write {}
    let after = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    expectTrue(after < before / 4, "\(before) to \(after)")
    expectEqual(changes, 0)
    expectEqual("\(try ContentDump(TableGroup(realm.core.snapshot())).json())", dump)
    try expectEqual(DatabaseCheck.run(realm.core.snapshot()), [])
    try ReferenceReader.check(file.configuration)
    try realm.write { last.name = "changed" }
    expectEqual(people.last?.name, "changed")
    token.invalidate()
  }

  @Test(.heavy) func compactionDoesNotWaitForFrozenVersions() throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    try fill(realm)
    let frozen = realm.freeze()
    for id in 0..<40 { try realm.write { realm.create(Person.self, value: ["id": 10_000 + id]) } }
    #expect(try !realm.compact())
    expectEqual(frozen.objects(Person.self).count, 401)
  }

  @Test func misuseOfCompactionIsRefused() async throws {
    await #expect(processExitsWith: .success) {
      let file = try TemporaryRealm()
      let texts = [
        Traps.text { [configuration = file.configuration] in
          let realm = try Realm(configuration: configuration)
          realm.beginWrite()
          try realm.compact()
        },
        Traps.text { [configuration = file.configuration] in
          try Realm(configuration: configuration).freeze().compact()
        },
        Traps.text { [configuration = file.configuration] in
          try Realm(configuration: configuration).compact(step: 10)
        },
      ]
      expectEqual(
        texts,
        [
          "Can't compact a Realm within a write transaction",
          "Can't perform transactions on a frozen Realm",
          "A step of a compaction moves at least 4096 bytes, not 10",
        ])
    }
  }

  /// A limit of the length of files acts as a full disk.
  @Test func aFileOnAFullDiskIsOpenedWithoutCompaction() async throws {
    await #expect(processExitsWith: .success) {
      let file = try TemporaryRealm()
      do {
        let realm = try file.open()
        try realm.write {
          for id in 0..<20_000 {
            realm.create(Person.self, value: ["id": id, "name": "name \(id)"] as [String: Any])
          }
        }
      }
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 300_000, rlim_max: 300_000)
      #if canImport(Glibc)
      expectEqual(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit), 0)
      #else
      expectEqual(setrlimit(RLIMIT_FSIZE, &limit), 0)
      #endif
      let asked = Mutex(0)
      file.configuration.shouldCompactOnLaunch = { _, _ in
        asked.withLock { $0 += 1 }
        return true
      }
      let realm = try file.open()
      expectEqual(realm.objects(Person.self).count, 20_000)
      expectEqual(asked.withLock { $0 }, 1)
      let names = try FileManager.default.contentsOfDirectory(atPath: file.directory.path)
      #expect(!names.contains { $0.hasSuffix(".compaction") })
    }
  }

  @Test(.heavy) func theRestOfAnInterruptedCompactionIsRemovedWhenTheFileIsOpened() throws {
    let file = try TemporaryRealm()
    let path = try #require(file.configuration.fileURL).path
    do { try fill(try file.open()) }
    try Data(count: 5000).write(to: URL(fileURLWithPath: path + ".compaction"))
    let realm = try file.open()
    expectEqual(realm.objects(Person.self).count, 401)
    expectTrue(!FileManager.default.fileExists(atPath: path + ".compaction"))
  }
}
