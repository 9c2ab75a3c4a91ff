// SPDX-License-Identifier: Apache-2.0

// `snapshot` reads one version, anywhere, and leaves nothing behind.

import Dispatch
import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct SnapshotTests {
  private func fill(_ files: TemporaryRealm, _ count: Int) throws -> Realm {
    let realm = try files.open()
    try realm.write {
      for id in 0..<count { realm.create(Person.self, value: ["id": id, "name": "P\(id)"]) }
    }
    return realm
  }

  @Test func aSnapshotOfARealmIsTheVersionThatItShows() throws {
    let files = try TemporaryRealm()
    let realm = try fill(files, 3)
    let names = realm.snapshot { realm in
      expectTrue(realm.isFrozen)
      return realm.objects(Person.self).map(\.name) as [String]
    }
    expectEqual(names, ["P0", "P1", "P2"])
    try realm.write {
      realm.deleteAll()
      expectEqual(realm.snapshot { $0.objects(Person.self).count }, 3)
    }
    expectEqual(realm.snapshot { $0.objects(Person.self).count }, 0)
  }

  @Test func aSnapshotOfAFileNeedsNoRealmAndKeepsNone() throws {
    let files = try TemporaryRealm()
    _ = try { try fill(files, 2).isEmpty }()
    let path = try #require(files.configuration.fileURL?.path)
    let count = try Realm.snapshot(of: files.configuration) { realm in
      expectTrue(_RealmTesting.hasCachedRealm(atPath: path))
      return realm.objects(Person.self).count
    }
    expectEqual(count, 2)
    expectFalse(_RealmTesting.hasCachedRealm(atPath: path))
  }

  @Test func aSnapshotDoesNotChangeWhileOthersWrite() throws {
    let files = try TemporaryRealm()
    let realm = try fill(files, 2)
    let configuration = files.configuration
    let counts = try Realm.snapshot(of: configuration) { snapshot in
      let before = snapshot.objects(Person.self).count
      try onAnotherThread {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.deleteAll() }
      }
      return [before, snapshot.objects(Person.self).count]
    }
    expectEqual(counts, [2, 2])
    try expectEqual(Realm.snapshot(of: configuration) { $0.objects(Person.self).count }, 0)
    expectEqual(realm.objects(Person.self).count, 2)
  }

  @Test func manyThreadsTakeSnapshotsBesideAWriter() async throws {
    let files = try TemporaryRealm()
    _ = try fill(files, 1).isEmpty
    let configuration = files.configuration
    // In each version all ages are the same.
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<10 {
            let ages = try Realm.snapshot(of: configuration) { realm in
              Set(realm.objects(Person.self).map(\.age))
            }
            if ages.count != 1 { return false }
          }
          return true
        }
      }
      group.addTask {
        try onAnotherThread {
          let realm = try Realm(configuration: configuration)
          for age in 0..<20 {
            try realm.write {
              for person in realm.objects(Person.self) { person.age = age }
              realm.create(Person.self, value: ["id": 100 + age, "age": age])
            }
          }
        }
        return true
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  @Test func whatTheBodyThrowsComesOut() throws {
    struct Refusal: Error {}
    let files = try TemporaryRealm()
    let realm = try fill(files, 1)
    #expect(throws: Refusal.self) { try realm.snapshot { _ in throw Refusal() } }
    #expect(throws: Refusal.self) {
      try Realm.snapshot(of: files.configuration) { _ in throw Refusal() }
    }
  }
}
