// SPDX-License-Identifier: Apache-2.0

// `Realm.pinnedVersions` and `Realm.statistics`.

import Foundation
import RealmSwiftTestSupport
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
        processes: [31, 32]))
    for part in ["Version 7 of '/a.realm'", "12 seconds", "31, 32", "33 newer", "Release"] {
      expectTrue(text.contains(part), "\(text)")
    }
  }
}
