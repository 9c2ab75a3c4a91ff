// SPDX-License-Identifier: Apache-2.0

// `Realm.pinnedVersions` and `Realm.statistics`.

import Foundation
import RealmSession
import RealmSwiftTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmStorage
@testable import RealmSwift

struct StatisticsTests {
  @Test func oldVersionsAreNamedWithTheirReaders() throws {
    let sample = try UpkeepSample(count: 20)
    let realm = try sample.file.open()
    let own = try #require(realm.pinnedVersions.last)
    expectEqual(own.newerVersionCount, 0)
    expectEqual(own.heldDuration, nil)
    let frozen = realm.freeze()
    for id in 100..<110 { try realm.write { _ = realm.create(Person.self, value: ["id": id]) } }
    let old = try #require(realm.pinnedVersions.first)
    expectEqual(old.version, own.version)
    expectEqual(old.newerVersionCount, 10)
    expectTrue(old.readerCount > 0)
    expectEqual(old.processIdentifiers, [ProcessInfo.processInfo.processIdentifier])
    expectTrue(try #require(old.heldDuration) >= .zero)
    expectEqual(frozen.objects(Person.self).count, 20)
  }

  /// Each move of a realm to a version names the call, and what is gone is not named any more.
  @Test func holdersAreNamedWithThreadAndCall() throws {
    let sample = try UpkeepSample(count: 3)
    let realm = try sample.file.open()
    func calls(_ version: UInt64? = nil) -> [String] {
      realm.pinnedVersions.filter { version == nil || $0.version == version }
        .flatMap { $0.holders.map(\.call) }
    }
    expectEqual(calls(), ["Realm.init"])
    let first = try #require(realm.pinnedVersions.first?.version)
    var frozen: Realm? = realm.freeze()
    try realm.write { realm.deleteAll() }
    expectEqual(calls(first), ["freeze()"])
    expectEqual(calls(first + 1), ["a write transaction"])
    let holder = try #require(realm.pinnedVersions.first?.holders.first)
    expectEqual(holder.processIdentifier, ProcessInfo.processInfo.processIdentifier)
    expectTrue(holder.threadIdentifier != 0)
    expectTrue(holder.heldDuration >= .zero)
    let own = try #require(realm.pinnedVersions.last?.holders.first)
    expectEqual(own.threadIdentifier, holder.threadIdentifier)
    expectTrue(frozen?.isFrozen == true)
    frozen = nil
    expectEqual(calls(first), [])
    realm.invalidate()
    expectEqual(calls(), [])
    _ = realm.objects(Person.self).count
    expectEqual(calls(), ["the first read after invalidate()"])
    // Another thread writes, and this one follows.
    let configuration = realm.configuration
    let done = DispatchSemaphore(value: 0)
    let other = Mutex<UInt64>(0)
    Thread.detachNewThread {
      defer { done.signal() }
      guard let writer = try? Realm(configuration: configuration) else { return }
      try? writer.write { _ = writer.create(Dog.self, value: ["name": "other"]) }
      other.withLock {
        $0 =
          writer.pinnedVersions.last?.holders.last { $0.call == "a write transaction" }?
          .threadIdentifier ?? 0
      }
    }
    done.wait()
    expectTrue(other.withLock { $0 } != 0)
    expectTrue(other.withLock { $0 } != own.threadIdentifier)
    expectTrue(realm.refresh())
    expectEqual(calls(first + 2), ["refresh()"])
  }

  /// What reads a version for long says so while it does.
  @Test func backupsAndChecksAreNamedWhileTheyRun() async throws {
    let sample = try UpkeepSample(count: 300)
    let frozen = try { try sample.file.open().freeze() }()
    let file = frozen.core.file
    let calls = Mutex<Set<VersionUse>>([])
    let note: @Sendable (Double) -> Void = { _ in
      let found = file.heldVersions.flatMap { $0.holders.map(\.use) }
      calls.withLock { $0.formUnion(found) }
    }
    try await frozen.backup(to: sample.url(named: "backup.realm"), progress: note)
    _ = try await Realm.verifyIntegrity(
      configuration: sample.file.configuration, progress: note)
    expectTrue(calls.withLock { $0 }.isSuperset(of: [.freezing, .backingUp, .checking]))
    let left = Set(file.heldVersions.flatMap { $0.holders.map(\.use) })
    expectTrue(left.isDisjoint(with: [.backingUp, .checking]))
    expectTrue(frozen.isFrozen)
  }

  @Test func theFiguresAddUp() throws {
    let sample = try UpkeepSample(count: 200)
    let realm = try sample.file.open()
    let before = realm.statistics
    expectEqual(before.pinnedByteCount, 0)
    let frozen = realm.freeze()
    try realm.write { realm.deleteAll() }
    try realm.write { _ = realm.create(Dog.self, value: ["name": "last"]) }
    let after = realm.statistics
    expectEqual(after.version, before.version + 2)
    expectTrue(after.pinnedByteCount > 0)
    expectTrue(after.usedByteCount < before.usedByteCount)
    expectEqual(after.activeVersionCount, 2)
    expectEqual(after.commitCount, before.commitCount + 2)
    expectEqual(after.transactionCount, before.transactionCount + 2)
    expectTrue(after.writtenByteCount > before.writtenByteCount)
    expectTrue(after.waitDuration >= before.waitDuration)
    expectEqual(after.waitingWriterCount, 0)
    let size = try Data(contentsOf: sample.url).count
    expectEqual(after.fileByteCount, size)
    expectTrue(after.usedByteCount + after.freeByteCount + after.pinnedByteCount <= size)
    expectEqual(frozen.objects(Person.self).count, 200)
  }

  @Test func aWarningSaysWhatToDo() {
    let text = HeldVersionLog.message(
      about: HeldVersions.Warning(
        path: "/a.realm", version: 7, newestVersion: 40, heldNanoseconds: 12_500_000_000,
        processes: [31, 32],
        holders: (1...5).map {
          HeldVersion.Holder(
            process: 31, thread: 70 + $0, use: .freezing, heldNanoseconds: 15_900_000_000 - $0)
        }))
    for part in [
      "Version 7 of '/a.realm'", "12 seconds", "31, 32", "33 newer", "Release",
      "It was taken by freeze() on thread 71 of process 31, 15 seconds ago; by freeze() on thread "
        + "72", "; and by 2 more.",
    ] {
      expectTrue(text.contains(part), "\(text)")
    }
    expectEqual(Set(VersionUse.allCases.map(\.call)).count, VersionUse.allCases.count)
  }
}
