// SPDX-License-Identifier: Apache-2.0

// `Realm.Configuration.durability`: how often commits wait for the disk, and what files are after
// that.

import Foundation
import RealmSwiftTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmStorage
@testable import RealmSwift

struct DurabilityTests {
  typealias Durability = Realm.Configuration.Durability

  private func open(_ file: TemporaryRealm, _ durability: Durability) throws -> Realm {
    file.configuration.durability = durability
    return try file.open()
  }

  /// How many of the last versions a crash of the system may hide from another implementation.
  private func unsettledCount(_ realm: Realm) -> UInt64 {
    let memory = realm.core.file.session.memory
    return unsafe realm.core.file.newestVersion - memory.settled.pointee.load(ordering: .relaxed)
  }

  @Test func twoSyncsAreTheDefault() throws {
    expectEqual(Realm.Configuration().durability, .twoSyncs)
    expectEqual(Realm.Configuration.defaultConfiguration.durability, .twoSyncs)
    expectTrue(Realm.Configuration().description.contains("durability = twoSyncs;"))
  }

  @Test func theHeaderIsOnTheDiskAsTheDurabilitySays() throws {
    for (durability, counts) in [
      (Durability.twoSyncs, [0, 0, 0]), (.oneSync, [1, 1, 1]), (.deferred, [1, 2, 3]),
    ] as [(Durability, [UInt64])] {
      let file = try TemporaryRealm()
      let realm = try open(file, durability)
      for (number, count) in counts.enumerated() {
        try realm.write { _ = realm.create(Person.self, value: ["id": number]) }
        expectEqual(unsettledCount(realm), count, "\(durability)")
      }
      expectEqual(realm.objects(Person.self).count, 3)
    }
  }

  /// The header of a closed file selects what the last realm wrote, and nothing is left to recover.
  @Test(arguments: [Durability.oneSync, .deferred])
  func aClosedFileIsAsWithTwoSyncs(_ durability: Durability) throws {
    let file = try TemporaryRealm()
    do {
      let realm = try open(file, durability)
      for number in 0..<5 {
        try realm.write { _ = realm.create(Person.self, value: ["id": number, "name": "P"]) }
      }
    }
    let url = try #require(file.configuration.fileURL)
    var bytes = try Data(contentsOf: url)
    let slot = 1 - Int(bytes[FileHeader.flagsOffset] & 1)
    bytes.replaceSubrange(slot * 8..<slot * 8 + 8, with: Data(count: 8))
    let copy = try TemporaryRealm()
    try bytes.write(to: try #require(copy.configuration.fileURL))
    try expectEqual(copy.open().objects(Person.self).count, 5)
    try expectEqual(copy.open().core.file.check(), [])
  }

  /// A realm of a queue follows, whatever its own durability is.
  @Test func realmsOfDifferentDurabilitiesShareAFile() throws {
    let file = try TemporaryRealm()
    let first = try open(file, .deferred)
    try first.write { _ = first.create(Person.self, value: ["id": 1]) }
    file.configuration.durability = .twoSyncs
    let configuration = file.configuration
    let queue = DispatchQueue(label: "another durability")
    try queue.sync {
      let second = try Realm(configuration: configuration, queue: queue)
      expectEqual(second.objects(Person.self).count, 1)
      try second.write { _ = second.create(Person.self, value: ["id": 2]) }
    }
    expectEqual(unsettledCount(first), 0)
    first.refresh()
    expectEqual(first.objects(Person.self).count, 2)
  }

  /// What is deferred reaches the disk without another commit.
  @Test func deferredCommitsAreSettledSomeTimeLater() async throws {
    let file = try TemporaryRealm()
    let realm = try open(file, .deferred)
    try realm.write { _ = realm.create(Person.self, value: ["id": 1]) }
    expectEqual(unsettledCount(realm), 1)
    for _ in 0..<600 where unsettledCount(realm) > 0 { usleep(50_000) }
    expectEqual(unsettledCount(realm), 0)
  }

  /// An encrypted file waits as long as ever: its pages cannot be written before their entries are
  /// on the disk.
  @Test func encryptedFilesAreAlwaysSettled() throws {
    let file = try TemporaryRealm()
    file.configuration.encryptionKey = Data(repeating: 7, count: 64)
    let realm = try open(file, .oneSync)
    try realm.write { _ = realm.create(Person.self, value: ["id": 1]) }
    expectEqual(unsettledCount(realm), 0)
  }

  @Test func realmsInMemoryAreAlwaysSettled() throws {
    let file = try TemporaryRealm()
    file.configuration.inMemoryIdentifier = "durability"
    let realm = try open(file, .deferred)
    try realm.write { _ = realm.create(Person.self, value: ["id": 1]) }
    expectEqual(unsettledCount(realm), 0)
  }

  /// Asynchronous commits are durable when they are complete, in realms that defer others, too.
  @Test @MainActor func asynchronousCommitsAreNotDeferred() async throws {
    let file = try TemporaryRealm()
    file.configuration.durability = .deferred
    let realm = try await Realm(configuration: file.configuration)
    for number in 0..<4 {
      try await realm.asyncWrite { _ = realm.create(Person.self, value: ["id": number]) }
      expectTrue(unsettledCount(realm) <= 1)
    }
  }
}
