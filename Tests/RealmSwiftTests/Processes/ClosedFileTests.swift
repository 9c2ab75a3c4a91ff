// SPDX-License-Identifier: Apache-2.0

// Operations on a file that must not be open: another process that has it open is noticed.

import Foundation
import RealmSwiftTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmSwift

@MainActor @Suite(.timeLimit(.minutes(10))) struct ClosedFileTests {
  @Test func filesOfOtherProcessesAreNeitherCompactedNorDeleted() async throws {
    let file = try TemporaryRealm([SharedCounter.self])
    do {
      let realm = try file.open()
      try realm.write {
        for id in 0..<500 {
          realm.create(SharedCounter.self, value: ["id": id, "text": "counter"])
        }
      }
      try realm.write { realm.delete(realm.objects(SharedCounter.self).where { $0.id > 5 }) }
    }
    let url = try #require(file.configuration.fileURL)
    let other = try OtherProcess()
    try await other.ask("open \(url.path)")
    let asked = Mutex(0)
    file.configuration.shouldCompactOnLaunch = { _, _ in
      asked.withLock { $0 += 1 }
      return true
    }
    func count() throws -> Int { try file.open().objects(SharedCounter.self).count }
    try expectEqual(count(), 6)
    expectEqual(asked.withLock { $0 }, 0)
    let error = #expect(throws: Realm.Error.self) {
      try Realm.deleteFiles(for: file.configuration)
    }
    expectEqual(error?.code, .alreadyOpen)
    try await other.killNow()
    try expectEqual(count(), 6)
    expectEqual(asked.withLock { $0 }, 1)
    #expect(try Realm.deleteFiles(for: file.configuration))
    expectFalse(Realm.fileExists(for: file.configuration))
  }

  @Test func otherProcessesReadWhatWasCompacted() async throws {
    let file = try TemporaryRealm([SharedCounter.self])
    do {
      let realm = try file.open()
      try realm.write { realm.create(SharedCounter.self, value: ["id": 1, "value": 41]) }
    }
    file.configuration.shouldCompactOnLaunch = { _, _ in true }
    let realm = try file.open()
    let other = try OtherProcess()
    try await other.ask("open \(try #require(file.configuration.fileURL).path)")
    try await other.ask("increment 1 1")
    // This one converts the file from the form of copies.
    try await expectEqual(other.ask("value 1"), "42")
    realm.refresh()
    expectEqual(realm.object(ofType: SharedCounter.self, forPrimaryKey: 1)?.value, 42)
  }
}
